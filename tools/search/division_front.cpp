// Computes the front from known costs, and simulates its divisions.
#include "tools/search/division_front.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "tools/runs/policy_choice.hpp"
#include "tools/simulations/simulations.hpp"

namespace equipoise {
namespace {

void mark_beaten(std::vector<DivisionPoint>& points) {
  double least_j = std::numeric_limits<double>::infinity();
  for (DivisionPoint& point : points) {
    point.is_beaten_in_all = point.model.energy_j >= least_j;
    least_j = std::min(least_j, point.model.energy_j);
  }
}

void simulate(const SimMachine& machine, const RunOptions& options,
              std::vector<DivisionPoint>& points) {
  RunOptions without_noise = options;
  without_noise.noise = false;
  std::string failure;
  run_simulations(
      points.size(),
      [&](std::size_t job) {
        const std::string division =
            fmt::format("fixed:shares={}", fmt::join(points[job].items, "/"));
        return simulation_of(machine, parse_policy(division), without_noise);
      },
      [&](std::size_t job, const SimulationResult& result) {
        if (!result.failure.empty()) failure = result.failure;
        const PolicyRun& run = result.report.run;
        if (!run.verified || !run.numbers.energy_j) return;
        points[job].simulated = SplitResult{run.numbers.makespan.value, *run.numbers.energy_j};
      });
  if (!failure.empty()) throw BackendError(failure);
}

}  // namespace

const DivisionPoint& DivisionFront::least(Objective objective) const {
  return *std::ranges::min_element(
      points, {}, [&](const DivisionPoint& point) { return point.model.of(objective); });
}

DivisionFront division_front(const SimMachine& machine, const RunOptions& options, Items wanted) {
  const KnownCosts known = known_costs(machine, machine.inputs->traces);
  std::vector<const CostModel*> costs;
  for (const auto& cost : known.phases.front()) costs.push_back(cost.get());
  const View view(machine.units, machine.setup.phases);
  const PieceDivision division(view, costs, wanted);
  DivisionFront front;
  front.pieces = division.pieces();
  front.static_w = division.static_w();
  const auto iterations = static_cast<double>(machine.setup.phases.front().iterations);
  for (const FrontPoint& found : pareto_front(division.problem())) {
    DivisionPoint& point = front.points.emplace_back();
    const SplitResult once = division.result_of(found);
    point.model = {iterations * once.time_s, iterations * once.energy_j};
    point.dynamic_j = iterations * found.dynamic_j;
    point.items = division.items_of(found);
  }
  mark_beaten(front.points);
  simulate(machine, options, front.points);
  return front;
}

}  // namespace equipoise
