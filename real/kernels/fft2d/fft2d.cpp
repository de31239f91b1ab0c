// Batches of 2-D Fourier transforms. Every item is one independent array, and the output is as
// large as the input.
//
// Source: the workload of the hierarchical scheduling paper (Ilic, Sousa), 1024 transforms of 512 x
// 512 complex doubles, forward and inverse, divided among units transform by transform. The arrays
// of a block are copied to the unit, and arrays of the same size back. See
// real/kernels/fft2d/fourier_transform.hpp for the computation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <numbers>
#include <vector>

#include "real/kernels/buffer.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/fft2d/fourier_transform.hpp"
#include "real/kernels/seeded.hpp"

namespace equipoise {
namespace {

using Number = std::complex<double>;
using Exact = std::complex<long double>;

constexpr std::size_t definitions_max = 64;
constexpr std::size_t arrays_for_each = 8;  ///< one number takes about as long to check as one
                                            ///< transform
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// The largest rounding error of a transform, relative to its norm. The theorem's bound for radix 2
/// has a factor of about 7 for each of log2(R C) levels; other radices are slightly worse.
double transform_error(const FourierShape& shape) {
  return 10.0 * epsilon * (2.0 + std::log2(static_cast<double>(shape.points())));
}

Number number(const double* pairs, std::size_t i) { return {pairs[2 * i], pairs[2 * i + 1]}; }

double squares(const double* pairs, std::size_t points) {
  double sum = 0.0;
  double row = 0.0;
  for (std::size_t i = 0; i < 2 * points; ++i) {
    row += pairs[i] * pairs[i];
    if (i % 256 != 255) continue;
    sum += row;
    row = 0.0;
  }
  return sum + row;
}

/// e^(-2 pi i k / n) for k = 0 .. n-1.
std::vector<Exact> roots_of_one(std::size_t n) {
  std::vector<Exact> roots(n);
  for (std::size_t k = 0; k < n; ++k) {
    roots[k] = std::polar(1.0L, -2.0L * std::numbers::pi_v<long double> *
                                    static_cast<long double>(k) / static_cast<long double>(n));
  }
  return roots;
}

/// Weights e^(i t k) along one axis for a random angle t, and their transform, which is a geometric
/// series.
struct Weights {
  std::vector<Number> weight;
  std::vector<Number> transform;

  Weights(std::uint64_t seed, const std::vector<Exact>& roots)
      : weight(roots.size()), transform(roots.size()) {
    const std::size_t n = roots.size();
    const long double angle = seeded_number(seed, n, 1.0, 2.0);
    for (std::size_t k = 0; k < n; ++k) {
      weight[k] = Number(std::polar(1.0L, angle * static_cast<long double>(k)));
    }
    const Exact ratio = std::polar(1.0L, angle);
    const Exact above = 1.0L - std::polar(1.0L, angle * static_cast<long double>(n));
    for (std::size_t m = 0; m < n; ++m) transform[m] = Number(above / (1.0L - ratio * roots[m]));
  }
};

/// sum_mn a[m] b[n] x[m][n]
Number weighted_sum(const double* pairs, const std::vector<Number>& a,
                    const std::vector<Number>& b) {
  Number sum = 0.0;
  for (std::size_t m = 0; m < a.size(); ++m) {
    Number row = 0.0;
    for (std::size_t n = 0; n < b.size(); ++n) row += b[n] * number(pairs, m * b.size() + n);
    sum += a[m] * row;
  }
  return sum;
}

/// The checks of forward transforms.
class ForwardCheck {
 public:
  explicit ForwardCheck(const FourierShape& shape)
      : shape_(shape),
        row_roots_(roots_of_one(shape.rows)),
        column_roots_(roots_of_one(shape.columns)),
        rows_(1, row_roots_),
        columns_(2, column_roots_) {}

