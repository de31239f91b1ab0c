// Checks prices on a binomial lattice without stepping back through the lattice.
#pragma once

#include <cstddef>

#include "real/kernels/kernel.hpp"

namespace equipoise {

/// Options and the prices that were computed for them.
struct LatticePrices {
  const double* spot;
  const double* strike;
  const double* years;
  const double* volatility;
  const double* call;
};

/// The price of a European call on a lattice of `steps` steps, computed as the discounted mean of
/// its values at expiry:
///
///     e^(-r T) sum_j (steps over j) p^j (1 - p)^(steps - j) max(S u^(2 j - steps) - K, 0)
///
/// The sum starts at the most likely j and goes on in both directions until terms are negligible; u
/// and p are as in `price_on_lattice`. Binomial coefficients are computed by the log-gamma function
/// in extended precision. O(sqrt(steps)).
[[nodiscard]] double call_by_terminal_sum(double spot, double strike, double years,
                                          double volatility, double rate, std::size_t steps);

/// Compares every price with `call_by_terminal_sum`, within the rounding errors of `steps` steps.
/// An option that was never priced holds a NaN and fails.
[[nodiscard]] Verification check_lattice_prices(const LatticePrices& prices, std::size_t count,
                                                double rate, std::size_t steps);

}  // namespace equipoise
