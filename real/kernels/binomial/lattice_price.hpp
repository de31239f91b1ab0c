// The prices of many options on a binomial lattice.
#pragma once

#include <cstddef>

namespace equipoise {

/// The largest number of steps of the kernel binomial.
inline constexpr std::size_t lattice_steps_max = 100'000;

/// Options as columns of equal length, and the column for the prices of the calls. Prices, `years`
/// to expiry and `volatility` per square root of a year are positive.
struct LatticeColumns {
  const double* spot;
  const double* strike;
  const double* years;
  const double* volatility;
  double* call;
};

/// Prices the European calls [first, first + count) on a lattice of `steps` steps (at least one) at
/// the interest rate `rate`, backwards from expiry. With dt = T / steps:
///
///     u = e^(v sqrt(dt)),   d = 1 / u,   p = (e^(r dt) - d) / (u - d)
///     V(steps, j) = max(S u^(2 j - steps) - K, 0)
///     V(n, j) = e^(-r dt) (p V(n + 1, j + 1) + (1 - p) V(n + 1, j))
///
/// The price is V(0, 0). Eight options are computed side by side, so fewer than eight cost as much
/// as eight. The price of an option depends on no other option. If v sqrt(dt) < |r| dt, p is not a
/// probability and the price is meaningless. O(count steps^2); O(steps) memory.
///
/// Source: Cox, Ross, Rubinstein (1979).
void price_on_lattice(const LatticeColumns& columns, std::size_t first, std::size_t count,
                      double rate, std::size_t steps);

}  // namespace equipoise
