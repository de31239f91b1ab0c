// Chance that depends on names, not on order: which quantile a block's time is drawn at.
#pragma once

#include <cstdint>
#include <string_view>

namespace equipoise {

/// What the luck of one unit in one run depends on (equal cuts meet equal luck).
struct DrawKey {
  std::uint64_t seed = 0;
  std::uint64_t repetition = 0;
  std::string_view unit;
  std::string_view kernel;
};

/// The luck of one unit: gives block number 0, 1, 2, ... of that unit its quantile.
class Draw {
 public:
  explicit Draw(const DrawKey& key);

  /// The quantile in (0, 1) of the unit's block number `ordinal`, lost blocks counted. The same for
  /// the same key on every machine, and independent of every other ordinal.
  [[nodiscard]] double quantile(std::uint64_t ordinal) const;

 private:
  std::uint64_t state_;
};

}  // namespace equipoise
