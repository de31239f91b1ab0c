// Tells whether an image of the Mandelbrot set is right.
#pragma once

#include "real/kernels/kernel.hpp"
#include "real/kernels/mandelbrot/escape_time.hpp"

namespace equipoise {

/// How many steps a point may be said to take by whoever computes in doubles.
struct StepRange {
  Items low = 0;
  Items high = 0;
};

/// Follows the orbit of c in long double, together with a bound of how far an orbit in doubles may
/// be from it: e' = 2 |z| e + e^2 + what rounding adds. As long as that orbit is certainly inside
/// the circle the point takes at least so many steps; once it is certainly outside, no more.
/// O(high) until the bound says nothing any more.
[[nodiscard]] StepRange steps_in_doubles(double real, double imaginary, Items max_iterations);

/// Checks `counts` (height, width), row by row in memory. Every pixel: a whole number; the same as
/// its mirror image's; max_iterations in the main cardioid, in the disc of period 2 and on the real
/// axis from -2 to 1/4; 0 where |c| > 2, else not. Of the pixels whose number none of this
/// says every sixteenth, and all of the real axis: within `steps_in_doubles`. A wrong pixel is thus
/// found by its mirror image, wherever it is; a wrong pair of them if it is of those that are
/// followed. Rows that were never computed hold NaNs and fail.
///
/// Source of the cardioid and the disc: Douady, Hubbard (1984).
[[nodiscard]] Verification check_escapes(const double* counts, const EscapeImage& image);

}  // namespace equipoise
