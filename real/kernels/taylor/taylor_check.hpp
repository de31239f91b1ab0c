// Checks values of a Taylor polynomial by the function itself and by sums of powers.
#pragma once

#include <cstddef>
#include <span>

#include "real/kernels/kernel.hpp"

namespace equipoise {

/// The Taylor polynomial of ln sqrt((1 + x)^2 + y^2) of degree `terms`, summed upwards from the
/// powers of x + iy in extended precision. O(terms).
[[nodiscard]] double series_by_powers(double x, double y, std::size_t terms);

/// Compares each point's value with the function itself. The tolerance is the rounding error plus
/// the remainder of the series, at most r^(terms + 1) / ((terms + 1) (1 - r)) at the distance r < 1
/// from the origin; with few terms this is a loose bound. Compares one value in 64 and at least 500
/// values, evenly spread, with `series_by_powers`, within the rounding error. A point that was
/// never computed holds a NaN and fails. All spans (points).
[[nodiscard]] Verification check_series(std::span<const double> x, std::span<const double> y,
                                        std::span<const double> value, std::size_t terms);

}  // namespace equipoise
