// Runs the oracle with divisions and schedules for every objective, and chooses.
#include "tools/search/ideal_runs.hpp"

#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "tools/search/schedule_search.hpp"
#include "tools/simulations/simulations.hpp"

namespace equipoise {
namespace {

/// A run of the oracle: its policy, and the schedule that it follows, if any.
struct OracleRun {
  std::string policy;
  BlockLists schedule;
};

/// Simulates them without noise. Throws BackendError if one cannot be simulated.
std::vector<RunReport> simulated(const SimWorld& world, const Options& options,
                                 const std::vector<OracleRun>& runs) {
  Options without_noise = options;
  without_noise.noise = false;
  std::vector<RunReport> reports(runs.size());
  std::string failure;
  run_simulations(
      runs.size(),
      [&](std::size_t job) {
        Simulation simulation = simulation_of(world, parse_policy(runs[job].policy), without_noise);
        simulation.schedule = runs[job].schedule;
        return simulation;
      },
      [&](std::size_t job, SimulationResult result) {
        if (!result.failure.empty()) failure = result.failure;
        reports[job] = std::move(result.report);
      });
  if (!failure.empty()) throw BackendError(failure);
  return reports;
}

}  // namespace

double edp_js(const RunNumbers& numbers) { return *numbers.energy_j * numbers.makespan.value; }

double value_for(const std::string& objective, const RunNumbers& numbers) {
  if (objective == "time") return numbers.makespan.value;
  return objective == "energy" ? *numbers.energy_j : edp_js(numbers);
}

const RunReport* least_of(const std::vector<RunReport>& runs, const std::string& objective,
                          const std::function<bool(const RunNumbers&)>& is_allowed) {
  const RunReport* least = nullptr;
  for (const RunReport& run : runs) {
    if (!run.run.verified || !is_allowed(run.run.numbers)) continue;
    if (least == nullptr ||
        value_for(objective, run.run.numbers) < value_for(objective, least->run.numbers)) {
      least = &run;
    }
  }
  return least;
}

IdealRuns ideal_runs(const SimWorld& world, const Options& options) {
  IdealRuns runs;
  runs.tried = simulated(world, options, {{"optimum", world.schedule}});
  runs.best = runs.fastest = runs.tried.front();
  if (options.objective == "time") return runs;
  const std::vector<RunReport> divisions =
      simulated(world, options,
                {{"optimum", {}}, {"optimum:objective=energy", {}}, {"optimum:objective=edp", {}}});
  std::vector<OracleRun> found;
  for (const char* const objective : {"energy", "edp"}) {
    BlockLists schedule = search_schedule_for(objective, world, options, divisions);
    if (!schedule.empty()) found.push_back({"optimum", std::move(schedule)});
  }
  for (const auto& more : {divisions, simulated(world, options, found)}) {
    runs.tried.insert(runs.tried.end(), more.begin(), more.end());
  }
  const RunReport* const best =
      least_of(runs.tried, options.objective, [](const RunNumbers&) { return true; });
  if (best != nullptr) runs.best = *best;
  return runs;
}

}  // namespace equipoise
