// The conditions of hierarchical divisible load scheduling under which overlapping blocks never
// make the unit wait.
#pragma once

#include <cstddef>
#include <span>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

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

// Its condition (3), that the blocks have at most all items together, is kept by the run loop.

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

/// The time of a stall-free group: t_i(1) + the sum of all t_c + t_o(m). `times` must not be empty.
[[nodiscard]] Seconds stall_free_time(std::span<const StageTimes> times);

}  // namespace equipoise
