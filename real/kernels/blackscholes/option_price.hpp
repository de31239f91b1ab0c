// The Black-Scholes prices of many options.
#pragma once

#include <cstddef>

namespace equipoise {

/// Options as columns of equal length. Prices, `years` to expiry and `volatility` per square root
/// of a year are positive.
struct OptionColumns {
  const double* spot;
  const double* strike;
  const double* years;
  const double* volatility;
  double* call;
  double* put;
};

/// Prices the options [first, first + count) at the interest rate `rate`.
///
///     d1 = (ln(S/K) + (r + v^2/2) T) / (v sqrt(T)),   d2 = d1 - v sqrt(T)
///     call = S N(d1) - K e^(-rT) N(d2),   put = K e^(-rT) N(-d2) - S N(-d1)
///
/// Accurate to about 1e-13 of the spot. Every CPU gives the same bits: the vector width decides how
/// many options are priced at a time, not how each is priced. Source: Black, Scholes (1973).
void price_options(const OptionColumns& columns, std::size_t first, std::size_t count, double rate);

}  // namespace equipoise
