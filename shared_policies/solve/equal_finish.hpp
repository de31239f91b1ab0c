// Divides items among units so that all units finish together, as early as possible: for any costs,
// and in closed form for straight lines.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"

namespace equipoise {

/// The cost a x - b of a block of x items; b may be negative.
struct CostLine {
  double seconds_per_item = 0.0;  ///< a > 0
  double advance_s = 0.0;         ///< b
  double cap_items = 0.0;         ///< the largest block, >= 0
};

/// Divides `items` > 0 among n units with such costs so that all finish together:
///
///     x_p = (T + b_p) / a_p,   T = (items - sum b_p / a_p) / (sum 1 / a_p)
///
/// If x_p would be negative, the unit gets nothing; if it would exceed its cap, the unit gets its
/// cap; the other units are solved again. The equation sum_p min(cap_p, max(0, (T + b_p) / a_p)) =
/// items has one solution, found between the breakpoints of the sum. Returns the shares (n), not
/// rounded, or the caps if they sum to less than `items`. O(n log n). Source: DLB-GPU eqs 2 and 3
/// for f(x) = a x - b.
[[nodiscard]] std::vector<double> divide_by_lines(std::span<const CostLine> lines, double items);

/// n units, each with its cost and its largest block.
struct SplitProblem {
  std::span<const CostModel* const> costs;  ///< (n)
  std::span<const double> cap_items;        ///< (n), each > 0
  double items = 0.0;                       ///< number of items to divide, > 0
};

/// The outcome of a split.
enum class SplitStatus { solved, capped, failed };

/// A division of the items.
struct Split {
  SplitStatus status = SplitStatus::failed;  ///< capped: the caps sum to less than the items
  std::vector<double> items;                 ///< (n), not rounded
  double finish_s = 0.0;                     ///< the common finish time T
};

/// Divides the items so that the last unit finishes as early as possible.
///
///     minimise T  subject to  cost_p(x_p) <= T for all p,  sum(x_p) = items,  0 <= x_p <= cap_p
///
/// A unit whose cost exceeds T for every block gets nothing. If a cost falls somewhere, its
/// monotone envelope is used instead (the largest x with cost(y) <= T for all y <= x). T is exact
/// to 1e-9 relative. If the caps sum to less than `items`, every unit gets its cap and the status
/// is `capped`.
///
/// Source: PLB-HeC eqs 3-5 state E_1 = ... = E_n. These equalities have no solution if a unit
/// should stay idle. This function solves the min-max form, which has the same solution whenever
/// the equalities have one.
[[nodiscard]] Split solve_equal_finish(const SplitProblem& problem);

}  // namespace equipoise
