// The cheapest blocks of a share, equal finish times over sequential blocks, and plans of them.
#include "shared_policies/policies/divide/planned_division.hpp"

#include <algorithm>
#include <cmath>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/solve/integer_rounding.hpp"

namespace equipoise {
namespace {

constexpr int grid_points = 128;

double per_item(const CostModel& cost, double items) { return cost.at(items).seconds / items; }

/// Golden-section search between the two neighbours of the best grid point.
double refine(const CostModel& cost, double low, double high) {
  const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
  while (high - low > 1e-9 * high) {
    const double left = high - golden * (high - low);
    const double right = low + golden * (high - low);
    if (per_item(cost, left) <= per_item(cost, right)) {
      high = right;
    } else {
      low = left;
    }
  }
  return 0.5 * (low + high);
}

/// The block size y in [low, high] with the least cost(y) / y: `high` for costs that grow less than
/// in proportion, `low` for costs that grow more. It is the best of a logarithmic grid, refined to
/// 1e-9 unless it is at an end.
double cheapest_block(const CostModel& cost, double low_items, double high_items) {
  if (!(low_items < high_items)) return high_items;
  const double ratio = std::pow(high_items / low_items, 1.0 / (grid_points - 1));
  const auto size = [&](int k) {
    return k + 1 >= grid_points ? high_items : low_items * std::pow(ratio, k);
  };
  int best = grid_points - 1;
  for (int k = grid_points - 2; k >= 0; --k) {
    // If costs are equal, the larger block is chosen: proportional costs are not cut into blocks.
    if (per_item(cost, size(k)) < per_item(cost, size(best)) * (1.0 - 1e-9)) best = k;
  }
  if (best == 0 || best == grid_points - 1) return size(best);
  const double refined = refine(cost, size(best - 1), size(best + 1));
  return per_item(cost, refined) < per_item(cost, size(best)) ? refined : size(best);
}

}  // namespace

Items cheapest_count(const CostModel& cost, Items items, Items grain_items, Items cap_items) {
  const Items most = std::max<Items>(1, items / grain_items);
  const Items least = std::min(most, (items + cap_items - 1) / cap_items);
  const double block = cheapest_block(cost, static_cast<double>(grain_items),
                                      static_cast<double>(std::min(items, cap_items)));
  const double ideal = static_cast<double>(items) / block;
  Items best = least;
  const auto total_s = [&](Items count) {
    const double even = static_cast<double>(items) / static_cast<double>(count);
    return static_cast<double>(count) * cost.at(even).seconds;
  };
  for (const double near : {std::floor(ideal), std::ceil(ideal)}) {
    const Items count = std::clamp(static_cast<Items>(near), least, most);
    if (total_s(count) < total_s(best) * (1.0 - 1e-12)) best = count;
  }
  return best;
}

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
  const std::vector<Items> whole =
      equal_time_shares(pointers_to(sequential), items, view.workload().grain_items);
  for (std::size_t i = 0; i < units.size(); ++i) shares[units[i].index] = whole[i];
  return shares;
}

PlannedPolicy::Costs PlannedPolicy::read(const KnownCosts::Phase& known) {
  Costs costs;
  for (const auto& cost : known) costs.push_back(cost.get());
  return costs;
}

Items PlannedPolicy::count_blocks(const UnitState& unit, const CostModel& /*cost*/,
                                  Items share) const {
  return (share + unit.cap_items - 1) / unit.cap_items;
}

std::vector<Items> PlannedPolicy::items_in(const std::vector<Items>& shares) const {
  if (!work_.differs(view())) return shares;
  const Workload& workload = view().workload();
  std::vector<Items> items;
  double work = 0.0;
  Items end = 0;
  for (const Items share : shares) {
    work += static_cast<double>(share);
    const Items begin = end;
    end = nearest_block(work_.items_from(view(), 0, workload.items, work), workload.grain_items,
                        workload.items);
    items.push_back(share > 0 ? std::max(end - begin, workload.grain_items) : 0);
  }
  return items;
}

void PlannedPolicy::on_iteration() {
  const std::vector<Items> shares = divide(costs_);
  const std::vector<Items> items = items_in(shares);
  Decision decision{.what = DecisionKind::divide};
  plan_.clear(view());
  for (const UnitState& unit : view().units()) {
    const Items share = shares[unit.id.index];
    if (share > 0) {
      const Items of_share = items[unit.id.index];
      const Items blocks = count_blocks(unit, *costs_[unit.id.index], std::max(share, of_share));
      plan_.add(unit.id, share, blocks, view().workload().grain_items);
      decision.estimates.push_back(
          {.unit = unit.id, .cost = cost_word_, .block_items = (of_share + blocks - 1) / blocks});
    }
  }
  decisions().decided(decision);
}

}  // namespace equipoise
