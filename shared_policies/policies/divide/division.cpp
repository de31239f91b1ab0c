// Solves for equal finish times over sequential blocks, then rounds to whole grains.
#include "shared_policies/policies/divide/division.hpp"

#include <algorithm>
#include <cstddef>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/solve/equal_finish.hpp"
#include "shared_policies/solve/integer_rounding.hpp"

namespace equipoise {

SequentialCost sequential_cost(const View& view, UnitId unit, const CostModel& cost,
                               BlockRule rule) {
  const Workload& workload = view.workload();
  const auto cap = static_cast<double>(std::min(view.unit(unit).cap_items, workload.items));
  const auto grain = std::min(static_cast<double>(workload.grain_items), cap);
  return {cost, rule == BlockRule::cheapest ? cheapest_block(cost, grain, cap) : cap};
}

std::vector<UnitId> present_units(const View& view) {
  std::vector<UnitId> present;
  for (const UnitState& unit : view.units()) {
    if (unit.present) present.push_back(unit.id);
  }
  return present;
}

std::vector<Items> divide_among(const View& view, std::span<const UnitId> units, Items items,
                                std::span<const CostModel* const> costs, BlockRule rule) {
  std::vector<Items> shares(view.units().size(), 0);
  if (units.empty() || items == 0) return shares;
  std::vector<SequentialCost> sequential;
  for (const UnitId unit : units) {
    EQ_CHECK(costs[unit.index] != nullptr, "a present unit has a cost");
    sequential.push_back(sequential_cost(view, unit, *costs[unit.index], rule));
  }
  std::vector<const CostModel*> list;
  for (const SequentialCost& cost : sequential) list.push_back(&cost);
  const std::vector<double> no_caps(units.size(), 2.0 * static_cast<double>(items));
  const std::vector<Items> all(units.size(), items);
  const Split split = solve_equal_finish({list, no_caps, static_cast<double>(items)});
  const std::vector<Items> whole =
      round_to_sum({list, split.items, all, items, view.workload().grain_items});
  for (std::size_t i = 0; i < units.size(); ++i) shares[units[i].index] = whole[i];
  return shares;
}

}  // namespace equipoise
