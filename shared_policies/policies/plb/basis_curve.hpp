// A fitted cost: a sum of the papers' seven functions plus the transfer line, with guards outside
// the sizes of the samples.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/fit/transfer_line.hpp"

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
             const TransferLine& transfer, bool non_decreasing);

  [[nodiscard]] CostAt at(double items) const override;
  [[nodiscard]] bool non_decreasing() const override { return non_decreasing_; }

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
  bool non_decreasing_;
  double first_items_;     // below it: the tangent
  CostAt first_;           // M at first_items_
  CostAt last_;            // M at last_items
  double proportion_ = 0;  // M(lowest) / lowest
};

/// The value of one function at u > 0, and its slope.
[[nodiscard]] double basis_value(Basis f, double u);
[[nodiscard]] double basis_slope(Basis f, double u);

}  // namespace equipoise
