// optimum: the clairvoyant static division, an oracle that is given the true costs of this very
// run.
#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/block_plan.hpp"
#include "shared_policies/policies/division.hpp"
#include "shared_policies/policies/policies.hpp"
#include "shared_policies/solve/sequential_cost.hpp"

namespace equipoise {
namespace {

/// One share for each unit, so that all finish together; a share is one block, or several where
/// they take less time than one (costs that grow more than in proportion) or memory demands it.
/// Copies of one block that could overlap with the computation of another are not counted on, and
/// links that units share are not known to it: on such platforms it is a very good division, not a
/// bound.
class Optimum final : public Policy {
 public:
  explicit Optimum(const KnownCosts& known) : known_(known) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (const auto* phase = std::get_if<PhaseStarted>(&event.what)) {
      costs_.clear();
      for (const auto& cost : known_.phases[static_cast<std::size_t>(phase->phase)]) {
        costs_.push_back(cost.get());
      }
    } else if (std::holds_alternative<IterationStarted>(event.what)) {
      plan_iteration(view, decisions);
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      plan_.offer(view, idle->unit, decisions);
    } else if (const auto* lost = std::get_if<UnitLost>(&event.what)) {
      plan_.drop(view, lost->unit, decisions);
    }
  }

 private:
  void plan_iteration(const View& view, Decisions& decisions) {
    const Items grain = view.workload().grain_items;
    const std::vector<Items> shares = divide_all(view, costs_, BlockRule::cheapest);
    Thought thought{{}, "divide", {}};
    plan_.clear(view);
    for (const UnitState& unit : view.units()) {
      const Items share = shares[unit.id.index];
      if (share > 0) {
        const Items blocks = cheapest_count(*costs_[unit.id.index], share, grain, unit.cap_items);
        plan_.add(unit.id, share, blocks, grain);
        thought.beliefs.push_back({unit.id, "known", {}, {}, (share + blocks - 1) / blocks});
      }
    }
    decisions.thought(std::move(thought));
  }

  const KnownCosts& known_;
  std::vector<const CostModel*> costs_;  // (n) of this phase
  BlockPlan plan_;
};

std::unique_ptr<Policy> make_optimum(const Parameters& /*parameters*/, const KnownCosts* known) {
  EQ_CHECK(known != nullptr, "make_policy has seen to it");
  return std::make_unique<Optimum>(*known);
}

}  // namespace

PolicyInfo optimum_info() {
  return {"optimum",
          "the clairvoyant static division: knows the true times of this run",
          "policies of the papers are measured against it",
          {},
          Foresight::oracle,
          0.0,
          make_optimum};
}

}  // namespace equipoise
