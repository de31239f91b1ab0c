// Runs the oracle, once for each objective that is asked for.
#include "tools/search/ideal_runs.hpp"

#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "tools/simulations/simulations.hpp"

namespace equipoise {

double edp_js(const RunNumbers& numbers) { return *numbers.energy_j * numbers.makespan.value; }

double value_for(const std::string& objective, const RunNumbers& numbers) {
  if (objective == "time") return numbers.makespan.value;
  return objective == "energy" ? *numbers.energy_j : edp_js(numbers);
}

IdealRuns ideal_runs(const SimWorld& world, const Options& options) {
  Options without_noise = options;
  without_noise.noise = false;
  std::vector<std::string> policies = {"optimum"};
  if (options.objective != "time") policies.push_back("optimum:objective=" + options.objective);
  std::vector<RunReport> reports(policies.size());
  std::string failure;
  run_simulations(
      policies.size(),
      [&](std::size_t job) {
        return simulation_of(world, parse_policy(policies[job]), without_noise);
      },
      [&](std::size_t job, SimulationResult result) {
        if (!result.failure.empty()) failure = result.failure;
        reports[job] = std::move(result.report);
      });
  if (!failure.empty()) throw BackendError(failure);
  const RunReport& fastest = reports.front();
  const RunReport& split = reports.back();
  const auto value = [&](const RunReport& report) {
    return value_for(options.objective, report.run.numbers);
  };
  return {value(fastest) < value(split) ? fastest : split, fastest};
}

}  // namespace equipoise
