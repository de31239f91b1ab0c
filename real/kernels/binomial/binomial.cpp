// Option pricing on a binomial lattice: a kernel with much computation and little data for every
// item.
//
// One item is one European call. Its spot, strike, years and volatility are copied to the unit, its
// price back. Source: Cox, Ross, Rubinstein (1979). The energy paper (Euro-Par 2017) prices
// 20,480,000 options with a sample of the AMD APP SDK; 254 steps are the default of that sample.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "real/kernels/binomial/lattice_price.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/columns.hpp"

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

Verification check_lattice_prices(const PricedOptions& prices, std::size_t count, double rate,
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

namespace {

class Binomial final : public ColumnKernel {
 public:
  explicit Binomial(const Parameters& parameters)
      : ColumnKernel("binomial", "option", parameters.items("options", 0), parameters,
                     option_inputs, 1),
        steps_(static_cast<std::size_t>(parameters.items("steps", 1, lattice_steps_max))) {
    const auto n = static_cast<double>(steps_);
    // The steps (steps + 1) / 2 nodes before expiry need two multiplications and an addition each;
    // the steps + 1 nodes at expiry need a subtraction and a multiplication each.
    workload_.flop_per_item = 1.5 * n * (n + 1.0) + 2.0 * (n + 1.0);
    set_problem("options", {{"steps", n}});
  }

  CpuProgram make_cpu_program() const override {
    return [steps = steps_](const StagedBlock& block, std::size_t first, std::size_t items) {
      price_on_lattice(option_columns(block), first, items, option_rate, steps);
    };
  }

  Verification verify() const override {
    return check_lattice_prices({column(0), column(1), column(2), column(3), column(4)}, count(),
                                option_rate, steps_);
  }

 private:
  void make_inputs(std::uint64_t seed, std::span<Buffer> inputs) const override {
    make_options(seed, inputs);
  }

  std::size_t steps_;
};

}  // namespace

std::unique_ptr<Kernel> make_binomial(const Parameters& parameters) {
  return std::make_unique<Binomial>(parameters);
}

}  // namespace equipoise
