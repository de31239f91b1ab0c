// Which block sizes are recorded.
#pragma once

#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// Block sizes that span what policies use: about 8, each the same factor apart, multiples of the
/// grain, from a 4,096th of the items (a grain at least) to `items_max`, or to the largest block
/// that the unit's memory holds. Ascending, at least one; empty when not even a grain fits.
[[nodiscard]] std::vector<Items> size_ladder(const Workload& workload, const Unit& unit,
                                             Items items_max);

/// What a block of a size takes.
struct SizeTime {
  Items items = 0;
  Seconds time;
  double uncertainty = 0.0;  ///< half the width of its confidence interval, relative to it
};

/// Sizes to record beside `recorded` (ascending) because the curve bends there: where a size lies
/// off the line between its neighbours by more than `tolerance` of its time and its uncertainty
/// together, the geometric means of it and each of them, multiples of `grain_items`, that are not
/// among `recorded`. Ascending.
[[nodiscard]] std::vector<Items> sizes_at_bends(const std::vector<SizeTime>& recorded,
                                                Items grain_items, double tolerance);

}  // namespace equipoise
