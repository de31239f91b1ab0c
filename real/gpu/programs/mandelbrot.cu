// Escape times of the Mandelbrot set: bound by arithmetic, six operations a step. A thread follows
// one pixel, neighbours those beside it, which mostly escape about as late.
#include "real/gpu/programs.hpp"

#include <cmath>
#include <cstddef>

#include "real/gpu/device_code.hpp"
#include "real/kernels/mandelbrot/escape_time.hpp"

namespace equipoise {
namespace {

constexpr unsigned block_threads = 128;
constexpr unsigned stride = 8;  ///< steps between two tests whether the pixel is left

/// A point of an orbit.
struct Place {
  double x;
  double y;
};

/// The next point of the orbit of `c`. The product doubled exactly rounds as (x + x) * y does.
__device__ Place after(Place z, Place c) {
  return {(z.x * z.x - z.y * z.y) + c.x, std::fma(2.0, z.x * z.y, c.y)};
}

__device__ bool is_inside(Place z) { return z.x * z.x + z.y * z.y <= 4.0; }

/// Counts the steps of the orbit of `c`. A point that has left the circle never comes back, so it
/// is enough to look at every `stride`-th point until one is outside.
__device__ unsigned steps_of(Place c, unsigned max_iterations) {
  Place z = c;
  unsigned done = 0;
  for (; done + stride <= max_iterations; done += stride) {
    Place last = z;
    for (unsigned k = 1; k < stride; ++k) last = after(last, c);
    if (!is_inside(last)) break;  // also if it has overflowed
    z = after(last, c);
  }
  for (; done < max_iterations && is_inside(z); ++done) z = after(z, c);
  return done;
}

__global__ void count_pixel(EscapeImage image, const double* imaginary, double* counts,
                            Items pixels) {
  const Items pixel = static_cast<Items>(blockIdx.x) * block_threads + threadIdx.x;
  if (pixel >= pixels) return;
  const Place c = {image.real(pixel % image.width), imaginary[pixel / image.width]};
  counts[pixel] = steps_of(c, static_cast<unsigned>(image.max_iterations));
}

}  // namespace

GpuProgram gpu_mandelbrot(const KernelParameters& parameters) {
  const auto parameter = [&](const char* name) {
    return static_cast<Items>(whole(parameters, name));
  };
  const EscapeImage image{.width = parameter("width"),
                          .height = parameter("height"),
                          .max_iterations = parameter("max_iterations")};
  return {[] { load_code(count_pixel); },
          [image](const Stream& stream, const StagedBlock& block) {
            const Items pixels = block.items * image.width;
            const unsigned blocks = blocks_for(static_cast<std::size_t>(pixels), block_threads);
            launch(count_pixel, {blocks}, {block_threads}, 0, stream, image, block.input<double>(0),
                   block.result<double>(0), pixels);
          }};
}

}  // namespace equipoise
