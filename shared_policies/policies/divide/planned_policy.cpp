// Makes a plan for each iteration and hands out its blocks.
#include "shared_policies/policies/divide/planned_policy.hpp"

#include <cstddef>
#include <variant>

namespace equipoise {

void PlannedPolicy::decide(const View& view, const Event& event, Decisions& decisions) {
  if (const auto* phase = std::get_if<PhaseStarted>(&event.what)) {
    costs_ = read(view, known_.phases[static_cast<std::size_t>(phase->phase)]);
  } else if (std::holds_alternative<IterationStarted>(event.what)) {
    plan_iteration(view, decisions);
  } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
    plan_.offer(view, idle->unit, decisions);
  } else if (const auto* lost = std::get_if<UnitLost>(&event.what)) {
    plan_.drop(view, lost->unit, decisions);
  }
}

PlannedPolicy::Costs PlannedPolicy::read(const View& /*view*/, const KnownCosts::Phase& known) {
  Costs costs;
  for (const auto& cost : known) costs.push_back(cost.get());
  return costs;
}

Items PlannedPolicy::count_blocks(const View& /*view*/, const UnitState& unit,
                                  const CostModel& /*cost*/, Items share) const {
  return (share + unit.cap_items - 1) / unit.cap_items;
}

void PlannedPolicy::plan_iteration(const View& view, Decisions& decisions) {
  const std::vector<Items> shares = divide(view, costs_);
  Decision decision{{}, DecisionKind::divide, {}};
  plan_.clear(view);
  for (const UnitState& unit : view.units()) {
    const Items share = shares[unit.id.index];
    if (share > 0) {
      const Items blocks = count_blocks(view, unit, *costs_[unit.id.index], share);
      plan_.add(unit.id, share, blocks, view.workload().grain_items);
      decision.estimates.push_back({unit.id, cost_word_, {}, {}, (share + blocks - 1) / blocks});
    }
  }
  decisions.decided(decision);
}

}  // namespace equipoise
