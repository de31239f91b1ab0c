// Counts the steps after which the points of an image of the Mandelbrot set escape, and checks such
// an image.
#pragma once

#include "real/kernels/kernel_data.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// An image of -2.25 <= re c <= 0.75, |im c| <= 1.5, which contains the whole set: `height` rows of
/// `width` pixels, with c at each pixel's centre. Row j and row height - 1 - j are exact mirror
/// images of each other.
struct EscapeImage {
  Items width = 1;           ///< 1 to 2^20
  Items height = 1;          ///< 1 to 2^20
  Items max_iterations = 1;  ///< 1 to 2^30

  [[nodiscard]] constexpr double real(Items column) const {
    return -0.75 + 1.5 * (static_cast<double>(2 * column + 1 - width) / static_cast<double>(width));
  }
  [[nodiscard]] constexpr double imaginary(Items row) const {
    return 1.5 * (static_cast<double>(2 * row + 1 - height) / static_cast<double>(height));
  }
};

/// For every pixel of the row with im c = `imaginary`, counts how many of z_1, z_2, .. z_max come
/// before the first that is farther than 2 from the origin:
///
///     z_1 = c,   z_(k+1) = z_k^2 + c
///
/// `counts` (width) are integers from 0 to max_iterations; a pixel that does not escape within
/// max_iterations steps gets max_iterations. They are stored as doubles, as in the vectors that
/// count. 32 pixels are computed together until all have escaped. Every CPU gives the same bits.
///
/// Source: Peitgen, Richter (1986), the escape time algorithm.
void count_steps(const EscapeImage& image, double imaginary, double* counts);

/// Floating-point operations of `count_steps` for one step of one pixel.
inline constexpr double flop_per_step = 8.0;

/// An estimate of the mean count of a pixel in a large image, accurate to 2 % from 10 iterations
/// on. Points that never escape have the area 1.50659 (Foerstemann, 2012) of the image's 9. Points
/// that have not escaped after k steps cover about c / k more, which adds up to a logarithm. The
/// two constants of the logarithmic part were fitted to an image of 2048 x 2048.
[[nodiscard]] double mean_steps(Items max_iterations);

/// The range of step counts that a computation in doubles may give for a point.
struct StepRange {
  Items low = 0;
  Items high = 0;
};

/// Follows the orbit of c in long double, with a bound of its distance to an orbit computed in
/// doubles: e' = 2 |z| e + e^2 + rounding errors. While the double orbit is certainly inside the
/// circle, `low` grows; once it is certainly outside, `high` is known. O(high), or less if the
/// bound becomes too large to decide.
[[nodiscard]] StepRange steps_in_doubles(double real, double imaginary, Items max_iterations);

/// Checks `counts` (height, width), row by row in memory. Every pixel must be an integer and equal
/// to its mirror image. It must be max_iterations in the main cardioid, in the disc of period 2 and
/// on the real axis from -2 to 1/4; it must be 0 if |c| > 2, and not 0 otherwise. Of the pixels
/// that these rules do not decide, every sixteenth, and all of the real axis, must be within
/// `steps_in_doubles`. So a single wrong pixel is always found by its mirror image; a wrong pair is
/// found if it is one of the pixels whose orbit is followed. Rows that were never computed hold
/// NaNs and fail.
///
/// Source of the cardioid and the disc: Douady, Hubbard (1984).
[[nodiscard]] Verification check_escapes(const double* counts, const EscapeImage& image);

}  // namespace equipoise
