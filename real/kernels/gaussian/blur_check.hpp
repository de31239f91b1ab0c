// Checks a blurred image in a fraction of the time of the blur.
#pragma once

#include <cstddef>

#include "real/kernels/kernel.hpp"

namespace equipoise {

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
