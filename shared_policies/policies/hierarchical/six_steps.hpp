// The six-step construction with which hierarchical divisible load scheduling cuts the share of one
// accelerator into groups of overlapping blocks.
#pragma once

#include "shared_policies/policies/hierarchical/block_groups.hpp"

namespace equipoise {

/// The groups of a share by steps 3.1 to 3.6 of the paper, in whole grains. With the times t_i
/// (copy in), t_c (computing) and t_o (copy out) of a block:
///
///   3.1  A first group gamma_1, gamma_2, gamma_3 that fits (3, 4) and uses the link all the time
///        that gamma_2 is computed,
///
///            t_o(gamma_1) + t_i(gamma_3) = t_c(gamma_2),                                (6, equal)
///
///        with the greatest psi_delta = (gamma_1 + gamma_2 + gamma_3) / (its time).
///   3.2  Up to three more groups with the same gamma_2: t_c(gamma_1) = t_i(gamma_2), or
///        t_c(gamma_3) = t_o(gamma_2), or both.
///   3.3  Each is extended while it fits: by a block with t_i(gamma_a) = t_c(gamma_{a-1}) -
///        t_o(gamma_{a-2}), and, in a duplicate, by one with t_c(gamma_a) = t_o(gamma_{a-1}).
///   3.4  The rest of the share goes through the same steps.
///   3.5  Where 3.1 finds nothing, the rest is one block alone, or several that fit one by one.
///   3.6  The schedule with the greatest psi_tau = beta / t_tau is kept. Groups of several blocks
///        are timed by `pipeline_time`, blocks alone by the unit's model for blocks alone
///        (`GroupProblem::alone`): the two models of one unit that section 6 speaks of.
///
/// The equations of 3.1 are garbled in print: both have gamma_1 + gamma_3 on the left. They are
/// read as the same condition twice: once phi_iota is a curve in gamma_3 for a given gamma_1, once
/// phi_o one in gamma_1 for a given gamma_3. Table 1 confirms this: where copies take 0.54 and 0.44
/// of computing and 122 items fit, gamma_2 is 41, and 3.2 and 3.3 make 22, 41, 18, 8, 4, 2, 1, as
/// printed; 14, 26, 36 and 17, 32, 45 are such triples, too.
///
/// Ours, where the paper is silent or refers to a report that is not available: the copies of units
/// with two copy engines do not compete, t_i(gamma_3) = t_c(gamma_2) in 3.1 and t_i(gamma_a) =
/// t_c(gamma_{a-1}) in 3.3; after one block with t_c(gamma_a) = t_o(gamma_{a-1}) only such blocks
/// follow, although they break the other half of (7), because the printed lists (18, 8, 4, 2, 1) do
/// so; the last of them may be smaller, to fill what is left; a group of less than a sixteenth of
/// what may be in it is not followed, nor are more than the four fastest schedules of a round; one
/// block alone is always among the schedules.
///
/// Source: hierarchical divisible load scheduling (2012), section 4, step 3. `problem.items` may be
/// 0. Some ten thousand evaluations of the costs for each size of a rest.
[[nodiscard]] BlockGroups plan_six_steps(const GroupProblem& problem);

}  // namespace equipoise
