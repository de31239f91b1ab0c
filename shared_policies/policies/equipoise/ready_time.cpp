// Adds up the times of the outstanding blocks in the order of their hand-out.
#include "shared_policies/policies/equipoise/ready_time.hpp"

#include <algorithm>

namespace equipoise {

double ready_s(const UnitState& unit, const PipelineCost& cost, Seconds last_end, Seconds now) {
  if (unit.outstanding.empty()) return now.value;
  double at_s = last_end.value;
  bool is_first = true;
  for (const OutstandingBlock& block : unit.outstanding) {
    const auto items = static_cast<double>(block.block.items);
    const bool met_an_empty_unit = block.assigned.value >= at_s;
    const double takes_s = (met_an_empty_unit ? cost.alone() : cost.queued()).seconds(items);
    at_s = std::max(at_s, block.assigned.value) + takes_s;
    if (is_first) at_s = std::max(at_s, 2.0 * now.value - at_s);  // overdue: as long again
    is_first = false;
  }
  return at_s;
}

}  // namespace equipoise
