// The loop of the convolution: tiles of four rows and sixteen pixels, whose sums stay in registers.
#include "real/kernels/blur.hpp"

#include <algorithm>
#include <cmath>

#include "real/kernels/lanes.hpp"
#include "real/kernels/vectors.hpp"

namespace equipoise {
namespace {

constexpr std::size_t tile_rows = 4;
constexpr std::size_t tile_lanes = 2;
constexpr std::size_t tile_width = tile_lanes * lane_count;

/// Computes `rows` rows of a tile; `in` is its upper left corner in the input.
template <std::size_t rows>
[[gnu::always_inline]] inline void blur_tile(const BlurShape& shape, const double* weights,
                                             const double* in, double (&out)[rows][tile_width]) {
  const std::size_t taps = shape.taps();
  const std::size_t stride = shape.stride();
  Lanes sums[rows][tile_lanes] = {};
  for (std::size_t k = 0; k < taps + rows - 1; ++k) {
    const double* const pixels = in + k * stride;
    for (std::size_t l = 0; l < taps; ++l) {
      Lanes left;
      Lanes right;
      load(pixels + l, left);
      load(pixels + l + lane_count, right);
#pragma GCC unroll 4
      for (std::size_t row = 0; row < rows; ++row) {
        if (k < row || k - row >= taps) continue;
        const double weight = weights[(k - row) * taps + l];
        sums[row][0] += weight * left;
        sums[row][1] += weight * right;
      }
    }
  }
#pragma GCC unroll 4
  for (std::size_t row = 0; row < rows; ++row) {
    store(sums[row][0], out[row]);
    store(sums[row][1], out[row] + lane_count);
  }
}

/// Computes `rows` rows of the image's whole width.
template <std::size_t rows>
[[gnu::always_inline]] inline void blur_rows(const BlurShape& shape, const double* weights,
                                             const double* in, double* out) {
  for (std::size_t x = 0; x < shape.width; x += tile_width) {
    double tile[rows][tile_width];
    blur_tile<rows>(shape, weights, in + x, tile);
    const std::size_t count = std::min(tile_width, shape.width - x);
    for (std::size_t row = 0; row < rows; ++row) {
      std::copy_n(tile[row], count, out + row * shape.width + x);
    }
  }
}

/// What `blur` says.
[[gnu::always_inline]] inline void blur_all(BlurShape shape, const double* weights,
                                            const double* in, std::size_t rows, double* out) {
  std::size_t y = 0;
  for (; y + tile_rows <= rows; y += tile_rows) {
    blur_rows<tile_rows>(shape, weights, in + y * shape.stride(), out + y * shape.width);
  }
  for (; y < rows; ++y) {
    blur_rows<1>(shape, weights, in + y * shape.stride(), out + y * shape.width);
  }
}

}  // namespace

std::vector<double> gaussian_weights(std::size_t radius) {
  const std::size_t taps = 2 * radius + 1;
  const double deviation = static_cast<double>(radius) / 3.0;
  std::vector<double> weights(taps * taps);
  double sum = 0.0;
  for (std::size_t k = 0; k < taps; ++k) {
    for (std::size_t l = 0; l < taps; ++l) {
      const double dy = static_cast<double>(k) - static_cast<double>(radius);
      const double dx = static_cast<double>(l) - static_cast<double>(radius);
      const double weight = std::exp(-(dx * dx + dy * dy) / (2.0 * deviation * deviation));
      weights[k * taps + l] = weight;
      sum += weight;
    }
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

void blur(const BlurShape& shape, const double* weights, const double* in, std::size_t rows,
          double* out) {
  with_widest_vectors<blur_all>(shape, weights, in, rows, out);
}

}  // namespace equipoise
