// The speed-curve fit of PLB-HeC and PLB-HAC: which of seven functions explain a unit's block
// times.
#pragma once

#include <optional>
#include <span>

#include "shared_policies/fit/cost_samples.hpp"
#include "shared_policies/policies/plb/basis_curve.hpp"

namespace equipoise {

/// How the functions are chosen. Neither paper says it: seven functions cannot be fitted to the
/// four or two points that they begin with.
enum class FitMode {
  subset,      ///< the subset of at most three that predicts left-out sizes best
  single,      ///< the best one alone
  full_ridge,  ///< all seven, held together by a ridge of 1e-8
  nnls         ///< all seven, coefficients not negative
};

struct FitOptions {
  FitMode mode = FitMode::subset;
  double scale_items = 1.0;           ///< N: the functions are taken of u = x / N
  double extrapolation_factor = 8.0;  ///< beyond this times the largest size the curve is straight
  bool adjusted_r2 = false;
};

/// What is believed about one unit after a fit.
struct UnitFit {
  BasisCurve curve;
  double r2 = 0.0;           ///< of the compute times
  double r2_transfer = 1.0;  ///< of the copies
  /// What the compute fit leaves unexplained: sum of squared relative errors, and how many
  /// measurements there are beyond the terms of the fit. Their ratio is the variance of the noise.
  double relative_error2 = 0.0;
  double surplus = 0.0;
  bool fell_back = false;  ///< no choice of functions was admissible
};

/// Fits F to `compute` and G to `transfer` (either may be noisy; `transfer` may be empty).
///
///     minimise  sum_k w_k (t_k - sum_i a_i f_i(x_k / N))^2   by Householder QR on scaled columns
///
/// A choice of functions is admissible when it is well conditioned (below 1e8) and its F is
/// positive and does not fall on 64 points spread logarithmically from a quarter of the smallest
/// size to where the straight extension begins. Mode `subset` tries every subset of at most min(3,
/// sizes - 1) functions and takes the lowest leave-one-size-out error (RMS, relative; the plain
/// residual where nothing can be left out); within 2 % of the best, the fewest terms, then the
/// simplest. Without an admissible choice: an affine cost with coefficients that are not negative;
/// where even that is flat, proportion. R^2 is that of the curve that was chosen.
///
/// No samples of a positive time, or none at all: nothing.
///
/// Source: PLB-HeC eqs 1 and 2; the choice of functions is ours. About 0.2 ms.
[[nodiscard]] std::optional<UnitFit> fit_unit(std::span<const CostSample> compute,
                                              std::span<const CostSample> transfer,
                                              const FitOptions& options);

}  // namespace equipoise
