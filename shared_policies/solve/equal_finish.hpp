// Divides items among units so that all units finish together, as early as possible.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"

namespace equipoise {

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
