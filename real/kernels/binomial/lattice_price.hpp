// The price of many options on a binomial lattice.
#pragma once

#include <cstddef>

namespace equipoise {

/// Options as columns of the same length, and the prices of calls to be found. `years` to expiry
/// and `volatility` per square root of a year are positive, as are prices.
struct LatticeColumns {
  const double* spot;
  const double* strike;
  const double* years;
  const double* volatility;
  double* call;
};

/// Prices the European calls [first, first + count) on a lattice of `steps` steps (at least one),
/// at the interest `rate`, backwards from expiry. With dt = T / steps:
///
///     u = e^(v sqrt(dt)),   d = 1 / u,   p = (e^(r dt) - d) / (u - d)
///     V(steps, j) = max(S u^(2 j - steps) - K, 0)
///     V(n, j) = e^(-r dt) (p V(n + 1, j + 1) + (1 - p) V(n + 1, j))
///
/// and the price is V(0, 0). Eight options side by side, so that fewer cost as much as eight. An
/// option's price depends on it alone. Where v sqrt(dt) < |r| dt, p is no probability and the price
/// means nothing. O(count steps^2); O(steps) memory.
///
/// Source: Cox, Ross, Rubinstein (1979).
void price_on_lattice(const LatticeColumns& columns, std::size_t first, std::size_t count,
                      double rate, std::size_t steps);

}  // namespace equipoise
