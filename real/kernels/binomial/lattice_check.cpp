// Checks lattice prices by a mean over the spot prices at expiry.
#include "real/kernels/binomial/lattice_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace equipoise {
namespace {

/// Terms smaller than this part of the spot price are not added.
constexpr double negligible = 1e-20;

}  // namespace

double call_by_terminal_sum(double spot, double strike, double years, double volatility,
                            double rate, std::size_t steps) {
  const auto n = static_cast<long double>(steps);
  const long double step_years = static_cast<long double>(years) / n;
  const long double log_up = static_cast<long double>(volatility) * std::sqrt(step_years);
  const long double growth = std::exp(static_cast<long double>(rate) * step_years);
  const long double p = (growth - std::exp(-log_up)) / (2.0L * std::sinh(log_up));
  const auto likeliest = static_cast<std::size_t>(std::clamp(std::floor((n + 1.0L) * p), 0.0L, n));
  const auto j = static_cast<long double>(likeliest);
  const auto probability = static_cast<double>(
      std::exp(std::lgamma(n + 1.0L) - std::lgamma(j + 1.0L) - std::lgamma(n - j + 1.0L) +
               j * std::log(p) + (n - j) * std::log1p(-p)));
  const double spot_there = spot * static_cast<double>(std::exp((2.0L * j - n) * log_up));
  const auto odds = static_cast<double>(p / (1.0L - p));
  const auto ratio = static_cast<double>(std::exp(2.0L * log_up));

  double sum = probability * std::max(spot_there - strike, 0.0);
  double weight = probability;
  double at = spot_there;
  for (std::size_t up = likeliest; up < steps && weight * at > negligible * spot; ++up) {
    weight *= odds * static_cast<double>(steps - up) / static_cast<double>(up + 1);
    at *= ratio;
    sum += weight * std::max(at - strike, 0.0);
  }
  weight = probability;
  at = spot_there;
  for (std::size_t down = likeliest; down > 0 && at > strike && weight > negligible; --down) {
    weight *= static_cast<double>(down) / (odds * static_cast<double>(steps - down + 1));
    at /= ratio;
    sum += weight * std::max(at - strike, 0.0);
  }
  return std::exp(-rate * years) * sum;
}

Verification check_lattice_prices(const LatticePrices& prices, std::size_t count, double rate,
                                  std::size_t steps) {
  const double tolerance =
      8.0 * static_cast<double>(steps + 16) * std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < count; ++i) {
    const double expected = call_by_terminal_sum(prices.spot[i], prices.strike[i], prices.years[i],
                                                 prices.volatility[i], rate, steps);
    const double allowed = tolerance * (prices.spot[i] + prices.strike[i]);
    if (std::abs(prices.call[i] - expected) <= allowed) continue;  // false for NaN
    return {false, fmt::format("option {}: the call's price is {:.17g}, not {:.17g}", i,
                               prices.call[i], expected)};
  }
  return {true,
          fmt::format("{} options agree with the sum over what they are worth at expiry", count)};
}

}  // namespace equipoise
