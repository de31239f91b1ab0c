// Lets units that were left out take part again.
#include "shared_policies/policies/plb/left_out_units.hpp"

#include <algorithm>

namespace equipoise {

std::vector<UnitId> LeftOutUnits::let_back_in(const View& view,
                                              const std::function<bool(UnitId)>& has_fit,
                                              Items least_items, std::vector<Items>& block_items) {
  std::vector<UnitId> back;
  const Items least = std::max(least_items, view.workload().grain_items);
  for (const UnitState& unit : view.units()) {
    Items& items = block_items[unit.id.index];
    const bool was_left_out = is_left_out_[unit.id.index];
    is_left_out_[unit.id.index] = false;
    if (!unit.present || items > 0 || !has_fit(unit.id)) continue;
    if (was_left_out) {
      items = std::min(least, unit.cap_items);
      back.push_back(unit.id);
    } else {
      is_left_out_[unit.id.index] = true;
    }
  }
  return back;
}

}  // namespace equipoise
