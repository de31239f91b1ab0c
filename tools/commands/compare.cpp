// `equipoise compare`: several policies with repetitions, in simulation, for real, or both.
#include <cstdio>
#include <memory>

#include "tools/commands/commands.hpp"
#include "tools/report/console.hpp"
#include "tools/report/json_text.hpp"
#include "tools/report/report_text.hpp"
#include "tools/search/schedule_search.hpp"
#include "tools/worlds/comparison.hpp"
#include "tools/worlds/comparison_runs.hpp"
#include "tools/worlds/real_world.hpp"
#include "tools/worlds/sim_world.hpp"

namespace equipoise {

int compare_command(const Options& options) {
  Comparison comparison;
  comparison.policies = choose_policies(options);
  comparison.reference = choose_reference(comparison.policies, {});
  const bool simulates = options.on == "sim" || options.on == "both";
  const bool runs = options.on != "sim";
  std::shared_ptr<SimWorld> sim;
  RealWorld real;
  if (simulates) sim = std::make_shared<SimWorld>(load_sim_world(options));
  if (runs) real = load_real_world(options);
  if (simulates && runs) pair_with(real, sim, options);
  if (real.platform) sim = real.platform;
  check_policies(comparison.policies, simulates ? sim.get() : nullptr, runs ? &real : nullptr);
  comparison.units = names_of(sim ? sim->units : real.units);
  std::vector<std::string> worlds;
  if (simulates) worlds.emplace_back("sim");
  if (runs) worlds.push_back(real.on);
  expect_no_inputs(files_of_comparison(comparison.policies, worlds, options), "--out");
  if (!options.out.empty()) make_folder(options.out + "/runs", "--out");
  comparison.experiment = experiment_text(options, simulates ? sim->settings : "", real.settings);

  bool failed = false;
  if (sim) {
    comparison.lower_bound_s = sim->bound.seconds;
    catch_stop_signals();
    if (options.best_known) find_best_schedule(*sim, options);
    comparison.best_known_s = sim->best_known_s;
  }
  if (simulates) {
    add_results(comparison, simulate_all(*sim, comparison.policies, options, failed), "sim");
    end_if_interrupted(comparison, options);
  }
  if (runs) {
    real.allocate(options.seed);
    add_results(comparison, run_all(real, comparison.policies, options), real.on);
    end_if_interrupted(comparison, options);
  }
  relate_results(comparison, options.baseline);

  if (options.json) {
    std::printf("%s", results_text(comparison).c_str());
  } else {
    std::printf("%s", comparison_table(comparison).c_str());
  }
  write_results(comparison, options);
  for (const PolicyResult& result : comparison.results) {
    warn_of_extrapolation(result.policy, result.extrapolated_share);
    failed = failed || !result.verified;
  }
  if (!failed) return 0;
  say_error("some runs failed; see the warnings above");
  return 1;
}

}  // namespace equipoise
