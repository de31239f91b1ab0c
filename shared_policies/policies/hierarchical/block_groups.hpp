// Divides the share of one accelerator into groups of overlapping blocks; a group fits into memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Groups in the order of execution; each group lists the sizes of its blocks in order. The memory
/// of a group is released before the next group begins.
using BlockGroups = std::vector<std::vector<Items>>;

/// Block sizes in grains that halve the rest again and again:
///
///     round(g / 2), round(g / 4), ... (halves go up) until nothing is left,   g = items / grain
///
/// g is the number of grains, rounded up; the sizes add up to g grains exactly (Hermite's
/// identity). Empty for 0 items. Source: hierarchical divisible load scheduling (2012), eq. 10.
[[nodiscard]] std::vector<Items> halving_blocks(Items items, Items grain_items);

/// One group of `halving_blocks`. If memory (`cap_items`, at least a grain) does not hold it, the
/// share is split into two halves, each is treated in the same way, and so on. The larger half, by
/// at most one grain, comes first. Source: section 5 there.
[[nodiscard]] BlockGroups halving_groups(Items items, Items grain_items, Items cap_items);

// Conditions under which overlapping blocks never make the unit wait.
//
// A unit copies the blocks of one group in, computes them and copies them out. Each stage follows
// the order of the group; stages of different blocks overlap. The conditions say that every copy
// ends while an earlier or later block is computed. With one copy engine, a copy in and a copy out
// take turns; with two, they do not compete. `times` (m) are the stage times of the group's blocks.
//
// The numbers are the paper's (hierarchical divisible load scheduling, 2012), which prints the
// conditions for one copy at a time; the forms for two copy engines are ours. The conditions are
// sufficient, not necessary: they assume that the copy out of block l - 2 always precedes the copy
// in of block l, while an engine that starts any copy that is ready may do better. Times are
// compared with a relative tolerance of 1e-9.

/// (4): the blocks fit together into a memory of `cap_items` items.
[[nodiscard]] bool fit_together(std::span<const Items> blocks, Items cap_items);

/// (5): t_c(1) >= t_i(2) and t_c(3) >= t_o(2), each if the blocks exist.
[[nodiscard]] bool hide_outer_copies(std::span<const StageTimes> times);

/// (6): t_c(2) >= t_o(1) + t_i(3); with two copy engines the larger of the two instead of the sum.
/// True for fewer than three blocks.
[[nodiscard]] bool hide_inner_copies(std::span<const StageTimes> times, int copy_engines);

/// (7) for the block at `position` (counted from 0), with l = position + 1; true before the fourth
/// block:
///
///     t_i(l) <= t_c(l - 1) - t_o(l - 2)   and   t_c(l) >= t_o(l - 1)
///
/// With two copy engines, t_i(l) <= t_c(l - 1) and t_o(l - 2) <= t_c(l - 1) replace the first.
[[nodiscard]] bool hides_later_copies(std::span<const StageTimes> times, std::size_t position,
                                      int copy_engines);

/// (5), (6) and (7) for all blocks.
[[nodiscard]] bool are_stall_free(std::span<const StageTimes> times, int copy_engines);

/// A share that is to be divided, and the cost models of its unit.
struct GroupProblem {
  const CostModel* in = nullptr;       ///< copy in of one block
  const CostModel* compute = nullptr;  ///< its computation
  const CostModel* out = nullptr;      ///< copy out of its results
  Items items = 0;                     ///< the share
  Items grain_items = 1;
  Items cap_items = 0;   ///< largest sum of the blocks of one group; at least a grain
  int copy_engines = 1;  ///< 1 or 2
  /// A block alone, whose stages do not overlap others; nullptr: the sum of the three.
  const CostModel* alone = nullptr;

  /// The stage times of blocks of `sizes` times `unit_items` items.
  template <typename Sizes>
  [[nodiscard]] std::vector<StageTimes> stages(const Sizes& sizes, double unit_items) const {
    std::vector<StageTimes> times;
    times.reserve(sizes.size());
    for (const auto size : sizes) {
      const double x = static_cast<double>(size) * unit_items;
      times.push_back({.setup = {},
                       .in = Seconds{in->at(x).seconds},
                       .compute = Seconds{compute->at(x).seconds},
                       .out = Seconds{out->at(x).seconds}});
    }
    return times;
  }
};

/// The groups of a share by the paper's steps 3.1 to 3.6, in whole grains (six_steps.cpp).
/// `problem.items` may be 0. Some ten thousand evaluations of the costs for each size of a rest.
[[nodiscard]] BlockGroups plan_six_steps(const GroupProblem& problem);

/// Chooses the groups that take the unit the least time if copies overlap computation.
///
/// The share is cut into as few groups as memory allows, or one more: equal groups, or full groups
/// and a smaller last one. For each group the following candidates are timed by `pipeline_time`,
/// and the fastest is kept:
///
///   * stall-free starts (5)-(7): gamma_1 with t_c(gamma_1) = t_i(gamma_2), then 0, 1, 2, ...
///     blocks that grow with t_i(gamma_l) = t_c(gamma_{l-1}) - t_o(gamma_{l-2}), then a tail with
///     t_c(gamma_l) = t_o(gamma_{l-1}); gamma_2 is searched so that the sizes add up to the group;
///     also with the last blocks of the tail joined into one;
///   * halving blocks, 2 to 64 equal blocks, a single block.
///
/// A group of fewer than three grains is one block. Sizes are whole grains; the very last block may
/// ask for more than is left of the share, by less than a grain.
///
/// Ours, instead of the paper's construction triple by triple (`plan_six_steps`): whole schedules
/// are generated and timed. Takes some thousand evaluations of the costs for each group size.
[[nodiscard]] BlockGroups plan_groups(const GroupProblem& problem);

}  // namespace equipoise
