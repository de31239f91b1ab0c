// The Taylor series of a function of two variables at many points, and a check by the function
// itself and by sums of powers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "real/kernels/kernel_data.hpp"

namespace equipoise {

/// The coefficient c_k of ln(1 + z), for k from 1.
[[nodiscard]] constexpr double logarithm_coefficient(std::size_t k) {
  return (k % 2 == 1 ? 1.0 : -1.0) / static_cast<double>(k);
}
/// The coefficients c_1 ... c_terms = 1, -1/2, 1/3, ... of ln(1 + z).
[[nodiscard]] std::vector<double> logarithm_series(std::size_t terms);

/// The Taylor polynomial of f(x, y) = ln sqrt((1 + x)^2 + y^2) about (0, 0), of total degree
/// `terms`, at the points [first, first + count). It is the real part of the series of ln(1 + z) at
/// z = x + iy, whose part of degree k in x and y is
///
///     c_k Re (x + iy)^k.
///
/// Because the coefficients are real, the polynomial needs no complex numbers: with p = 2 x and q =
/// -(x^2 + y^2),
///
///     b_k = c_k + p b_{k+1} + q b_{k+2},   f = x b_1 + q b_2
///
/// downwards from b_{terms+1} = b_{terms+2} = 0. The series converges for |z| < 1. A point's value
/// depends only on the point, and is the same on every CPU. O(count terms).
///
/// Source: Knuth, The Art of Computer Programming, vol. 2, section 4.6.4, equation (3).
void evaluate_series(const double* x, const double* y, double* value, std::size_t first,
                     std::size_t count, std::span<const double> coefficients);

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
