// Pseudo-random quantiles: FNV-1a hashes of the names, SplitMix64 over the block number.
#include "shared_policies/machine/draw.hpp"

namespace equipoise {
namespace {

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection that mixes all bits.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h;
}

}  // namespace

Draw::Draw(const DrawKey& key)
    : state_(mix(mix(mix(mix(key.seed) ^ key.repetition) ^ hash(key.unit)) ^ hash(key.kernel))) {}

double Draw::quantile(std::uint64_t ordinal) const {
  // 53 bits, centred, so that the result is never 0 or 1.
  return (static_cast<double>(mix(state_ ^ mix(ordinal)) >> 11) + 0.5) * 0x1.0p-53;
}

}  // namespace equipoise
