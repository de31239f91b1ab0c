// Tells whether Fourier transforms are right, without transforming.
#pragma once

#include <cstddef>

#include "real/kernels/fft2d/fourier_transform.hpp"
#include "real/kernels/kernel.hpp"

namespace equipoise {

/// Checks `count` arrays of `shape` (pairs of doubles, one array after another) and what
/// `FourierTransform` is said to have made of each.
///
/// Forward alone: every array by Parseval's theorem and by a weighted sum,
/// sum_kl u^k v^l X[k][l] for u and v at random on the unit circle, which is the same sum of the
/// input with the transform of the weights, a geometric series; an array in which any one number is
/// off by more than rounding differs, one in which several are differs with probability 1. Then up
/// to 64 numbers by their definition in long double. Forward and inverse: every number of every
/// array against the five-point differences of the input. Errors are measured as the norm over an
/// array, for which rounding has a bound, O(eps log(R C)) of the input's. O(count R C). An array
/// that was never computed holds NaNs and fails.
///
/// Source: Freivalds (1977) for products; Higham, Accuracy and Stability (2002), theorem 24.2, for
/// rounding.
[[nodiscard]] Verification check_transforms(const double* in, const double* out, std::size_t count,
                                            const FourierShape& shape);

}  // namespace equipoise
