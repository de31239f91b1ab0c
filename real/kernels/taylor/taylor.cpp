// The Taylor series of a function of two variables at many points: only multiplications and
// additions.
//
// The function is f(x, y) = ln sqrt((1 + x)^2 + y^2). Its series about (0, 0) converges so slowly
// that a thousand terms make sense. One item is one point: x and y are copied to the unit, the
// value is copied back. Each unit computes the coefficients itself.
//
// Source: the energy paper (Euro-Par 2017) computes "a bidimensional Taylor approximation for a set
// of points", a mesh of 1000 by 1000. It states neither the function nor the number of terms. Our
// points are random.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "real/kernels/catalog.hpp"
#include "real/kernels/columns.hpp"
#include "real/kernels/seeded.hpp"
#include "real/kernels/taylor/taylor_series.hpp"

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

namespace {

/// Points lie in the square from -half_width to half_width, at most 0.95 from its centre.
constexpr double half_width = 0.67;

class Taylor final : public ColumnKernel {
 public:
  explicit Taylor(const Parameters& parameters)
      : ColumnKernel("taylor", "point", parameters.items("points", 0), parameters, 2, 1),
        terms_(static_cast<std::size_t>(parameters.items("terms", 1, 1'000'000))) {
    const auto terms = static_cast<double>(terms_);
    // Two multiplications and two additions per term, and 9 operations before and after them.
    workload_.flop_per_item = 4.0 * terms + 9.0;
    set_problem("points", {{"terms", terms}});
  }

  CpuProgram make_cpu_program() const override {
    return [coefficients = logarithm_series(terms_)](const StagedBlock& block, std::size_t first,
                                                     std::size_t items) {
      evaluate_series(block.input<double>(0), block.input<double>(1), block.result<double>(0),
                      first, items, coefficients);
    };
  }

  Verification verify() const override {
    return check_series({column(0), count()}, {column(1), count()}, {column(2), count()}, terms_);
  }

 private:
  void make_inputs(std::uint64_t seed, std::span<Buffer> inputs) const override {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      std::uint64_t position = std::uint64_t{i} << 60;
      for (double& value : inputs[i].span()) {
        value = seeded_number(seed, position++, -half_width, half_width);
      }
    }
  }

  std::size_t terms_;
};

}  // namespace

std::unique_ptr<Kernel> make_taylor(const Parameters& parameters) {
  return std::make_unique<Taylor>(parameters);
}

}  // namespace equipoise
