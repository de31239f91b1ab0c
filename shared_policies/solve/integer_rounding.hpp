// From real shares to whole blocks.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Shares that are to become whole numbers of grains with an exact sum.
struct RoundingProblem {
  std::span<const CostModel* const> costs;  ///< (n)
  std::span<const double> shares_items;     ///< (n), what `solve_equal_finish` gave
  std::span<const Items> cap_items;         ///< (n)
  Items items = 0;                          ///< the exact sum wanted
  Items grain_items = 1;
};

/// Rounds every share down to the grain and gives the rest grain by grain to the unit p with the
/// smallest cost_p(x_p + grain), which is optimal for the integer min-max problem with costs that
/// do not fall. Should the last grain be partial, it is the last to be given. Nobody gets more than
/// its cap: where the caps hold less than `items`, so does the sum. O((n + grains to give) log n).
/// Source: ours; greedy is optimal for min-max with
/// non-decreasing costs.
[[nodiscard]] std::vector<Items> round_to_sum(const RoundingProblem& problem);

/// The multiple of `grain` nearest to `share` (halves go up), at most `cap`. 0 stays possible.
[[nodiscard]] Items nearest_block(double share_items, Items grain_items, Items cap_items);

}  // namespace equipoise
