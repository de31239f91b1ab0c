// A fitted cost: a sum of the papers' seven functions plus the transfer line, guarded outside the
// sizes it was fitted on.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/fit/transfer_line.hpp"

namespace equipoise {

/// The functions of PLB-HeC eq. 1 in the normalised size u = x / N, and the constant that only the
/// fallback of the fit uses (the papers list none; there e^u, about 1 + u, takes its place). In the
/// order in which a fit prefers them when they explain the samples alike.
enum class Basis { u, exp_u, u_log_u, u2, log_u, u3, u_exp_u, one };
inline constexpr std::size_t basis_count = 8;

/// The coefficient of each function, at the position of its enumerator; 0: not used.
using BasisCoefficients = std::array<double, basis_count>;

/// Which sizes a curve was fitted on.
struct FittedRange {
  double scale_items = 1.0;  ///< N
  double lowest_items = 1.0;
  double last_items = 1.0;  ///< where the straight extension begins
};

/// E(x) = F(x) + G(x), where G is the transfer line and F, with M(x) = sum of a_i f_i(x/N):
///
///     M(x)                                   lowest <= x <= last
///     max(M(x), M(lowest) x / lowest)        x < lowest; below lowest / 4, M is its tangent there
///     M(last) + M'(last) (x - last)          x > last
///
/// Without the guards ln x falls to minus infinity at 0 and x^3 runs away far beyond what was seen.
/// Source: PLB-HeC eqs 1 and 2; the guards are ours.
class BasisCurve final : public CostModel {
 public:
  BasisCurve(const BasisCoefficients& coefficients, const FittedRange& range,
             const TransferLine& transfer, bool non_decreasing);

  [[nodiscard]] CostAt at(double items) const override;
  [[nodiscard]] bool non_decreasing() const override { return non_decreasing_; }

  /// F alone.
  [[nodiscard]] CostAt compute_at(double items) const;
  /// Whether `items` lies beyond the straight extension's beginning.
  [[nodiscard]] bool extrapolates(double items) const { return items > range_.last_items; }
  /// The cost in words, in items: "3.1e-04 x + 2e-06 x ln(x/N)", the transfer line included.
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
  double first_items_;     // below: the tangent
  CostAt first_;           // M there
  CostAt last_;            // M at last_items
  double proportion_ = 0;  // M(lowest) / lowest
};

/// The value of one function at u > 0, and its slope.
[[nodiscard]] double basis_value(Basis f, double u);
[[nodiscard]] double basis_slope(Basis f, double u);

}  // namespace equipoise
