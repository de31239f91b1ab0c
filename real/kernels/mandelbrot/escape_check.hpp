// Checks an image of the Mandelbrot set.
#pragma once

#include "real/kernels/kernel.hpp"
#include "real/kernels/mandelbrot/escape_time.hpp"

namespace equipoise {

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
