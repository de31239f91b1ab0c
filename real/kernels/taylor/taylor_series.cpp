// The loop of Taylor series, written so that the compiler can vectorise it: a tile of points, and
// four terms each time that the points' sums are loaded.
#include "real/kernels/taylor/taylor_series.hpp"

#include <algorithm>

#include "real/kernels/vectors.hpp"

namespace equipoise {
namespace {

constexpr std::size_t points_at_once = 64;
constexpr std::size_t unrolled = 4;
/// A tile is divided into `parts` parts. Every pass of the inner loop takes one point from each
/// part, so that no point waits for the last term of another.
constexpr std::size_t parts = 4;
constexpr std::size_t part_points = points_at_once / parts;

/// The points that are computed at a time.
struct Points {
  const double* x;
  const double* y;
  double* value;
};

/// The coefficients p and q of the recurrence for these points, and its last two values.
struct Recurrence {
  double p[points_at_once];
  double q[points_at_once];
  double latest[points_at_once];
  double before[points_at_once];
};

/// Runs the recurrence down by `steps` terms to the first of `coefficients`; starts from zeros if
/// `begin`.
template <std::size_t steps, bool begin>
[[gnu::always_inline]] inline void go_down(const double* coefficients, Recurrence& at) {
  for (std::size_t i = 0; i < part_points; ++i) {
    double latest[parts];
    double before[parts];
#pragma GCC unroll 4
    for (std::size_t part = 0; part < parts; ++part) {
      latest[part] = begin ? 0.0 : at.latest[part * part_points + i];
      before[part] = begin ? 0.0 : at.before[part * part_points + i];
    }
#pragma GCC unroll 4
    for (std::size_t k = steps; k > 0; --k) {
#pragma GCC unroll 4
      for (std::size_t part = 0; part < parts; ++part) {
        const double p = at.p[part * part_points + i];
        const double q = at.q[part * part_points + i];
        const double next = (coefficients[k - 1] + q * before[part]) + p * latest[part];
        before[part] = latest[part];
        latest[part] = next;
      }
    }
#pragma GCC unroll 4
    for (std::size_t part = 0; part < parts; ++part) {
      at.latest[part * part_points + i] = latest[part];
      at.before[part * part_points + i] = before[part];
    }
  }
}

[[gnu::always_inline]] inline void evaluate(const Points& points, const double* coefficients,
                                            std::size_t terms) {
  Recurrence at;
  for (std::size_t i = 0; i < points_at_once; ++i) {
    const double x = points.x[i];
    const double y = points.y[i];
    at.p[i] = 2.0 * x;
    at.q[i] = -(x * x + y * y);
  }
  std::size_t k = terms;
  if (k >= unrolled) {
    k -= unrolled;
    go_down<unrolled, true>(coefficients + k, at);
  } else {
    go_down<1, true>(coefficients + --k, at);
  }
  for (; k >= unrolled; k -= unrolled) go_down<unrolled, false>(coefficients + k - unrolled, at);
  for (; k > 0; --k) go_down<1, false>(coefficients + k - 1, at);
  for (std::size_t i = 0; i < points_at_once; ++i) {
    points.value[i] = 0.5 * at.p[i] * at.latest[i] + at.q[i] * at.before[i];
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
  for (std::size_t k = 1; k <= terms; ++k) coefficients[k - 1] = logarithm_coefficient(k);
  return coefficients;
}

void evaluate_series(const double* x, const double* y, double* value, std::size_t first,
                     std::size_t count, std::span<const double> coefficients) {
  with_widest_vectors<evaluate_all>(Points{x + first, y + first, value + first}, count,
                                    coefficients.data(), coefficients.size());
}

}  // namespace equipoise
