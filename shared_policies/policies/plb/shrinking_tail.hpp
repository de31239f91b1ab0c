// Steps that shrink towards the end of the work.
#pragma once

#include <algorithm>
#include <cmath>

#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Steps shrink by 1 - alpha at every step, or only once.
enum class TailRule { compounding, constant };
/// Which items count for the start of the tail: assigned or processed ones.
enum class TailFrom { assigned, processed };

/// What shrinks: the blocks chosen for a whole step, or the step that they are chosen for.
///
/// `blocks` is line 8 of the paper's algorithm, X <- X k. Where a block has a fixed cost, blocks
/// that were chosen to end together and are then multiplied by k do not end together: `step` (ours)
/// chooses them for k times the step. Both are the same for times that are proportional to items.
enum class TailOf { blocks, step };

/// How PLB-HAC's blocks shrink. In the paper's text they decrease by a constant factor alpha = 0.1
/// once 70 % of the data was processed; its code multiplies X by k once 70 % is assigned. As sizes
/// are chosen anew at every step, k applies to each choice, and it is open whether it compounds.
/// "Gradually" and the paper's figure 3, in which blocks get smaller from step to step, say that it
/// does, and that k is 1 - alpha.
struct TailOptions {
  double start = 0.7;   ///< share of the items
  double shrink = 0.1;  ///< alpha
  TailRule rule = TailRule::compounding;
  TailFrom from = TailFrom::assigned;
};

/// The factor k on blocks or steps:
///
///     1 before the tail, (1 - alpha)^j in its j-th step, or 1 - alpha in all of its steps
///
/// The sum of (1 - alpha)^j is (1 - alpha) / alpha, nine steps for alpha = 0.1: a tail of 30 % of
/// the items is finished by such steps only if a step has more than 3.3 % of the items. Source:
/// PLB-HAC section 3.3, algorithm 1.
class ShrinkingTail {
 public:
  explicit ShrinkingTail(const TailOptions& options) : options_(options) {}

  /// Starts an iteration.
  void reset() { steps_ = 0; }
  /// Starts a step.
  void step(const View& view) {
    const Items all = view.workload().items;
    Items passed = all - view.remaining();
    if (options_.from == TailFrom::processed) {
      for (const UnitState& unit : view.units()) {
        for (const OutstandingBlock& out : unit.outstanding) passed -= out.block.items;
      }
    }
    if (static_cast<double>(passed) >= options_.start * static_cast<double>(all)) ++steps_;
  }
  [[nodiscard]] double factor() const {
    const int exponent = options_.rule == TailRule::compounding ? steps_ : std::min(steps_, 1);
    return std::pow(1.0 - options_.shrink, exponent);
  }

 private:
  TailOptions options_;
  int steps_ = 0;  // since the tail began
};

}  // namespace equipoise
