// Option pricing by the closed formula: a kernel that streams data through memory and computes
// little for every item.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <span>

#include "real/kernels/blackscholes/option_price.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/columns.hpp"

namespace equipoise {
namespace {

constexpr std::size_t closed_forms_max = std::size_t{1} << 20;
constexpr std::size_t integrals_max = 500;
constexpr double parity_tolerance = 1e-12;
constexpr double closed_form_tolerance = 1e-12;
constexpr double integral_tolerance = 1e-8;

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double call_by_erfc(double spot, double strike, double years, double volatility, double rate) {
  const double deviation = volatility * std::sqrt(years);
  const double d1 =
      (std::log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation;
  return spot * normal_distribution(d1) -
         strike * std::exp(-rate * years) * normal_distribution(d1 - deviation);
}

/// One way of computing an expected value, applied to every `step`-th option.
struct Check {
  const char* name;
  std::size_t step;
  double tolerance;  ///< relative to spot + strike
  std::function<double(std::size_t)> claimed;
  std::function<double(std::size_t)> expected;
};

/// A description of the first error, or empty if none.
std::string fault_of(const Check& check, const PricedOptions& options, std::size_t count) {
  for (std::size_t i = 0; i < count; i += check.step) {
    const double claimed = check.claimed(i);
    const double expected = check.expected(i);
    const double allowed = check.tolerance * (options.spot[i] + options.strike[i]);
    if (std::abs(claimed - expected) <= allowed) continue;  // false for NaN
    return fmt::format("option {}: {} is {:.17g}, not {:.17g}", i, check.name, claimed, expected);
  }
  return {};
}

}  // namespace

double call_by_integration(double spot, double strike, double years, double volatility,
                           double rate) {
  const double deviation = volatility * std::sqrt(years);
  const double drift = (rate - 0.5 * volatility * volatility) * years;
  const double from = std::max((std::log(strike / spot) - drift) / deviation, -12.0);
  const double to = std::max(from, deviation) + 12.0;
  constexpr int steps = 2000;  // even
  const double width = (to - from) / steps;
  double sum = 0.0;
  for (int i = 0; i <= steps; ++i) {
    const double z = from + width * i;
    const double payoff = spot * std::exp(drift + deviation * z) - strike;
    const double weight = i == 0 || i == steps ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0);
    sum += weight * payoff * std::exp(-0.5 * z * z);
  }
  return std::exp(-rate * years) * sum * width / 3.0 / std::sqrt(2.0 * std::numbers::pi);
}

Verification check_options(const PricedOptions& options, std::size_t count, double rate) {
  const auto call = [&](std::size_t i) { return options.call[i]; };
  const auto by = [&](double (*price)(double, double, double, double, double)) {
    return [&options, rate, price](std::size_t i) {
      return price(options.spot[i], options.strike[i], options.years[i], options.volatility[i],
                   rate);
    };
  };
  const Check checks[] = {{"call - put", 1, parity_tolerance,
                           [&](std::size_t i) { return options.call[i] - options.put[i]; },
                           [&](std::size_t i) {
                             return options.spot[i] -
                                    options.strike[i] * std::exp(-rate * options.years[i]);
                           }},
                          {"the call's price", count / closed_forms_max + 1, closed_form_tolerance,
                           call, by(call_by_erfc)},
                          {"the call's price", count / integrals_max + 1, integral_tolerance, call,
                           by(call_by_integration)}};
  for (const Check& check : checks) {
    const std::string fault = fault_of(check, options, count);
    if (!fault.empty()) return {false, fault};
  }
  return {true,
          fmt::format("{} options agree with parity, the closed form and integration", count)};
}

namespace {

class Blackscholes final : public ColumnKernel {
 public:
  explicit Blackscholes(const Parameters& parameters)
      : ColumnKernel("blackscholes", "option", parameters.items("options", 0), parameters,
                     option_inputs, 2) {
    // Additions, multiplications, divisions and square roots in option_price.cpp for one option.
    workload_.flop_per_item = 205.0;
    set_problem("options", {});
  }

  CpuProgram make_cpu_program() const override {
    return [](const StagedBlock& block, std::size_t first, std::size_t items) {
      price_options(option_columns(block), first, items, option_rate);
    };
  }

  Verification verify() const override {
    return check_options({column(0), column(1), column(2), column(3), column(4), column(5)},
                         count(), option_rate);
  }

 private:
  void make_inputs(std::uint64_t seed, std::span<Buffer> inputs) const override {
    make_options(seed, inputs);
  }
};

}  // namespace

std::unique_ptr<Kernel> make_blackscholes(const Parameters& parameters) {
  return std::make_unique<Blackscholes>(parameters);
}

}  // namespace equipoise
