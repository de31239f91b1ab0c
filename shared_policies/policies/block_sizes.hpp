// Block sizes that several policies share.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

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

}  // namespace equipoise
