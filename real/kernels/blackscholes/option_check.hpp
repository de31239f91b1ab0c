// Checks option prices without the code that computed them.
#pragma once

#include <cstddef>

#include "real/kernels/kernel.hpp"

namespace equipoise {

/// Options and the prices that were computed for them.
struct PricedOptions {
  const double* spot;
  const double* strike;
  const double* years;
  const double* volatility;
  const double* call;
  const double* put;
};

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
