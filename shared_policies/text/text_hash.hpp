// A hash of texts that is the same everywhere.
#pragma once

#include <cstdint>
#include <string_view>

namespace equipoise {

inline constexpr std::uint64_t empty_text_hash = 0xcbf29ce484222325ULL;

/// FNV-1a, 64 bits, of `text` behind what gave `before`. Distinguishes texts; does not protect
/// against deliberate collisions.
[[nodiscard]] constexpr std::uint64_t text_hash(std::string_view text,
                                                std::uint64_t before = empty_text_hash) {
  for (const char c : text) before = (before ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return before;
}

}  // namespace equipoise
