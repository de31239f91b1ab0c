// Units to which a solution gives no items, and their return.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/policies/plb/block_time_model.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Remembers which units the last solution left without items, because their fixed costs exceeded
/// the common time. The papers' equations let no unit drop out (PLB-HeC eq. 4, PLB-HAC eq. 3,
/// DLB-GPU eq. 2: E_1 = E_2 = ... = E_n), and a unit without blocks is never measured again,
/// however wrong its curve. So it takes part in the next solution, and gets at least a smallest
/// block.
class LeftOutUnits {
 public:
  LeftOutUnits() = default;
  explicit LeftOutUnits(std::size_t n) : is_left_out_(n, false) {}

  /// To be called with every new solution: gives `least_items` (at least a grain, at most what fits
  /// into memory) to the units that it and the one before leave out, and returns these units. Only
  /// present units with a fit count.
  std::vector<UnitId> let_back_in(const View& view, const BlockTimeModel& model, Items least_items,
                                  std::vector<Items>& block_items) {
    std::vector<UnitId> back;
    const Items least = std::max(least_items, view.workload().grain_items);
    for (const UnitState& unit : view.units()) {
      Items& items = block_items[unit.id.index];
      const bool was_left_out = is_left_out_[unit.id.index];
      is_left_out_[unit.id.index] = false;
      if (!unit.present || items > 0 || !model.knows(unit.id)) continue;
      if (was_left_out) {
        items = std::min(least, unit.cap_items);
        back.push_back(unit.id);
      } else {
        is_left_out_[unit.id.index] = true;
      }
    }
    return back;
  }

 private:
  std::vector<bool> is_left_out_;  // (n)
};

}  // namespace equipoise
