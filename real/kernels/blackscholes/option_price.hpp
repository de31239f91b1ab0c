// The Black-Scholes prices of many options, for programs on CPUs and on other devices, and a check
// of them without the code that computed them.
#pragma once

#include <cstddef>

#include "real/kernels/kernel_data.hpp"
#include "real/kernels/options.hpp"

namespace equipoise {

/// A quotient that is still to be divided.
struct Fraction {
  double above;
  double below;
};

/// The probability that a standard normal variable is above `z` >= 0, divided by e^(-z^2 / 2). The
/// probability has an absolute error of 1e-14. Source: Hart et al. (1968), algorithm 5666, as West
/// (2005) gives it for double precision.
[[gnu::always_inline]] constexpr Fraction tail_fraction(double z) {
  double above = 3.52624965998911e-02;
  above = above * z + 0.700383064443688;
  above = above * z + 6.37396220353165;
  above = above * z + 33.912866078383;
  above = above * z + 112.079291497871;
  above = above * z + 221.213596169931;
  above = above * z + 220.206867912376;
  double below = 8.83883476483184e-02;
  below = below * z + 1.75566716318264;
  below = below * z + 16.064177579207;
  below = below * z + 86.7807322029461;
  below = below * z + 296.564248779674;
  below = below * z + 637.333633378831;
  below = below * z + 793.826512519948;
  below = below * z + 440.413735824752;
  return {above, below};
}

/// `tail_fraction` divided.
[[gnu::always_inline]] constexpr double tail_ratio(double z) {
  const Fraction fraction = tail_fraction(z);
  return fraction.above / fraction.below;
}

/// Prices the options [first, first + count) at the interest rate `rate`.
///
///     d1 = (ln(S/K) + (r + v^2/2) T) / (v sqrt(T)),   d2 = d1 - v sqrt(T)
///     call = S N(d1) - K e^(-rT) N(d2),   put = K e^(-rT) N(-d2) - S N(-d1)
///
/// Accurate to about 1e-13 of the spot. Every CPU gives the same bits: the vector width decides how
/// many options are priced at a time, not how each is priced. Source: Black, Scholes (1973).
void price_options(const OptionColumns& columns, std::size_t first, std::size_t count, double rate);

/// The price of a call as the discounted mean of its payoff, accurate to about 1e-9 of the spot.
/// Integrates by Simpson's rule over the standard normal variable that drives the spot. Does not
/// use N(d1) and N(d2).
[[nodiscard]] double call_by_integration(double spot, double strike, double years,
                                         double volatility, double rate);

/// Checks put-call parity (C - P = S - K e^(-rT)) for every option, the closed form with the
/// library's own erfc for up to 2^20 options, and `call_by_integration` for up to 500 options; both
/// subsets are evenly spread. An option that was never priced holds a NaN and fails.
[[nodiscard]] Verification check_options(const PricedOptions& options, std::size_t count,
                                         double rate);

}  // namespace equipoise
