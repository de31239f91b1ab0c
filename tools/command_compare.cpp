// `equipoise compare`: several policies, repeated, in simulation, for real, or both.
#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "tools/commands.hpp"
#include "tools/comparison.hpp"
#include "tools/console.hpp"
#include "tools/json_text.hpp"
#include "tools/parallel_runs.hpp"
#include "tools/real_world.hpp"
#include "tools/report_html.hpp"
#include "tools/report_text.hpp"
#include "tools/schedule_search.hpp"
#include "tools/sim_world.hpp"

namespace equipoise {
namespace {

/// `text` as a file name: what is not a letter, a digit, '.', '-' or '_' becomes '_'.
std::string as_file_name(std::string text) {
  for (char& c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return text;
}

/// The first run of each policy and world leaves its run file.
std::string journal_file(const Options& options, const PolicyChoice& choice, const char* on,
                         int repetition) {
  if (options.out.empty() || repetition > 0) return {};
  return fmt::format("{}/runs/{}-{}.jsonl", options.out, as_file_name(choice.spelling), on);
}

/// Simulates every policy and repetition, each in a process of its own.
RunsByPolicy simulate_all(const SimWorld& world, const std::vector<PolicyChoice>& choices,
                          const Options& options, bool& failed) {
  const std::size_t jobs = choices.size() * static_cast<std::size_t>(options.reps);
  std::vector<JobResult> results(jobs);
  std::size_t done = 0;
  Progress progress(options.quiet);
  run_in_children(
      jobs, cores_to_use(),
      [&](std::size_t job) {
        const PolicyChoice& choice = choices[job % choices.size()];
        const auto repetition = static_cast<int>(job / choices.size());
        return packed(simulate_once(world, choice, options, static_cast<std::uint64_t>(repetition),
                                    journal_file(options, choice, "sim", repetition)));
      },
      [&](std::size_t job, JobResult result) {
        results[job] = std::move(result);
        progress.show(fmt::format("simulated {} of {} runs", ++done, jobs));
      });
  progress.clear();
  RunsByPolicy runs;
  for (std::size_t job = 0; job < jobs; ++job) {
    const PolicyChoice& choice = choices[job % choices.size()];
    if (results[job].failure.empty()) {
      const RunReport report = unpacked(results[job].text);
      runs[choice.spelling].push_back(report.run);
      if (!report.run.verified) {
        warn(fmt::format("{}, repetition {}: not verified: {}", choice.spelling,
                         job / choices.size(), report.problem));
      }
    } else {
      failed = true;
      warn(fmt::format("{}, repetition {}: no result: {}", choice.spelling, job / choices.size(),
                       results[job].failure));
    }
  }
  return runs;
}

/// Really runs every policy and repetition, one after another, policies in turn so that a drift of
/// the machine meets all; a first run of the baseline, not counted, warms up.
RunsByPolicy run_all(RealWorld& world, const std::vector<PolicyChoice>& choices,
                     const Options& options) {
  world.allocate(options.seed);
  catch_stop_signals();
  Progress progress(options.quiet);
  progress.show("warming up");
  static_cast<void>(run_once(world, choices.front(), options, 0, {}));
  RunsByPolicy runs;
  std::size_t done = 0;
  for (int repetition = 0; repetition < options.reps; ++repetition) {
    for (const PolicyChoice& choice : choices) {
      const RunReport report =
          run_once(world, choice, options, static_cast<std::uint64_t>(repetition),
                   journal_file(options, choice, world.on.c_str(), repetition));
      if (stop_signal() != 0) throw Interrupted(stop_signal());
      runs[choice.spelling].push_back(report.run);
      if (!report.run.verified) {
        warn(fmt::format("{}, repetition {}: not verified: {}", choice.spelling, repetition,
                         report.problem));
      }
      progress.show(fmt::format("ran {} of {}", ++done,
                                choices.size() * static_cast<std::size_t>(options.reps)));
    }
  }
  return runs;
}

/// Refuses, before anything is written, a policy that cannot be made.
void check_policies(const std::vector<PolicyChoice>& choices, const SimWorld* sim,
                    const RealWorld* real) {
  for (const PolicyChoice& choice : choices) {
    if (sim != nullptr) check_policy(*sim, choice);
    if (real != nullptr) check_policy(*real, choice);
  }
}

void write_files(const Comparison& comparison, const Options& options) {
  if (options.out.empty()) return;
  write_whole_file(options.out + "/results.json", results_text(comparison));
  write_whole_file(options.out + "/report.html", report_html(comparison));
  if (!options.json) {
    std::printf("\nresults: %s/results.json   report: %s/report.html   runs: %s/runs/\n",
                options.out.c_str(), options.out.c_str(), options.out.c_str());
  }
}

}  // namespace

int compare_command(const Options& options) {
  Comparison comparison;
  comparison.policies = choose_policies(options);
  comparison.reference = choose_reference(comparison.policies, {});
  const bool simulates = options.on == "sim" || options.on == "both";
  const bool runs = options.on != "sim";
  SimWorld sim;
  RealWorld real;
  if (simulates) sim = load_sim_world(options);
  if (runs) real = load_real_world(options);
  check_policies(comparison.policies, simulates ? &sim : nullptr, runs ? &real : nullptr);
  comparison.units = names_of(simulates ? sim.units : real.units);
  if (simulates && runs && names_of(real.units) != comparison.units) {
    throw InputError(
        "--unit",
        fmt::format("the real units are {}, the platform's are {}; both must "
                    "be the same, in the same order",
                    fmt::join(names_of(real.units), " "), fmt::join(comparison.units, " ")));
  }
  if (!options.out.empty()) make_folder(options.out + "/runs", "--out");
  comparison.experiment = experiment_text(options, sim.settings, real.settings);

  bool failed = false;
  if (simulates) {
    comparison.lower_bound_s = sim.bound.seconds;
    catch_stop_signals();
    know_best_schedule(sim, options);
    comparison.best_known_s = sim.best_known_s;
    add_results(comparison, simulate_all(sim, comparison.policies, options, failed), "sim");
  }
  if (real.platform) {
    comparison.lower_bound_s = real.platform->bound.seconds;
    catch_stop_signals();
    know_best_schedule(*real.platform, options);
    comparison.best_known_s = real.platform->best_known_s;
  }
  if (runs) add_results(comparison, run_all(real, comparison.policies, options), real.on);
  relate_results(comparison, options.baseline);

  if (options.json) {
    std::printf("%s", results_text(comparison).c_str());
  } else {
    std::printf("%s", comparison_table(comparison).c_str());
  }
  write_files(comparison, options);
  for (const PolicyResult& result : comparison.results) {
    warn_of_extrapolation(result.policy, result.extrapolated_share);
    failed = failed || !result.verified;
  }
  if (!failed) return 0;
  say_error("some runs failed; see the warnings above");
  return 1;
}

}  // namespace equipoise
