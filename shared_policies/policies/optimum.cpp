// optimum: the clairvoyant static division, an oracle that is given the true costs of this very
// run.
#include <memory>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/division.hpp"
#include "shared_policies/policies/objective.hpp"
#include "shared_policies/policies/planned_policy.hpp"
#include "shared_policies/policies/policies.hpp"
#include "shared_policies/solve/sequential_cost.hpp"

namespace equipoise {
namespace {

/// One share for each unit, so that all finish together; a share is one block, or several where
/// they take less time than one (costs that grow more than in proportion) or memory demands it.
/// Copies of one block that could overlap with the computation of another are not counted on, and
/// links that units share are not known to it: on such platforms it is a very good division, not a
/// bound. For energy or EDP the shares are those of `divide_for`.
class Optimum final : public PlannedPolicy {
 public:
  Optimum(const KnownCosts& known, Objective objective)
      : PlannedPolicy(known, "known"), objective_(objective) {}

 private:
  [[nodiscard]] std::vector<Items> divide(const View& view, const Costs& costs) const override {
    if (objective_ != Objective::time) {
      return divide_for(objective_, view, costs);
    }
    return divide_among(view, present_units(view), view.workload().items, costs,
                        BlockRule::cheapest);
  }

  [[nodiscard]] Items count_blocks(const View& view, const UnitState& unit, const CostModel& cost,
                                   Items share) const override {
    return cheapest_count(cost, share, view.workload().grain_items, unit.cap_items);
  }

  Objective objective_;
};

std::unique_ptr<Policy> make_optimum(const Parameters& parameters, const KnownCosts* known) {
  EQ_CHECK(known != nullptr, "make_policy has seen to it");
  return std::make_unique<Optimum>(*known, objective_of(parameters));
}

void check_optimum(const Parameters& parameters, std::span<const Unit> units) {
  check_objective(parameters, units, "optimum");
}

}  // namespace

PolicyInfo optimum_info() {
  return {"optimum",
          "the clairvoyant static division: knows the true times of this run",
          "policies of the papers are measured against it",
          {objective_parameter()},
          Foresight::oracle,
          0.0,
          make_optimum,
          check_optimum};
}

}  // namespace equipoise
