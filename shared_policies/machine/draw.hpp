// Random numbers that depend on names and not on the order of calls. They select the quantiles of
// block times.
#pragma once

#include <cstdint>
#include <string_view>

namespace equipoise {

/// The key of one unit's random numbers in one run. Equal keys give equal numbers.
struct DrawKey {
  std::uint64_t seed = 0;
  std::uint64_t repetition = 0;
  std::string_view unit;
  std::string_view kernel;
};

/// The random numbers of one unit: a quantile for each of its blocks 0, 1, 2, ...
class Draw {
 public:
  explicit Draw(const DrawKey& key);

  /// The quantile in (0, 1) of the unit's block number `ordinal`; lost blocks count. Equal keys
  /// give equal quantiles on every machine. Quantiles of different ordinals are independent.
  [[nodiscard]] double quantile(std::uint64_t ordinal) const;

 private:
  std::uint64_t state_;
};

}  // namespace equipoise
