// The loop that counts steps, written so that the compiler can vectorise it: four steps of every
// pixel without a branch, then a test whether any pixel is left.
#include "real/kernels/mandelbrot/escape_time.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "real/kernels/vectors.hpp"

namespace equipoise {
namespace {

constexpr std::size_t together = 32;  ///< pixels; enough independent chains to fill the pipelines
constexpr Items stride = 4;           ///< steps between two tests for pixels that are left

/// The pixels being computed. An escaped pixel goes on to infinity or NaN, and its steps are no
/// longer counted.
struct Pixels {
  double c[together];
  double x[together];
  double y[together];
  double count[together];
};

/// Advances all pixels by `steps` steps. Returns whether any pixel has counted every step up to
/// `done`.
template <Items steps>
[[gnu::always_inline]] inline bool go_on(Pixels& pixels, double imaginary, double done) {
  std::int64_t left = 0;
  for (std::size_t i = 0; i < together; ++i) {
    double x = pixels.x[i];
    double y = pixels.y[i];
    double count = pixels.count[i];
    const double c = pixels.c[i];
#pragma GCC unroll 4
    for (Items k = 0; k < steps; ++k) {
      const double x2 = x * x;
      const double y2 = y * y;
      count += x2 + y2 <= 4.0 ? 1.0 : 0.0;
      y = (x + x) * y + imaginary;
      x = (x2 - y2) + c;
    }
    pixels.x[i] = x;
    pixels.y[i] = y;
    pixels.count[i] = count;
    left |= count == done ? 1 : 0;
  }
  return left != 0;
}

/// The body of `count_steps`.
[[gnu::always_inline]] inline void count_row(EscapeImage image, double imaginary, double* counts) {
  Pixels pixels;
  for (Items first = 0; first < image.width; first += static_cast<Items>(together)) {
    for (std::size_t i = 0; i < together; ++i) {
      const double c = image.real(first + static_cast<Items>(i));
      pixels.c[i] = c;
      pixels.x[i] = c;
      pixels.y[i] = imaginary;
      pixels.count[i] = 0.0;
    }
    bool any_left = true;
    Items done = 0;
    for (; any_left && done + stride <= image.max_iterations; done += stride) {
      any_left = go_on<stride>(pixels, imaginary, static_cast<double>(done + stride));
    }
    for (; any_left && done < image.max_iterations; ++done) {
      any_left = go_on<1>(pixels, imaginary, static_cast<double>(done + 1));
    }
    std::copy_n(pixels.count, std::min(static_cast<Items>(together), image.width - first),
                counts + first);
  }
}

}  // namespace

void count_steps(const EscapeImage& image, double imaginary, double* counts) {
  with_widest_vectors<count_row>(image, imaginary, counts);
}

double mean_steps(Items max_iterations) {
  const auto most = static_cast<double>(max_iterations);
  return std::min(most, 1.50659 / 9.0 * most + 1.27 + 0.44 * std::log(most));
}

}  // namespace equipoise