  /// A description of the error in array `item`, or empty if none.
  [[nodiscard]] std::string fault(const double* in, const double* out, std::size_t item) const {
    const auto points = static_cast<double>(shape_.points());
    const double expected = points * squares(in, shape_.points());
    const double claimed = squares(out, shape_.points());
    const double adding = static_cast<double>(shape_.rows + shape_.columns + 512) * epsilon;
    const double relative = transform_error(shape_) + adding;
    if (!(std::abs(claimed - expected) <= 2.0 * relative * expected)) {
      return fmt::format("transform {}: its squares add up to {:.17g}, not {:.17g}", item, claimed,
                         expected);
    }
    const Number sum = weighted_sum(out, rows_.weight, columns_.weight);
    const Number same = weighted_sum(in, rows_.transform, columns_.transform);
    if (!(std::abs(sum - same) <= 2.0 * relative * std::sqrt(points * expected))) {
      return fmt::format(
          "transform {}: its weighted sum is {:.17g} {:+.17g} i, not {:.17g} {:+.17g} i", item,
          sum.real(), sum.imag(), same.real(), same.imag());
    }
    return {};
  }

  /// A description of the error in X[k][l] of array `item`, or empty if none.
  [[nodiscard]] std::string fault_by_definition(const double* in, const double* out,
                                                std::size_t item, std::size_t k,
                                                std::size_t l) const {
    Exact sum = 0.0L;
    for (std::size_t m = 0; m < shape_.rows; ++m) {
      Exact row = 0.0L;
      for (std::size_t n = 0, root = 0; n < shape_.columns; ++n) {
        row += Exact(number(in, m * shape_.columns + n)) * column_roots_[root];
        root = (root + l) % shape_.columns;
      }
      sum += row * row_roots_[k * m % shape_.rows];
    }
    const auto points = static_cast<double>(shape_.points());
    const double allowed =
        transform_error(shape_) * std::sqrt(points * squares(in, shape_.points()));
    const Number expected(sum);
    const Number claimed = number(out, k * shape_.columns + l);
    if (std::abs(claimed - expected) <= allowed) return {};
    return fmt::format(
        "transform {}: number ({}, {}) is {:.17g} {:+.17g} i, not {:.17g} {:+.17g} i", item, k, l,
        claimed.real(), claimed.imag(), expected.real(), expected.imag());
  }

 private:
  FourierShape shape_;
  std::vector<Exact> row_roots_;
  std::vector<Exact> column_roots_;
  Weights rows_;
  Weights columns_;
};

/// A description of the error in the filtered array `item`, or empty if none.
std::string fault_of_filtered(const double* in, const double* out, std::size_t item,
                              const FourierShape& shape) {
  const std::size_t rows = shape.rows;
  const std::size_t columns = shape.columns;
  double error = 0.0;
  double worst = -1.0;
  std::size_t where = 0;
  for (std::size_t m = 0; m < rows; ++m) {
    const double* const here = in + 2 * m * columns;
    const double* const above = in + 2 * ((m + rows - 1) % rows) * columns;
    const double* const below = in + 2 * ((m + 1) % rows) * columns;
    for (std::size_t n = 0; n < columns; ++n) {
      const Number left = number(here, n == 0 ? columns - 1 : n - 1);
      const Number right = number(here, n + 1 == columns ? 0 : n + 1);
      const Number expected =
          number(above, n) + number(below, n) + left + right - 4.0 * number(here, n);
      const double off = std::norm(number(out, m * columns + n) - expected);
      error += off;
      if (off <= worst || std::isnan(worst)) continue;
      worst = off;
      where = m * columns + n;
    }
  }
  // The filter's largest eigenvalue has the magnitude 8, and the data passes two transforms.
  const double allowed = 2.0 * 8.0 * transform_error(shape);
  if (error <= allowed * allowed * squares(in, shape.points())) return {};
  return fmt::format("transform {}: number ({}, {}) is off by {:.3g}", item, where / columns,
                     where % columns, std::sqrt(worst));
}

}  // namespace

Verification check_transforms(const double* in, const double* out, std::size_t count,
                              const FourierShape& shape) {
  const std::size_t stride = 2 * shape.points();
  if (shape.directions == 2) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::string fault = fault_of_filtered(in + i * stride, out + i * stride, i, shape);
      if (!fault.empty()) return {false, fault};
    }
    return {true, fmt::format("{} transforms there and back agree with finite differences", count)};
  }
  const ForwardCheck check(shape);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string fault = check.fault(in + i * stride, out + i * stride, i);
    if (!fault.empty()) return {false, fault};
  }
  const auto place = [&](std::uint64_t seed, std::size_t k, std::size_t below) {
    return static_cast<std::size_t>(seeded_number(seed, k, 0.0, static_cast<double>(below)));
  };
  const std::size_t definitions = std::min(definitions_max, 1 + count / arrays_for_each);
  for (std::size_t k = 0; k < definitions; ++k) {
    const std::size_t i = place(3, k, count);
    const std::string fault = check.fault_by_definition(
        in + i * stride, out + i * stride, i, place(4, k, shape.rows), place(5, k, shape.columns));
    if (!fault.empty()) return {false, fault};
  }
  return {true, fmt::format("{} transforms agree with Parseval's theorem and random sums; numbers "
                            "that agree with the definition: {}",
                            count, definitions)};
}

