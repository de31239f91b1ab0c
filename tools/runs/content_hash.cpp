// FNV-1a, 64 bits.
#include "tools/runs/content_hash.hpp"

#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "traces/files/input_file.hpp"

namespace equipoise {

void ContentHash::add(std::string_view part) {
  std::array<char, 8> length{};
  for (std::size_t left = part.size(), i = 0; i < length.size(); ++i, left >>= 8) {
    length[i] = static_cast<char>(left & 0xff);
  }
  state_ = text_hash(part, text_hash({length.data(), length.size()}, state_));
}

void ContentHash::add_file(const std::string& path) {
  add(read_input(path, "give the path of a file"));
}

std::string ContentHash::text() const { return fmt::format("{:016x}", state_); }

std::string hash_of_file(const std::string& path) {
  ContentHash hash;
  hash.add_file(path);
  return hash.text();
}

}  // namespace equipoise
