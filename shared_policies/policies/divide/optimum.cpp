// optimum: an oracle that is given the true costs of this run and, if a search in the simulator was
// made, the best schedule that it found. It knows mean times and keeps to its plan; with
// reacts=true it reacts to what happens.
#include <memory>
#include <variant>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/block_plan.hpp"
#include "shared_policies/policies/divide/division.hpp"
#include "shared_policies/policies/divide/objective.hpp"
#include "shared_policies/policies/divide/planned_policy.hpp"
#include "shared_policies/policies/divide/reacting_plan.hpp"
#include "shared_policies/policies/divide/sequential_cost.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

/// One share for each unit, so that all finish together. A share is one block, or several if these
/// take less time than one (costs that grow more than in proportion) or if memory requires it. The
/// division takes into account neither the overlap of copies and computation nor links shared by
/// units: on platforms with these it is a very good division, not a bound. For energy or EDP the
/// shares are those of `divide_for`.
class KnownDivision final : public PlannedPolicy {
 public:
  KnownDivision(const KnownCosts& known, Objective objective)
      : PlannedPolicy(known, "known"), objective_(objective) {}

 private:
  [[nodiscard]] std::vector<Items> divide(const View& view, const Costs& costs) const override {
    if (objective_ != Objective::time) return divide_for(objective_, view, costs);
    return divide_among(view, present_units(view), view.workload().items, costs,
                        BlockRule::cheapest);
  }

  [[nodiscard]] Items count_blocks(const View& view, const UnitState& unit, const CostModel& cost,
                                   Items share) const override {
    return cheapest_count(cost, share, view.workload().grain_items, unit.cap_items);
  }

  Objective objective_;
};

/// Hands out a known schedule: all blocks of a unit when an iteration starts or when the unit
/// joins, so that they overlap if the unit can do that. The work of lost units goes to idle units.
class KnownSchedule final : public Policy {
 public:
  explicit KnownSchedule(const BlockLists& schedule) : schedule_(schedule) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (std::holds_alternative<IterationStarted>(event.what)) {
      left_ = schedule_[static_cast<std::size_t>(view.phase())];
      rest_.clear(view);
      Decision decision{{}, DecisionKind::schedule, {}};
      for (const UnitState& unit : view.units()) {
        const std::vector<Items>& blocks = left_[unit.id.index];
        if (!blocks.empty()) {
          decision.estimates.push_back({unit.id, "known", {}, {}, blocks.front()});
        }
      }
      decisions.decided(decision);
      for (const UnitState& unit : view.units()) {
        if (unit.present) hand_out(unit.id, decisions);
      }
    } else if (const auto* joined = std::get_if<UnitJoined>(&event.what)) {
      hand_out(joined->unit, decisions);
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      if (view.unit(idle->unit).outstanding.empty()) rest_.offer(view, idle->unit, decisions);
    } else if (const auto* lost = std::get_if<UnitLost>(&event.what)) {
      rest_.drop(view, lost->unit, decisions);
    }
  }

 private:
  void hand_out(UnitId unit, Decisions& decisions) {
    for (const Items items : left_[unit.index]) decisions.assign(unit, items);
    left_[unit.index].clear();
  }

  const BlockLists& schedule_;
  BlockLists::value_type left_;  // (n) of this iteration, not yet handed out
  BlockPlan rest_;               // without planned blocks: gives remaining work to idle units
};

std::unique_ptr<Policy> make_optimum(const Parameters& parameters, const KnownCosts* known) {
  EQ_CHECK(known != nullptr, "make_policy checks this");
  const Objective objective = objective_of(parameters);
  if (parameters.flag("reacts")) {
    return make_reacting_plan(*known, parameters.number("part", 0.01, 1.0),
                              parameters.number("dearer", 0.0, 10.0));
  }
  if (objective == Objective::time && !known->schedule.empty()) {
    return std::make_unique<KnownSchedule>(known->schedule);
  }
  return std::make_unique<KnownDivision>(*known, objective);
}

void check_optimum(const Parameters& parameters, std::span<const Unit> units) {
  check_objective(parameters, units, "optimum");
  if (parameters.flag("reacts") && objective_of(parameters) != Objective::time) {
    throw InputError("--policy", "optimum reacts only for objective=time; leave one of them out");
  }
}

std::vector<ParameterInfo> optimum_parameters() {
  return {objective_parameter(),
          {"reacts", "false", "",
           "true: hands out its shares in smaller and smaller pieces, to whoever is free, instead "
           "of keeping to the plan",
           "false: the papers' optimum is a fixed division"},
          {"part", "0.5", "share of what the unit would still get",
           "with reacts=true: size of a block", "factoring halves what remains, too"},
          {"dearer", "0.02", "share of the least cost of an item",
           "with reacts=true: blocks are not smaller or larger than items cost that much more in",
           "ours; the best known makespan is the least of several such runs"}};
}

}  // namespace

PolicyInfo optimum_info() {
  return {"optimum",
          "follows the best schedule found for this run's mean times, without reacting",
          "policies of the papers are measured against it",
          optimum_parameters(),
          Foresight::oracle,
          0.0,
          make_optimum,
          check_optimum};
}

}  // namespace equipoise