namespace {

constexpr Items side_max = Items{1} << 20;

class Fft2d final : public Kernel {
 public:
  explicit Fft2d(const Parameters& parameters)
      : Kernel("fft2d", "2-D FFT", parameters.items("transforms", 0), parameters),
        shape_{.rows = static_cast<std::size_t>(parameters.items("rows", 1, side_max)),
               .columns = static_cast<std::size_t>(parameters.items("columns", 1, side_max)),
               .directions = static_cast<int>(parameters.items("directions", 1, 2))} {
    const auto points = static_cast<double>(shape_.points());
    const double bytes = 2.0 * points * sizeof(double);
    set_bytes(bytes, bytes, 0.0,
              static_cast<double>(shape_.rows + shape_.columns) * sizeof(double));
    // Transforms are counted by the usual 5 N log2 N for each direction; the filter adds one
    // addition and two multiplications per number.
    const double one_way = 5.0 * points * std::log2(points);
    workload_.flop_per_item = shape_.directions == 1 ? one_way : 2.0 * one_way + 3.0 * points;
    set_problem("transforms", {{"rows", static_cast<double>(shape_.rows)},
                               {"columns", static_cast<double>(shape_.columns)},
                               {"directions", static_cast<double>(shape_.directions)}});
  }

  void prepare_programs() override { fourier_ = std::make_shared<const FourierTransform>(shape_); }

  void allocate(std::uint64_t seed) override {
    prepare_programs();
    const std::size_t all = numbers() * static_cast<std::size_t>(workload_.items);
    in_ = Buffer(all);
    out_ = Buffer(all);
    std::uint64_t position = 0;
    for (double& value : in_.span()) value = seeded_number(seed, position++, -1.0, 1.0);
    data_ = {{input_rows(in_.data(), numbers())},
             {result_rows(out_.data(), numbers())},
             {},
             {in_.fixed()}};
    clear_results();
  }

  void clear_results() override { fill_with_nan(out_); }

  CpuProgram make_cpu_program() const override {
    return [fourier = fourier_, numbers = numbers()](const StagedBlock& block, std::size_t first,
                                                     std::size_t items) {
      Buffer room = fourier->make_room();
      for (std::size_t i = first; i < first + items; ++i) {
        fourier->transform(block.input<double>(0) + i * numbers,
                           block.result<double>(0) + i * numbers, room);
      }
    };
  }

  Verification verify() const override {
    return check_transforms(in_.data(), out_.data(), static_cast<std::size_t>(workload_.items),
                            shape_);
  }

 private:
  /// Doubles in one array.
  [[nodiscard]] std::size_t numbers() const { return 2 * shape_.points(); }

  FourierShape shape_;
  Buffer in_;
  Buffer out_;
  std::shared_ptr<const FourierTransform> fourier_;  ///< shared with all programs
};

}  // namespace

std::unique_ptr<Kernel> make_fft2d(const Parameters& parameters) {
  return std::make_unique<Fft2d>(parameters);
}

}  // namespace equipoise
