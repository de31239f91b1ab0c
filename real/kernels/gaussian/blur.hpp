// Blurs rows of an image by a square filter, and checks a blurred image in a fraction of the time.
#pragma once

#include <cstddef>
#include <vector>

#include "real/kernels/kernel_data.hpp"

namespace equipoise {

/// Pixels of a row that are computed at a time.
inline constexpr std::size_t blur_tile_width = 64;

/// The width of an image, and the reach of the filter on every side.
struct BlurShape {
  std::size_t width = 1;
  std::size_t radius = 1;  ///< r; the filter has 2 r + 1 rows and columns

  [[nodiscard]] std::size_t taps() const { return 2 * radius + 1; }
  /// Doubles from one row of the input to the next: r pixels before the image's row, and after it r
  /// pixels and those that vectors read too much.
  [[nodiscard]] std::size_t stride() const {
    return (width + blur_tile_width - 1) / blur_tile_width * blur_tile_width + 2 * radius;
  }
};

/// The weights of a Gaussian filter (2 r + 1, 2 r + 1) with standard deviation r / 3, cut off at
/// three standard deviations. They add up to 1.
[[nodiscard]] std::vector<double> gaussian_weights(std::size_t radius);

/// Computes `rows` rows of the two-dimensional convolution with `weights` (2 r + 1, 2 r + 1)
///
///     out[y][x] = sum_(k,l = 0 .. 2r) weights[k][l] in[y + k][x + l]
///
/// Input `in` is (rows + 2 r, stride), and its rows begin r pixels before the image's own; `out` is
/// (rows, width). Terms are added in the order of k, then l, so the bits are the same on every CPU
/// and for every division of the rows. Four rows are computed together, so that every loaded pixel
/// is used four times. O(rows width r^2).
void blur(const BlurShape& shape, const double* weights, const double* in, std::size_t rows,
          double* out);

/// An image and its blurred version: (height, width) each, row by row in memory. No pixel of the
/// image is negative.
struct BlurredImage {
  const double* in;
  std::size_t in_stride;  ///< from one row of `in` to the next
  const double* out;
  std::size_t width = 1;
  std::size_t height = 1;
  std::size_t radius = 1;
};

/// Checks every pixel against two one-dimensional blurs, along the columns and then along the row.
/// This is possible because a Gaussian is a product, and needs 4 (2r + 1) operations a pixel
/// instead of 2 (2r + 1)^2. Also checks the corners and up to 64 other pixels against the
/// two-dimensional sum in long double. Beyond the edges, the image continues with its outermost
/// pixels. The tolerance is the rounding bound for a sum of non-negative terms, u (2r + 1)^2
/// relative to the sum. A row that was never computed holds NaNs and fails.
///
/// Source of the bound: Higham, Accuracy and Stability (2002), section 4.2.
[[nodiscard]] Verification check_blur(const BlurredImage& image);

}  // namespace equipoise
