// FNV-1a, 64 bits.
#include "tools/runs/content_hash.hpp"

#include <fmt/format.h>

#include "traces/files/input_file.hpp"

namespace equipoise {

void ContentHash::add(std::string_view part) {
  for (std::size_t length = part.size(), i = 0; i < 8; ++i, length >>= 8) {
    mix(static_cast<unsigned char>(length & 0xff));
  }
  for (const char c : part) mix(static_cast<unsigned char>(c));
}

void ContentHash::add_file(const std::string& path) {
  add(read_input(path, "give the path of a file"));
}

std::string ContentHash::text() const { return fmt::format("{:016x}", state_); }

void ContentHash::mix(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001b3ULL; }

}  // namespace equipoise
