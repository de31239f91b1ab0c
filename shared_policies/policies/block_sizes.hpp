// Block sizes that several policies share.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// The first block of a unit: `given`, or 0.10 of the items over 15 blocks on each of the n units,
///
///     x0 = round(0.10 * items / (15 n))
///
/// rounded to the grain, at least one grain. The papers choose it so that training takes about 10 %
/// of the run, and give all policies the same; 15 = 1 + 2 + 4 + 8 first blocks are what four rounds
/// take of the fastest unit. Source: PLB-HeC section V; contract, "Policy names".
[[nodiscard]] Items initial_block(const View& view, std::optional<Items> given);

/// The blocks (n) nearest to `shares_items` (n), each rounded to whole grains on its own, 0 for
/// units that should stay idle; a grain for the largest share where all would be 0. Source: PLB-HeC
/// section III; blocks come from a pool, so that the sum need not match.
[[nodiscard]] std::vector<Items> whole_blocks(const View& view,
                                              std::span<const double> shares_items);

}  // namespace equipoise
