// Equal finish over sequential blocks, then whole grains.
#include "shared_policies/policies/division.hpp"

#include <algorithm>
#include <cstddef>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/solve/equal_finish.hpp"
#include "shared_policies/solve/integer_rounding.hpp"
#include "shared_policies/solve/sequential_cost.hpp"

namespace equipoise {

std::vector<Items> divide_all(const View& view, std::span<const CostModel* const> costs,
                              BlockRule rule) {
  const Workload& workload = view.workload();
  std::vector<std::size_t> units;
  std::vector<SequentialCost> sequential;
  for (const UnitState& unit : view.units()) {
    if (!unit.present) {
      continue;
    }
    EQ_CHECK(costs[unit.id.index] != nullptr, "a present unit has a cost");
    const CostModel& cost = *costs[unit.id.index];
    const auto cap = static_cast<double>(std::min(unit.cap_items, workload.items));
    const auto grain = std::min(static_cast<double>(workload.grain_items), cap);
    units.push_back(unit.id.index);
    sequential.emplace_back(cost,
                            rule == BlockRule::cheapest ? cheapest_block(cost, grain, cap) : cap);
  }
  std::vector<Items> shares(view.units().size(), 0);
  if (units.empty()) {
    return shares;
  }
  std::vector<const CostModel*> list;
  for (const SequentialCost& cost : sequential) {
    list.push_back(&cost);
  }
  const std::vector<double> no_caps(units.size(), 2.0 * static_cast<double>(workload.items));
  const std::vector<Items> all(units.size(), workload.items);
  const Split split = solve_equal_finish({list, no_caps, static_cast<double>(workload.items)});
  const std::vector<Items> whole =
      round_to_sum({list, split.items, all, workload.items, workload.grain_items});
  for (std::size_t i = 0; i < units.size(); ++i) {
    shares[units[i]] = whole[i];
  }
  return shares;
}

}  // namespace equipoise
