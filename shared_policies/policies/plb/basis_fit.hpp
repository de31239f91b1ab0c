// The speed-curve fit of PLB-HeC and PLB-HAC: selects which of seven functions explain a unit's
// block times, and fits them. The fitted cost is a sum of these functions plus the transfer line,
// with guards outside the sizes of the samples.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/fit/cost_samples.hpp"

namespace equipoise {

/// The functions of PLB-HeC eq. 1 of the normalised size u = x / N, and the constant, which only
/// the fallback of the fit uses (the papers have no constant; there e^u, about 1 + u, takes its
/// place). They are in the order in which a fit prefers them if they explain the samples equally
/// well.
enum class Basis { u, exp_u, u_log_u, u2, log_u, u3, u_exp_u, one };
inline constexpr std::size_t basis_count = 8;

/// The coefficient of each function, indexed by its enumerator; 0: not used.
using BasisCoefficients = std::array<double, basis_count>;

/// The sizes on which a curve was fitted.
struct FittedRange {
  double scale_items = 1.0;  ///< N
  double lowest_items = 1.0;
  double last_items = 1.0;  ///< where the straight extrapolation begins
};

/// E(x) = F(x) + G(x), where G is the transfer line and F, with M(x) = sum of a_i f_i(x/N), is:
///
///     M(x)                                   lowest <= x <= last
///     max(M(x), M(lowest) x / lowest)        x < lowest; below lowest / 4, M is its tangent there
///     M(last) + M'(last) (x - last)          x > last
///
/// Without these guards ln x falls to minus infinity at 0, and x^3 grows far too fast beyond the
/// measured sizes. Source: PLB-HeC eqs 1 and 2; the guards are ours.
class BasisCurve final : public CostModel {
 public:
  BasisCurve(const BasisCoefficients& coefficients, const FittedRange& range,
             const TransferLine& transfer);

  [[nodiscard]] CostAt at(double items) const override;
  [[nodiscard]] bool non_decreasing() const override { return true; }

  /// F alone.
  [[nodiscard]] CostAt compute_at(double items) const;
  /// The cost as text, as a function of items: "3.1e-04 x + 2e-06 x ln(x/N)", including the
  /// transfer line.
  [[nodiscard]] std::string words() const;

 private:
  [[nodiscard]] CostAt model_at(double items) const;

  BasisCoefficients a_;
  FittedRange range_;
  TransferLine transfer_;
  double per_scale_;
  bool uses_log_;
  bool uses_exp_;
  double first_items_;     // below it: the tangent
  CostAt first_;           // M at first_items_
  CostAt last_;            // M at last_items
  double proportion_ = 0;  // M(lowest) / lowest
};

/// How the functions are selected. Neither paper says this: seven functions cannot be fitted to the
/// four or two points with which they begin.
enum class FitMode {
  subset,      ///< the subset of at most three that predicts left-out sizes best
  single,      ///< the single best one
  full_ridge,  ///< all seven, with ridge regularisation of 1e-8
  nnls         ///< all seven, coefficients not negative
};

struct FitOptions {
  FitMode mode = FitMode::subset;
  double scale_items = 1.0;  ///< N: the functions' argument is u = x / N
  bool adjusted_r2 = false;
};

/// How well a fit explains the times of a unit.
struct FitQuality {
  double r2 = 1.0;                      ///< of the compute times, or of those of whole blocks
  std::optional<double> r2_transfer{};  ///< of the copies, where they are fitted apart
  /// What the fit of r2 leaves unexplained: the sum of squared errors relative to the fit, and the
  /// number of measurements minus the number of its terms. Their ratio estimates the variance of
  /// the noise.
  double relative_error2 = 0.0;
  double surplus = 0.0;
};

/// The quality of a fit with `terms` terms that predicts `predictions` (n) for the samples (n).
/// `adjusted_r2` as in `determination`.
[[nodiscard]] FitQuality quality_of(std::span<const CostSample> samples,
                                    std::span<const double> predictions, int terms,
                                    bool adjusted_r2 = false);

/// The fitted cost of one unit.
struct UnitFit : FitQuality {
  BasisCurve curve;
};

/// Fits F to `compute` and G to `transfer` (both may be noisy; `transfer` may be empty).
///
///     minimise  sum_k w_k (t_k - sum_i a_i f_i(x_k / N))^2   by Householder QR on scaled columns
///
/// A subset of functions is admissible if it is well conditioned (below 1e8) and its F is positive
/// and does not fall on 64 points, spaced logarithmically from a quarter of the smallest size to
/// where the straight extrapolation begins (8 times the largest). Mode `subset` tries every subset
/// of at most min(3, sizes - 1) functions and takes the lowest leave-one-size-out error (RMS,
/// relative; the plain residual if no size can be left out). Among subsets within 2 % of the best
/// it takes the one with the fewest terms, then the simplest. e^(x / N) alone needs sizes that are
/// at least three times apart: on blocks that are a small part of the work it is a constant, noisy
/// times of nearer sizes are easily alike, and a unit with such a fit would get nearly all of a
/// step. If no subset is admissible, the fit is an affine cost with non-negative coefficients, or a
/// line through the origin if even that is flat. R^2 is that of the chosen curve.
///
/// Returns nothing if there is no sample with a positive time.
///
/// Source: PLB-HeC eqs 1 and 2; the selection of functions is ours. Takes about 0.2 ms.
[[nodiscard]] std::optional<UnitFit> fit_unit(std::span<const CostSample> compute,
                                              std::span<const CostSample> transfer,
                                              const FitOptions& options);

}  // namespace equipoise
