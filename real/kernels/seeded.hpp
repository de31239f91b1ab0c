// Input data that depends only on a seed and a position.
#pragma once

#include <cstdint>

namespace equipoise {

/// A number in [low, high) that depends only on the seed and the position, on every machine.
/// Uniform enough for input data. Source: Steele, Lea, Flood (2014), the finaliser of SplitMix64.
[[nodiscard]] constexpr double seeded_number(std::uint64_t seed, std::uint64_t position, double low,
                                             double high) {
  std::uint64_t z = seed * 0xD1342543DE82EF95ULL + position * 0x9E3779B97F4A7C15ULL + 1;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  z ^= z >> 31;
  return low + (high - low) * (static_cast<double>(z >> 11) * 0x1p-53);
}

}  // namespace equipoise
