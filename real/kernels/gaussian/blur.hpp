// Rows of an image, blurred by a square filter.
#pragma once

#include <cstddef>
#include <vector>

namespace equipoise {

/// Pixels of a row that are computed together.
inline constexpr std::size_t blur_tile_width = 64;

/// An image's width, and how far the filter reaches to every side.
struct BlurShape {
  std::size_t width = 1;
  std::size_t radius = 1;  ///< r; the filter has 2 r + 1 rows and columns

  [[nodiscard]] std::size_t taps() const { return 2 * radius + 1; }
  /// Doubles from one row of the input to the next: r pixels before the image's own, r and what
  /// vectors read too much behind.
  [[nodiscard]] std::size_t stride() const {
    return (width + blur_tile_width - 1) / blur_tile_width * blur_tile_width + 2 * radius;
  }
};

/// The weights of a Gaussian filter (2 r + 1, 2 r + 1), of standard deviation r / 3, so that it is
/// cut off at three of them; they add up to 1.
[[nodiscard]] std::vector<double> gaussian_weights(std::size_t radius);

/// Computes `rows` rows of the two-dimensional convolution with `weights` (2 r + 1, 2 r + 1)
///
///     out[y][x] = sum_(k,l = 0 .. 2r) weights[k][l] in[y + k][x + l]
///
/// of `in` (rows + 2 r, stride), whose rows begin r pixels before the image's own, to `out` (rows,
/// width). Terms are added in the order of k, then l: the same bits on every CPU and however rows
/// are divided. Four rows are computed together, because then every pixel that is loaded is used
/// four times. O(rows width r^2).
void blur(const BlurShape& shape, const double* weights, const double* in, std::size_t rows,
          double* out);

}  // namespace equipoise
