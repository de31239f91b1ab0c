// initial_block_items=time:SHARE, for every policy that has a first block: measures speeds before
// the policy begins.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "shared_policies/model/parameters.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// If `known` has `initial_block_items` and its typed text is time:SHARE: sets the text to "auto"
/// and returns the share, above 0 and below 1. Throws InputError for another share.
[[nodiscard]] std::optional<double> take_time_share(TypedParameters& typed,
                                                    std::span<const ParameterInfo> known);

/// The first block with which the training of PLB-HeC takes `time_share` of the run, for units that
/// do `speeds` (n) items per second, all above 0. Of a load of N items, the four rounds and the run
/// take
///
///     x0 / v_min + (2 + 4 + 8) x0 / v_max   and   N / sum_p v_p,
///
/// because blocks after round 1 are proportional to speeds. With R_p = v_p / v_max and phi the share
///
///     x0 = phi N / (sum_p R_p (14 + 1 / R_min)),
///
/// which for equal units is what `auto` gives for a share of the items. In items, not rounded.
[[nodiscard]] double first_block_for_time(double time_share, Items items,
                                          std::span<const double> speeds);

/// Makes a policy from its first block.
using PolicyFromFirstBlock = std::function<std::unique_ptr<Policy>(Items first_block_items)>;

/// A policy that first gives every unit one small block (a sixteenth of the block that `auto`
/// means, at least a grain), waits for all of them, and then hands over to the policy that
/// `make_policy` makes for the speeds measured; the journal notes the first block. That policy sees
/// a run that begins then, with fewer items left. Fixed costs make small blocks of fast units look
/// slower than they are: speeds seem closer to one another, and the first block is closer to that
/// of `auto`.
///
/// The papers found the first block by trial runs, before the run (PLB-HeC V.A); a master that has
/// only this run must measure. Ours; one size for the whole run, by its first phase.
[[nodiscard]] std::unique_ptr<Policy> make_probed_start(double time_share,
                                                        PolicyFromFirstBlock make_policy);

}  // namespace equipoise
