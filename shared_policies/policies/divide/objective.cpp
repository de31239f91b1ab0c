// The parameter `objective`, the watts that units must have for it, and the division for it.
#include "shared_policies/policies/divide/objective.hpp"

#include <cstddef>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/divide/division.hpp"
#include "shared_policies/policies/divide/energy_search.hpp"

namespace equipoise {

ParameterInfo objective_parameter() {
  return {"objective", "time", "", "what is to be least: time, energy or edp (their product)",
          "the energy paper gives an optimum for each; time is what other policies aim at"};
}

Objective objective_of(const Parameters& parameters) {
  return static_cast<Objective>(parameters.choice("objective", {"time", "energy", "edp"}));
}

void check_objective(const Parameters& parameters, std::span<const Unit> units,
                     const std::string& policy) {
  if (objective_of(parameters) != Objective::time) {
    require_watts(units, "--policy", policy + ":objective=" + parameters.text("objective"));
  }
}

double dynamic_w(const Unit& unit) {
  EQ_CHECK(unit.idle_w && unit.busy_w, "check_objective checks this");
  return *unit.busy_w - *unit.idle_w;
}

std::vector<Items> divide_for(Objective objective, const View& view,
                              std::span<const CostModel* const> costs) {
  std::vector<Items> shares(view.units().size(), 0);
  const std::vector<UnitId> units = present_units(view);
  if (units.empty()) return shares;
  EnergyProblem problem;
  for (const UnitState& unit : view.units()) problem.static_w += unit.unit.idle_w.value_or(0.0);
  std::vector<SequentialCost> sequential;
  std::vector<double> watts;
  for (const UnitId unit : units) {
    sequential.push_back(sequential_cost(view, unit, *costs[unit.index], BlockRule::cheapest));
    watts.push_back(dynamic_w(view.unit(unit).unit));
  }
  std::vector<const CostModel*> list;
  for (const SequentialCost& cost : sequential) list.push_back(&cost);
  problem.costs = list;
  problem.dynamic_w = watts;
  problem.items = view.workload().items;
  problem.grain_items = view.workload().grain_items;
  const std::vector<Items> found = search_energy_split(problem, objective);
  for (std::size_t i = 0; i < units.size(); ++i) shares[units[i].index] = found[i];
  return shares;
}

}  // namespace equipoise
