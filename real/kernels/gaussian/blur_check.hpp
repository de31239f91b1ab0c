// Tells whether an image was blurred right, in a fraction of the time.
#pragma once

#include <cstddef>

#include "real/kernels/kernel.hpp"

namespace equipoise {

/// An image and what is said to be its blur: (height, width) each, row by row in memory, none of
/// the image's pixels negative.
struct BlurredImage {
  const double* in;
  const double* out;
  std::size_t width = 1;
  std::size_t height = 1;
  std::size_t radius = 1;
};

/// Checks every pixel against two one-dimensional blurs, down the columns and then along the row,
/// which a Gaussian's product form allows (4 (2r + 1) operations a pixel instead of 2 (2r + 1)^2);
/// and up to 64 pixels, the corners among them, against the two-dimensional sum in long double. At
/// the image's edges its outermost pixels go on. What is allowed is what rounding may do to a sum
/// of terms that are not negative: u (2r + 1)^2 of it. A row that was never computed holds NaNs and
/// fails.
///
/// Source of the bound: Higham, Accuracy and Stability (2002), section 4.2.
[[nodiscard]] Verification check_blur(const BlurredImage& image);

}  // namespace equipoise
