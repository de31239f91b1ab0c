// Checks Fourier transforms without computing a transform.
#pragma once

#include <cstddef>

#include "real/kernels/fft2d/fourier_transform.hpp"
#include "real/kernels/kernel.hpp"

namespace equipoise {

/// Checks `count` arrays of `shape` (pairs of doubles, one array after another) against the results
/// that `FourierTransform` gave for them.
///
/// Forward only: checks every array by Parseval's theorem and by the weighted sum sum_kl u^k v^l
/// X[k][l] for random u and v on the unit circle. That sum must equal the same sum over the input
/// with the transform of the weights, which is a geometric series. One wrong number, off by more
/// than rounding, always changes these values; several wrong numbers change them with probability
/// 1. Then checks up to 64 numbers by their definition in long double. Forward and inverse:
/// compares every number of every array with the five-point differences of the input. Errors are
/// measured as the norm over an array, for which a bound on rounding is known, O(eps log(R C))
/// times the norm of the input. O(count R C). An array that was never computed holds NaNs and
/// fails.
///
/// Source: Freivalds (1977) for products; Higham, Accuracy and Stability (2002), theorem 24.2, for
/// rounding.
[[nodiscard]] Verification check_transforms(const double* in, const double* out, std::size_t count,
                                            const FourierShape& shape);

}  // namespace equipoise
