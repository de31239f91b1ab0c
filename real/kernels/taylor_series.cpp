// The loop of Taylor series: several vectors of points at once, so that none waits for the last
// term of another.
#include "real/kernels/taylor_series.hpp"

#include <algorithm>

#include "real/kernels/lanes.hpp"
#include "real/kernels/vectors.hpp"

namespace equipoise {
namespace {

/// Vectors of points that are computed together.
constexpr std::size_t rows = 8;
constexpr std::size_t points_at_once = rows * lane_count;

/// As many points as are computed at once.
struct Points {
  const double* x;
  const double* y;
  double* value;
};

[[gnu::always_inline]] inline void evaluate(const Points& points, const double* coefficients,
                                            std::size_t terms) {
  Lanes p[rows];
  Lanes q[rows];
  Lanes latest[rows];
  Lanes before[rows];
  for (std::size_t r = 0; r < rows; ++r) {
    Lanes x;
    Lanes y;
    load(points.x + r * lane_count, x);
    load(points.y + r * lane_count, y);
    p[r] = 2.0 * x;
    q[r] = -(x * x + y * y);
    latest[r] = Lanes{};
    before[r] = Lanes{};
  }
  for (std::size_t k = terms; k > 0; --k) {
    const double coefficient = coefficients[k - 1];
    for (std::size_t r = 0; r < rows; ++r) {
      const Lanes next = (coefficient + q[r] * before[r]) + p[r] * latest[r];
      before[r] = latest[r];
      latest[r] = next;
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    store(0.5 * p[r] * latest[r] + q[r] * before[r], points.value + r * lane_count);
  }
}

[[gnu::always_inline]] inline void evaluate_all(Points points, std::size_t count,
                                                const double* coefficients, std::size_t terms) {
  std::size_t i = 0;
  for (; i + points_at_once <= count; i += points_at_once) {
    evaluate({points.x + i, points.y + i, points.value + i}, coefficients, terms);
  }
  if (i == count) return;
  double x[points_at_once] = {};
  double y[points_at_once] = {};
  double value[points_at_once];
  std::copy_n(points.x + i, count - i, x);
  std::copy_n(points.y + i, count - i, y);
  evaluate({x, y, value}, coefficients, terms);
  std::copy_n(value, count - i, points.value + i);
}

}  // namespace

std::vector<double> logarithm_series(std::size_t terms) {
  std::vector<double> coefficients(terms);
  double sign = 1.0;
  for (std::size_t k = 1; k <= terms; ++k, sign = -sign) {
    coefficients[k - 1] = sign / static_cast<double>(k);
  }
  return coefficients;
}

void evaluate_series(const double* x, const double* y, double* value, std::size_t first,
                     std::size_t count, std::span<const double> coefficients) {
  with_widest_vectors<evaluate_all>(Points{x + first, y + first, value + first}, count,
                                    coefficients.data(), coefficients.size());
}

}  // namespace equipoise
