// Simulates, with noise, the policies that may be the best known, and takes the best of them.
#include "tools/search/best_known.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "tools/console/progress.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/search/schedule_search.hpp"
#include "tools/simulations/simulation.hpp"
#include "tools/simulations/simulations.hpp"

namespace equipoise {
namespace {

std::vector<PolicyChoice> policies_for(const SimWorld& world) {
  std::vector<PolicyChoice> choices;
  for (const char* const spelling :
       {"optimum", "optimum:reacts=true", "optimum:reacts=true,dearer=0.1",
        "optimum:reacts=true,part=0.3"}) {
    choices.push_back(parse_policy(spelling));
  }
  if (world.units.size() <= few_units) choices.push_back(parse_policy("equipoise"));
  return choices;
}

}  // namespace

std::optional<BestReached> best_reached(const SimWorld& world, const Options& options) {
  Options free_of_charge = options;
  free_of_charge.decision_cost = "none";
  const std::vector<PolicyChoice> choices = policies_for(world);
  const auto reps = static_cast<std::size_t>(options.reps);
  std::vector<double> sums_s(choices.size(), 0.0);
  std::vector<std::size_t> completed(choices.size(), 0);
  std::vector<std::optional<double>> makespans_s(reps * choices.size());
  std::size_t ended = 0;
  Progress progress(options.quiet);
  run_simulations(
      makespans_s.size(),
      [&](std::size_t job) {
        return simulation_of(world, choices[job % choices.size()], free_of_charge,
                             static_cast<std::uint64_t>(job / choices.size()));
      },
      [&](std::size_t job, const SimulationResult& result) {
        ++ended;
        progress.show(fmt::format("simulated {} of {} runs that know the mean times", ended,
                                  makespans_s.size()),
                      static_cast<double>(ended) / static_cast<double>(makespans_s.size()));
        if (!result.failure.empty() || !result.report.run.verified) return;
        makespans_s[job] = result.report.run.numbers.makespan.value;
      });
  for (std::size_t job = 0; job < makespans_s.size(); ++job) {  // in order: sums are exact alike
    if (!makespans_s[job]) continue;
    sums_s[job % choices.size()] += *makespans_s[job];
    ++completed[job % choices.size()];
  }
  std::optional<BestReached> best;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (completed[i] != reps) continue;
    const double mean_s = sums_s[i] / static_cast<double>(reps);
    if (!best || mean_s < best->seconds) best = {mean_s, choices[i].spelling};
  }
  return best;
}

}  // namespace equipoise
