// Converts real-valued shares, or weights, to whole blocks.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Shares to be rounded to whole grains with an exact sum.
struct RoundingProblem {
  std::span<const CostModel* const> costs;  ///< (n)
  std::span<const double> shares_items;     ///< (n), the result of `solve_equal_finish`
  std::span<const Items> cap_items;         ///< (n)
  Items items = 0;                          ///< the exact sum of the blocks
  Items grain_items = 1;
};

/// Rounds every share down to the grain, then gives the remaining grains one by one to the unit p
/// with the smallest cost_p(x_p + grain). If the last grain is partial, it is given last. No unit
/// gets more than its cap; if the caps sum to less than `items`, so do the blocks. O((n + grains to
/// give) log n).
/// Source: ours; greedy is optimal for the integer min-max problem with non-decreasing costs.
[[nodiscard]] std::vector<Items> round_to_sum(const RoundingProblem& problem);

/// The multiple of `grain_items` nearest to `share_items` (halves are rounded up), at most
/// `cap_items`. May be 0.
[[nodiscard]] Items nearest_block(double share_items, Items grain_items, Items cap_items);

/// The division problem: n units with weights and caps.
struct Apportionment {
  std::span<const double> weights;   ///< (n), positive
  std::span<const Items> cap_items;  ///< (n), each at least a grain
  Items items = 0;                   ///< number of items to divide, > 0
  Items grain_items = 1;
};

/// Returns blocks (n) of whole grains that add up to `items` (rounded down to grains, at least
/// one):
///
///     x_p = items w_p / sum w,   the largest remainders rounded up
///
/// What exceeds a cap goes to the other units by their weights. If the caps sum to less than
/// `items`, so do the blocks. Every unit gets at least one grain if there are enough, otherwise the
/// units with the largest weights do: a unit without a block would never report an event again. O(n
/// log n).
/// Source: method of largest remainders.
[[nodiscard]] std::vector<Items> apportion(const Apportionment& problem);

}  // namespace equipoise
