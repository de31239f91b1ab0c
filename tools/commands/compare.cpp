// `equipoise compare`: several policies with repetitions, in simulation, for real, or both.
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "tools/commands/commands.hpp"
#include "tools/commands/comparison_files.hpp"
#include "tools/console/console.hpp"
#include "tools/guard/expectations.hpp"
#include "tools/report/report_text.hpp"
#include "tools/report/results_text.hpp"
#include "tools/runs/block_count.hpp"
#include "tools/search/best_known.hpp"
#include "tools/search/schedule_search.hpp"
#include "tools/worlds/comparison.hpp"
#include "tools/worlds/kept_experience.hpp"
#include "tools/worlds/world.hpp"
#include "traces/files/locked_file.hpp"

namespace equipoise {

int compare_command(const Options& options) {
  Comparison comparison;
  comparison.policies = choose_policies(options);
  comparison.reference = choose_reference(comparison.policies, {});
  const Worlds worlds = open_worlds(options, "compare");
  std::vector<std::string> names;
  std::vector<WorldSettings> settings;
  for (const auto& world : worlds) {
    for (const PolicyChoice& choice : comparison.policies) world->check_policy(choice);
    names.push_back(world->name());
    settings.push_back(world->settings());
  }
  comparison.units = names_of(worlds.front()->units());
  const std::optional<Expectations> expectations = expectations_of(
      options,
      {spellings_of(comparison.policies), comparison.units, worlds.front()->phases().size()});
  const KeptExperience experience(options, ExperienceUse::read);
  expect_no_inputs(files_of_comparison(comparison.policies, names, options), "--out");
  expect_no_sweep(options.out);
  std::optional<OutputLock> out;
  if (!options.out.empty()) {
    make_folder(options.kept_runs == "none" ? options.out : options.out + "/runs", "--out");
    out = OutputLock::of_folder(options.out, "--out");
  }
  comparison.environment = environment_of(options.command_line);
  describe_experiment(comparison, options, worlds.front()->phases(), settings);

  const std::string many = many_blocks_text(comparison.policies, worlds.front()->phases());
  if (!many.empty()) warn(many);
  bool failed = false;
  catch_stop_signals();
  if (SimWorld* const platform = worlds.front()->platform()) {
    comparison.lower_bound_s = platform->bound.seconds;
    comparison.resident = resident_path(platform);
    if (options.best_known) find_best_schedule(*platform, options);
    comparison.best_known = platform->best_known && options.noise ? best_reached(*platform, options)
                                                                  : platform->best_known;
  }
  for (const auto& world : worlds) {
    world->prepare();
    for (PolicyChoice& choice : comparison.policies) experience.give(choice, *world);
    add_results(comparison, world->run_all(comparison.policies, failed), world->name());
    end_if_interrupted(comparison, options);
  }
  relate_results(comparison, options.baseline);

  if (options.json) {
    std::printf("%s", results_text(comparison).c_str());
  } else {
    std::printf("%s", comparison_table(comparison).c_str());
  }
  write_results(comparison, options);
  warn_of_extrapolation(comparison);
  for (const PolicyResult& result : comparison.results) failed = failed || !result.verified;
  if (failed) say_error("some runs failed; see the warnings above");
  const bool is_met =
      !expectations || meets(*expectations, {named_results(comparison, options.out)}, options);
  return failed || !is_met ? 1 : 0;
}

}  // namespace equipoise
