// `equipoise compare`: several policies with repetitions, in simulation, for real, or both.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/comparison_files.hpp"
#include "tools/console/console.hpp"
#include "tools/guard/expectations.hpp"
#include "tools/report/report_text.hpp"
#include "tools/report/result_fields.hpp"
#include "tools/worlds/comparison.hpp"
#include "tools/worlds/kept_experience.hpp"
#include "tools/worlds/predictions.hpp"
#include "tools/worlds/world.hpp"
#include "traces/files/locked_file.hpp"

namespace equipoise {
namespace {

/// Throws InputError, or warns, if something asks for simulated results and there will be none.
void expect_simulation(const CompareRequest& request) {
  const ComparisonOptions& options = request.options;
  if (options.on == "sim" || options.on == "both") return;
  if (request.what_if) {
    throw InputError("--what-if", "changes simulated machines; say --on sim or --on both");
  }
  const std::string without = fmt::format("has no effect with --on {}", options.on);
  if (!options.validations_file.empty()) warn("--validations " + without);
  if (options.controller_cost) warn("--controller-cost " + without);
}

/// Sets `what_if` of the comparison. After a stop request, writes the results without it and throws
/// Interrupted.
void ask_what_if(Comparison& comparison, const Reference& reference,
                 const CompareRequest& request) {
  const PolicyResult* const fastest = fastest_result(comparison, "sim");
  if (fastest == nullptr) return;
  try {
    std::vector<PolicyChoice> compared = comparison.policies;
    std::erase_if(compared, [&](const PolicyChoice& choice) {
      return find_result(comparison, choice.spelling, "sim") == nullptr;
    });
    comparison.what_if =
        reference.what_if(compared, fastest->spelling, *request.what_if, request.options);
  } catch (const Interrupted&) {
    end_if_interrupted(comparison, request.options, !request.json);
  }
}

/// Runs the policies in every world, and adds their results and predictions. `failed`: whether a
/// simulation did.
void run_in(const Worlds& worlds, Comparison& comparison, const Reference& reference,
            const KeptExperience& experience, const CompareRequest& request, bool& failed) {
  const ComparisonOptions& options = request.options;
  for (const auto& world : worlds) {
    world->prepare();
    for (PolicyChoice& choice : comparison.policies) experience.give(choice, *world);
    add_results(comparison, world->run_all(comparison.policies, options, failed), world->name(),
                timings_of(world->traces(), world->phases()));
    end_if_interrupted(comparison, options, !request.json);
    add_predictions(comparison, *world, options, false, failed);
    end_if_interrupted(comparison, options, !request.json);
    if (request.what_if && world->name() == "sim") ask_what_if(comparison, reference, request);
  }
}

/// Warns of times that are less certain, of events that took no effect, and of a machine that is
/// not as it was recorded.
void warn_of_doubts(const Comparison& comparison, const Worlds& worlds) {
  warn_of_extrapolation(comparison);
  const World& first = *worlds.front();
  const std::string stale = staleness_text(comparison, first.traces(), first.phases());
  if (!stale.empty()) warn(stale);
  for (const auto& world : worlds) {
    if (const std::optional<Seconds> end = last_end(comparison, world->name())) {
      warn_of_late_events(world->scenario(), *end);
    }
  }
}

/// Locks the folder of results, which is made if there is none; nothing if none is written.
std::optional<OutputLock> locked_folder(const ComparisonOptions& options) {
  if (options.out.empty()) return std::nullopt;
  make_folder(options.kept_runs == KeptRuns::none ? options.out : options.out + "/runs", "--out");
  return OutputLock::of_folder(options.out, "--out");
}

}  // namespace

int compare_command(const CompareRequest& request) {
  expect_simulation(request);
  const ComparisonOptions& options = request.options;
  TableChoice table = request.table;
  table.has_definitions = !options.quiet;
  expect_column(table.sort, "--sort");
  Comparison comparison;
  comparison.policies = choose_policies(options, "--policy");
  comparison.reference = choose_reference(comparison.policies, {});
  const Worlds worlds = open_worlds(options, "compare");
  const World& first = *worlds.front();
  leave_out_slow(comparison.policies, first.phases());
  std::vector<std::string> names;
  std::vector<WorldSettings> settings;
  for (const auto& world : worlds) {
    for (const PolicyChoice& choice : comparison.policies) world->check_policy(choice);
    names.push_back(world->name());
    settings.push_back(world->settings());
  }
  comparison.units = names_of(first.units());
  const BoundsRequest& bounds = request.bounds;
  const std::optional<Expectations> expectations =
      expectations_of(bounds.file, bounds.junit_file,
                      {spellings_of(comparison.policies), comparison.units, first.phases().size()});
  const KeptExperience experience(options, ExperienceUse::read);
  check_validations(options.validations_file);
  expect_no_inputs(files_of_comparison(comparison.policies, names, options), "--out");
  expect_no_sweep(options.out);
  const std::optional<OutputLock> out = locked_folder(options);
  comparison.environment = environment_now();
  describe_experiment(comparison, options, first.phases(), first.item_costs(), settings);

  const std::string many = many_blocks_text(comparison.policies, first.phases());
  if (!many.empty()) warn(many);
  bool failed = false;
  catch_stop_signals();
  Reference reference = first.reference();
  if (request.what_if) reference.check_what_if();
  comparison.lower_bound_s = reference.lower_bound_s();
  comparison.resident = reference.resident();
  if (request.best_known) reference.find_schedule(options);
  comparison.best_known = reference.best_known(options, options.reps);
  run_in(worlds, comparison, reference, experience, request, failed);
  relate_results(comparison, options.baseline);

  print_out("{}", request.json ? results_text(comparison)
                               : comparison_table(comparison, table) +
                                     (request.explain_interval ? interval_table(comparison) : ""));
  write_results(comparison, options, !request.json);
  warn_of_doubts(comparison, worlds);
  for (const PolicyResult& result : comparison.results) failed = failed || !result.verified;
  if (failed) say_error("some runs failed; see the warnings above");
  const bool is_met =
      !expectations || meets(*expectations, {named_results(comparison, options.out)},
                             bounds.junit_file, !request.json && !options.quiet);
  return failed || !is_met ? 1 : 0;
}

}  // namespace equipoise
