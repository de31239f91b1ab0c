// The prices of many options on a binomial lattice, and a check of them without stepping back
// through the lattice.
#pragma once

#include <cstddef>

#include "real/kernels/kernel_data.hpp"
#include "real/kernels/options.hpp"

namespace equipoise {

/// The largest number of steps of the kernel binomial.
inline constexpr std::size_t lattice_steps_max = 100'000;

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
void price_on_lattice(const OptionColumns& columns, std::size_t first, std::size_t count,
                      double rate, std::size_t steps);

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
[[nodiscard]] Verification check_lattice_prices(const PricedOptions& prices, std::size_t count,
                                                double rate, std::size_t steps);

}  // namespace equipoise
