// Tells whether prices on a binomial lattice are right, without walking back through it.
#pragma once

#include <cstddef>

#include "real/kernels/kernel.hpp"

namespace equipoise {

/// Options and the prices that are claimed for them.
struct LatticePrices {
  const double* spot;
  const double* strike;
  const double* years;
  const double* volatility;
  const double* call;
};

/// The price of a European call on a lattice of `steps` steps as the discounted mean of what it is
/// worth at expiry:
///
///     e^(-r T) sum_j (steps over j) p^j (1 - p)^(steps - j) max(S u^(2 j - steps) - K, 0)
///
/// summed outwards from the likeliest j, as far as anything is added; u and p as in
/// `price_on_lattice`. Binomial coefficients by the log-gamma function in extended precision.
/// O(sqrt(steps)).
[[nodiscard]] double call_by_terminal_sum(double spot, double strike, double years,
                                          double volatility, double rate, std::size_t steps);

/// Compares every price with `call_by_terminal_sum`, up to the rounding of `steps` steps. An option
/// that was never priced holds a NaN and fails.
[[nodiscard]] Verification check_lattice_prices(const LatticePrices& prices, std::size_t count,
                                                double rate, std::size_t steps);

}  // namespace equipoise
