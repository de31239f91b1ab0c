// initial_block_items=time:SHARE, for every policy that has a first block: measures speeds before
// the policy begins.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "shared_policies/run/policy.hpp"
#include "shared_policies/solve/equal_finish.hpp"
#include "shared_policies/specs/parameters.hpp"

namespace equipoise {

/// If `known` has `initial_block_items` and its typed text is time:SHARE: sets the text to "auto"
/// and returns the share, above 0 and below 1. Throws InputError for another share.
[[nodiscard]] std::optional<double> take_time_share(TypedParameters& typed,
                                                    std::span<const ParameterInfo> known);

/// The first block x0 with which the four rounds of PLB-HeC's training take `time_share` of a run
/// of `items`, for units with the costs E_p of `lines` (n), E_p(0) >= 0, caps ignored. A round
/// lasts as long as its longest block. A run is taken as 20 steps of blocks that end together:
///
///     max_p E_p(x0) + sum_{m = 2, 4, 8} max_p E_p(m x0 R_p) = time_share 20 T
///     R_p = min_q E_q(x0) / E_p(x0),   sum_p E_p^-1(T) = items / 20
///
/// For equal units without fixed costs this is what `auto` gives for a share of the items. In
/// items, not rounded; near 0 if four rounds of the smallest blocks take longer.
[[nodiscard]] double first_block_for_time(double time_share, Items items,
                                          std::span<const CostLine> lines);

/// Makes a policy from its first block.
using PolicyFromFirstBlock = std::function<std::unique_ptr<Policy>(Items first_block_items)>;

/// A policy that first gives every unit two small blocks (a 64th of the block that `auto` means, at
/// least a grain, and four times as much), waits for all of them, and then hands over to the policy
/// that `make_policy` makes for the costs measured; the journal notes the first block. That policy
/// sees a run that begins then, with fewer items left.
///
/// The papers found the first block by trial runs, before the run (PLB-HeC V.A); a master that has
/// only this run must measure. Ours. One size for the whole run, by its first phase. Costs that
/// bend or scatter make the share inexact. If fixed costs alone take about that time, so that the
/// first block would be less than a quarter of that of `auto`, it is that of `auto`: smaller blocks
/// would teach fixed costs only, poor fits would prolong training, and it cannot be that short
/// anyway.
[[nodiscard]] std::unique_ptr<Policy> make_probed_start(double time_share,
                                                        PolicyFromFirstBlock make_policy);

}  // namespace equipoise
