// Checks by the library's logarithm and by powers of a complex number.
#include "real/kernels/taylor/taylor_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace equipoise {
namespace {

constexpr std::size_t summed_share = 64;  ///< one value in 64 is summed again
constexpr std::size_t summed_min = 500;

/// The rounding error of the downward recurrence; errors grow with the sum of (k + 1) r^k.
double rounding(double r) {
  return 4.0 * std::numeric_limits<double>::epsilon() / ((1.0 - r) * (1.0 - r));
}

/// The remainder of the series after `terms` terms.
double remainder(double r, std::size_t terms) {
  const auto next = static_cast<double>(terms + 1);
  return std::pow(r, next) / (next * (1.0 - r));
}

}  // namespace

double series_by_powers(double x, double y, std::size_t terms) {
  long double real = 1.0L;
  long double imaginary = 0.0L;
  long double sum = 0.0L;
  for (std::size_t k = 1; k <= terms; ++k) {
    const long double next =
        real * static_cast<long double>(x) - imaginary * static_cast<long double>(y);
    imaginary = real * static_cast<long double>(y) + imaginary * static_cast<long double>(x);
    real = next;
    const long double term = real / static_cast<long double>(k);
    sum += k % 2 == 1 ? term : -term;
  }
  return static_cast<double>(sum);
}

Verification check_series(std::span<const double> x, std::span<const double> y,
                          std::span<const double> value, std::size_t terms) {
  const std::size_t count = value.size();
  const std::size_t summed = count / summed_share + summed_min;
  const std::size_t step = std::max<std::size_t>(count / summed, 1);
  for (std::size_t i = 0; i < count; ++i) {
    const double r = std::sqrt(x[i] * x[i] + y[i] * y[i]);
    // ln |1 + z|, computed without cancellation for small z.
    const double expected = 0.5 * std::log1p(x[i] * (2.0 + x[i]) + y[i] * y[i]);
    const double off = std::abs(value[i] - expected);
    if (!(off <= rounding(r)) && !(off <= rounding(r) + remainder(r, terms))) {
      return {false, fmt::format("point {}: the series gives {:.17g}, the function is {:.17g}", i,
                                 value[i], expected)};
    }
    if (i % step != 0) continue;
    const double sum = series_by_powers(x[i], y[i], terms);
    if (std::abs(value[i] - sum) <= rounding(r)) continue;
    return {false,
            fmt::format("point {}: the series gives {:.17g}, not {:.17g}", i, value[i], sum)};
  }
  return {true,
          fmt::format("{} points agree with the function, as far as {} terms reach", count, terms)};
}

}  // namespace equipoise
