// Taylor series: bound by arithmetic, two fused operations a term and point. A thread has up to
// eight points in registers. A block of threads computes coefficients into shared memory, one each.
//
// An operation on three numbers of registers takes longer to read them than to multiply and add,
// unless the one before it reads one of the same. Many points, and two operations on the same sum,
// let the compiler find such neighbours.
#include "real/gpu/programs.hpp"

#include <cstddef>

#include "real/gpu/device_code.hpp"
#include "real/kernels/taylor/taylor_series.hpp"

namespace equipoise {
namespace {

constexpr unsigned block_threads = 128;
// Points of a thread.
constexpr unsigned few_points = 2;
constexpr unsigned many_points = 8;
/// So many points occupy all processors of a large GPU, even if each thread has many.
constexpr std::size_t enough = std::size_t{1} << 17;

/// The recurrence at a point (see `evaluate_series`).
struct Recurrence {
  double p = 0.0;
  double q = 0.0;
  double latest = 0.0;
  double partial = 0.0;  ///< the next sum but for p times the latest one

  /// `coefficient` is that of the sum after the next.
  __device__ void go_down(double coefficient) {
    const double next = partial + p * latest;
    partial = coefficient + q * latest;
    latest = next;
  }
};

template <unsigned thread_points>
__global__ void sum_series(const double* x, const double* y, double* value, std::size_t count,
                           std::size_t terms) {
  __shared__ double coefficients[block_threads];
  const std::size_t first = std::size_t{blockIdx.x} * (block_threads * thread_points) + threadIdx.x;
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
#pragma unroll 2
    for (unsigned k = present; k > 0; --k) {
      const double coefficient = coefficients[k - 1];
#pragma unroll
      for (Recurrence& at : points) at.go_down(coefficient);
    }
  }
#pragma unroll
  for (unsigned i = 0; i < thread_points; ++i) {
    const std::size_t point = first + i * block_threads;
    if (point >= count) continue;
    const Recurrence& at = points[i];
    value[point] = 0.5 * at.p * (at.partial + at.p * at.latest) + at.q * at.latest;
  }
}

}  // namespace

GpuProgram gpu_taylor(const KernelParameters& parameters) {
  return {[] { load_code(sum_series<few_points>, sum_series<many_points>); },
          [terms = whole(parameters, "terms")](const Stream& stream, const StagedBlock& block) {
            const std::size_t count = items_of(block);
            const unsigned points = count < enough ? few_points : many_points;
            const unsigned blocks = blocks_for(count, std::size_t{block_threads} * points);
            launch(count < enough ? sum_series<few_points> : sum_series<many_points>, {blocks},
                   {block_threads}, 0, stream, block.input<double>(0), block.input<double>(1),
                   block.result<double>(0), count, terms);
          }};
}

}  // namespace equipoise
