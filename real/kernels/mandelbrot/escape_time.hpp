// How many steps the points of an image of the Mandelbrot set take to escape.
#pragma once

#include <cstddef>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// An image of -2.25 <= re c <= 0.75, |im c| <= 1.5, in which all of the set lies: `height` rows of
/// `width` pixels, c at each pixel's centre. Row j and row height - 1 - j are each other's mirror
/// image, to the last bit.
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

/// Counts for every pixel of a row, where im c = `imaginary`, how many of z_1, z_2, .. z_max are no
/// farther than 2 from the origin before the first that is:
///
///     z_1 = c,   z_(k+1) = z_k^2 + c
///
/// `counts` (width) are whole numbers from 0 to max_iterations, the latter for what does not escape
/// in so many steps; doubles, as the vectors that count hold them. Pixels are computed 32 together
/// until all have escaped. Every CPU gives the same bits.
///
/// Source: Peitgen, Richter (1986), the escape time algorithm.
void count_steps(const EscapeImage& image, double imaginary, double* counts);

/// What `count_steps` computes for one step of one pixel.
inline constexpr double flop_per_step = 8.0;

/// The mean count of a pixel in a large image, to 2 % from 10 iterations on, without computing it:
/// what never escapes has the area 1.50659 (Foerstemann, 2012) of the image's 9, and what has not
/// escaped after k steps about c / k more, which adds up to a logarithm. Its two constants were
/// fitted to an image of 2048 x 2048.
[[nodiscard]] double mean_steps(Items max_iterations);

}  // namespace equipoise
