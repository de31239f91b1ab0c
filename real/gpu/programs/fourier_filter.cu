// The filter between a Fourier transform and its inverse on GPUs.
//
// Bound by reading and writing the arrays once. A thread computes the symbol of one number and
// multiplies that number in all arrays by it.
#include "real/gpu/device_code.hpp"
#include "real/gpu/programs.hpp"

namespace equipoise {
namespace {

constexpr unsigned block_threads = 256;
constexpr std::size_t blocks_max = std::size_t{1} << 20;

/// A complex number, which one access reads or writes.
struct alignas(2 * sizeof(double)) Complex {
  double real;
  double imaginary;
};

/// An eigenvalue of second differences on a circle of `count` points.
__device__ double symbol(std::size_t k, std::size_t count) {
  const double sine = sinpi(static_cast<double>(k) / static_cast<double>(count));
  return -4.0 * sine * sine;
}

__global__ void filter(std::size_t rows, std::size_t columns, Complex* transforms,
                       std::size_t count) {
  const std::size_t points = rows * columns;
  const double scale = 1.0 / static_cast<double>(points);
  for (std::size_t i = std::size_t{blockIdx.x} * block_threads + threadIdx.x; i < points;
       i += std::size_t{gridDim.x} * block_threads) {
    const double factor = (symbol(i / columns, rows) + symbol(i % columns, columns)) * scale;
    for (std::size_t t = 0; t < count; ++t) {
      const Complex number = transforms[t * points + i];
      transforms[t * points + i] = {number.real * factor, number.imaginary * factor};
    }
  }
}

}  // namespace

std::size_t fft2d_cache_bytes() { return second_level_cache_bytes(); }

void load_fourier_filter() { load_code(filter); }

void launch_fourier_filter(const Stream& stream, const FourierShape& shape, double* transforms,
                           std::size_t count) {
  const std::size_t blocks = (shape.points() + block_threads - 1) / block_threads;
  launch(filter, {static_cast<unsigned>(blocks < blocks_max ? blocks : blocks_max)},
         {block_threads}, 0, stream, shape.rows, shape.columns,
         reinterpret_cast<Complex*>(transforms), count);
}

}  // namespace equipoise
