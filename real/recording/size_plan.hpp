// Chooses the block sizes to be recorded.
#pragma once

#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// Block sizes that cover the range that policies use: about 8 multiples of the grain with a
/// constant factor between them, from a 4,096th of the items (at least a grain) to `items_max` or
/// the largest block that fits the unit's memory. Ascending; at least one, but empty if not even a
/// grain fits.
[[nodiscard]] std::vector<Items> size_ladder(const Workload& workload, const Unit& unit,
                                             Items items_max);

/// The time of a block of one size.
struct SizeTime {
  Items items = 0;
  Seconds time;
  double uncertainty = 0.0;  ///< half the width of the confidence interval, relative to the time
};

/// Sizes to record in addition to `recorded` (ascending) where the time curve bends. A size is at a
/// bend if its time is off the line between its neighbours by more than the sum of `tolerance` and
/// its uncertainty, relative to its time. Returns the geometric means of this size and each
/// neighbour, as multiples of `grain_items`, if they are not in `recorded`. Ascending.
[[nodiscard]] std::vector<Items> sizes_at_bends(const std::vector<SizeTime>& recorded,
                                                Items grain_items, double tolerance);

}  // namespace equipoise
