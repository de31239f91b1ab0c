// Sizes and durations of blocks, and shares, that several policies compute alike.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// The shortest duration that is accepted: one tick of a coarse timer.
inline constexpr double shortest_block_s = 1e-9;

/// The seconds of a finished block's copy in, computation and copy out; at least
/// `shortest_block_s`. Its setup is left out, because later blocks do not have it. (The papers have
/// no resident data.)
[[nodiscard]] inline double block_duration_s(const StageTimes& times) {
  return std::max(recurring(times).value, shortest_block_s);
}

/// The size of a unit's first block: `given`, or 0.10 of the items divided into 15 blocks for each
/// of the n units,
///
///     x0 = round(0.10 * items / (15 n))
///
/// rounded to the grain, at least one grain. The papers choose it so that training takes about 10 %
/// of the run, and use the same size for all policies. 15 = 1 + 2 + 4 + 8: the fastest unit does 15
/// first blocks in four training rounds. Source: PLB-HeC section V.
[[nodiscard]] Items initial_block(const View& view, std::optional<Items> given);

/// Block sizes (n) nearest to `shares_items` (n), each rounded to whole grains on its own; 0 for
/// units that should stay idle. If all would be 0, the largest share gets one grain. Source:
/// PLB-HeC section III; blocks come from a pool, so their sum need not match the sum of the shares.
[[nodiscard]] std::vector<Items> whole_blocks(const View& view,
                                              std::span<const double> shares_items);

/// `items` as `blocks` blocks of whole grains whose sizes differ by at most one grain, the larger
/// first; fewer blocks if there are fewer grains.
[[nodiscard]] std::vector<Items> equal_blocks(Items items, Items blocks, Items grain_items);

/// Pointers to costs of one type, for the solvers.
template <typename Cost>
[[nodiscard]] std::vector<const CostModel*> pointers_to(const std::vector<Cost>& costs) {
  std::vector<const CostModel*> list;
  for (const Cost& cost : costs) list.push_back(&cost);
  return list;
}

/// Shares (n) of `items` > 0 in whole grains, at most `cap_items` (n; none: no limits), so that the
/// last unit ends as early as possible: `solve_equal_finish`, then `round_to_sum`.
[[nodiscard]] std::vector<Items> equal_time_shares(std::span<const CostModel* const> costs,
                                                   Items items, Items grain_items,
                                                   std::span<const Items> cap_items = {});

}  // namespace equipoise
