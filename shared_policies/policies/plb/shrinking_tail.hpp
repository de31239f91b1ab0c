// Steps that shrink towards the end of the work.
#pragma once

#include "shared_policies/run/view.hpp"

namespace equipoise {

/// By 1 - alpha from step to step, or once and for all.
enum class TailRule { compounding, constant };
/// What counts towards the beginning of the tail: items that are handed out, or done.
enum class TailFrom { assigned, processed };

/// How PLB-HAC's blocks shrink. The paper's text has them decrease by a constant factor
/// alpha = 0.1 once 70 % of the data was processed, its code multiplies by k once 70 % is assigned;
/// with sizes chosen anew at every step k applies to each of them, which leaves open whether it
/// compounds. "Gradually" and its figure say that it does, and that k is 1 - alpha.
struct TailOptions {
  double start = 0.7;   ///< share of the items
  double shrink = 0.1;  ///< alpha
  TailRule rule = TailRule::compounding;
  TailFrom from = TailFrom::assigned;
};

/// The factor on the size of steps:
///
///     1 before the tail, (1 - alpha)^j in its j-th step, or 1 - alpha in all of its steps
///
/// The sum of (1 - alpha)^j is (1 - alpha) / alpha, nine steps for 0.1: a tail of 30 % ends by
/// itself only with steps of more than 3.3 % of the items. Source: PLB-HAC section 3.3,
/// algorithm 1.
class ShrinkingTail {
 public:
  explicit ShrinkingTail(const TailOptions& options) : options_(options) {}

  /// An iteration begins.
  void reset() { steps_ = 0; }
  /// A step begins.
  void step(const View& view);
  [[nodiscard]] double factor() const;

 private:
  TailOptions options_;
  int steps_ = 0;  // since the tail began
};

}  // namespace equipoise
