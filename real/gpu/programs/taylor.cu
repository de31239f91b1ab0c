// Taylor series: bound by arithmetic, two fused operations a term and point. A thread has two
// points in registers. A block of threads computes coefficients into shared memory, one each.
#include "real/gpu/programs/taylor.hpp"

#include <cstddef>

#include "real/gpu/device_code.hpp"
#include "real/gpu/programs/grid.hpp"

namespace equipoise {
namespace {

constexpr unsigned block_threads = 128;
constexpr unsigned thread_points = 2;
constexpr unsigned block_points = block_threads * thread_points;

/// The recurrence at a point (see `evaluate_series`).
struct Recurrence {
  double p = 0.0;
  double q = 0.0;
  double latest = 0.0;
  double before = 0.0;
};

__global__ void sum_series(const double* x, const double* y, double* value, std::size_t count,
                           std::size_t terms) {
  __shared__ double coefficients[block_threads];
  const std::size_t first = std::size_t{blockIdx.x} * block_points + threadIdx.x;
  Recurrence points[thread_points];
  for (unsigned i = 0; i < thread_points; ++i) {
    const std::size_t point = first + i * block_threads;
    if (point >= count) continue;
    points[i].p = 2.0 * x[point];
    points[i].q = -(x[point] * x[point] + y[point] * y[point]);
  }
  for (std::size_t left = terms; left > 0;) {
    const auto present = static_cast<unsigned>((left - 1) % block_threads + 1);
    left -= present;
    __syncthreads();
    if (threadIdx.x < present) {
      coefficients[threadIdx.x] = logarithm_coefficient(left + threadIdx.x + 1);
    }
    __syncthreads();
    for (unsigned k = present; k > 0; --k) {
      const double coefficient = coefficients[k - 1];
      for (Recurrence& at : points) {
        const double next = (coefficient + at.q * at.before) + at.p * at.latest;
        at.before = at.latest;
        at.latest = next;
      }
    }
  }
  for (unsigned i = 0; i < thread_points; ++i) {
    const std::size_t point = first + i * block_threads;
    if (point >= count) continue;
    value[point] = 0.5 * points[i].p * points[i].latest + points[i].q * points[i].before;
  }
}

}  // namespace

void load_taylor() { load_code(sum_series); }

void launch_taylor(const Stream& stream, const double* x, const double* y, double* value,
                   std::size_t count, std::size_t terms) {
  launch(sum_series, {blocks_for(count, block_points)}, {block_threads}, 0, stream, x, y, value,
         count, terms);
}

}  // namespace equipoise
