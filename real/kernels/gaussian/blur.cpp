// The loop of the convolution, written so that the compiler can vectorise it: tiles of four rows,
// and four input pixels each time that a tile's sums are loaded.
#include "real/kernels/gaussian/blur.hpp"

#include <algorithm>
#include <cmath>

#include "real/kernels/vectors.hpp"

namespace equipoise {
namespace {

constexpr std::size_t tile_rows = 4;
constexpr std::size_t tile_width = blur_tile_width;
constexpr std::size_t unrolled = 4;

/// The sums of one row of a tile's pixels; they stay in the first-level cache between the loops
/// below.
using TileRow = double[tile_width];

/// Adds `steps` neighbouring pixels to each pixel of `rows` rows. `weights` are those of the last
/// row. The row above uses weights one filter row further on, because it sees the same pixels from
/// one row higher.
template <std::size_t rows, std::size_t steps>
[[gnu::always_inline]] inline void add_pixels(const double* pixels, const double* weights,
                                              std::size_t taps, TileRow* sums) {
  for (std::size_t x = 0; x < tile_width; ++x) {
    double sum[rows];
#pragma GCC unroll 4
    for (std::size_t row = 0; row < rows; ++row) sum[row] = sums[row][x];
#pragma GCC unroll 4
    for (std::size_t l = 0; l < steps; ++l) {
#pragma GCC unroll 4
      for (std::size_t row = 0; row < rows; ++row) {
        sum[row] += weights[(rows - 1 - row) * taps + l] * pixels[l + x];
      }
    }
#pragma GCC unroll 4
    for (std::size_t row = 0; row < rows; ++row) sums[row][x] = sum[row];
  }
}

/// Does the same for all pixels of an input row that the filter covers.
template <std::size_t rows>
[[gnu::always_inline]] inline void add_row(const double* pixels, const double* weights,
                                           std::size_t taps, TileRow* sums) {
  std::size_t l = 0;
  for (; l + unrolled <= taps; l += unrolled) {
    add_pixels<rows, unrolled>(pixels + l, weights + l, taps, sums);
  }
  for (; l < taps; ++l) add_pixels<rows, 1>(pixels + l, weights + l, taps, sums);
}

/// Computes `rows` rows of a tile; `in` points to the tile's upper left corner in the input.
template <std::size_t rows>
[[gnu::always_inline]] inline void blur_tile(const BlurShape& shape, const double* weights,
                                             const double* in, TileRow (&sums)[rows]) {
  const std::size_t taps = shape.taps();
  for (std::size_t k = 0; k < taps + rows - 1; ++k) {
    const double* const pixels = in + k * shape.stride();
    if (k + 1 >= rows && k < taps) {
      add_row<rows>(pixels, weights + (k + 1 - rows) * taps, taps, sums);
      continue;
    }
    for (std::size_t row = 0; row < rows; ++row) {  // at the top and bottom, the input row reaches
                                                    // only some rows
      if (k < row || k - row >= taps) continue;
      add_row<1>(pixels, weights + (k - row) * taps, taps, sums + row);
    }
  }
}

/// Computes `rows` rows over the whole width of the image.
template <std::size_t rows>
[[gnu::always_inline]] inline void blur_rows(const BlurShape& shape, const double* weights,
                                             const double* in, double* out) {
  for (std::size_t x = 0; x < shape.width; x += tile_width) {
    TileRow tile[rows] = {};
    blur_tile<rows>(shape, weights, in + x, tile);
    const std::size_t count = std::min(tile_width, shape.width - x);
    for (std::size_t row = 0; row < rows; ++row) {
      std::copy_n(tile[row], count, out + row * shape.width + x);
    }
  }
}

/// The body of `blur`.
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
