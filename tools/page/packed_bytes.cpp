// Packs bytes with zlib.
#include "tools/page/packed_bytes.hpp"

#include <zlib.h>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

std::string base64(const std::string& bytes) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = i; k < i + 3; ++k) {
      bits = bits << 8 | (k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0U);
    }
    for (int shift = 18; shift >= 0; shift -= 6) text += digits[bits >> shift & 63U];
  }
  for (std::size_t k = bytes.size(); k % 3 != 0; ++k) text[text.size() - 3 + k % 3] = '=';
  return text;
}

}  // namespace

void append_unsigned(std::string& bytes, std::uint64_t value) {
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(128U | (value & 127U));
  bytes += static_cast<char>(value);
}

void append_signed(std::string& bytes, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value) << 1;
  append_unsigned(bytes, value < 0 ? ~bits : bits);
}

std::string packed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string deflated(size, '\0');
  const int status =
      compress2(reinterpret_cast<Bytef*>(deflated.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_COMPRESSION);
  EQ_CHECK(status == Z_OK, "zlib has room for what it deflates");
  deflated.resize(size);
  return base64(deflated);
}

}  // namespace equipoise
