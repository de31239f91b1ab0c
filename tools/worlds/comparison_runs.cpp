// Simulates in parallel, and runs real runs one after another.
#include "tools/worlds/comparison_runs.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "tools/report/console.hpp"
#include "tools/report/csv_text.hpp"
#include "tools/report/json_text.hpp"
#include "tools/report/progress.hpp"
#include "tools/report/report_contents.hpp"
#include "tools/report/report_page.hpp"
#include "tools/report/text_table.hpp"
#include "tools/simulations/simulations.hpp"

namespace equipoise {
namespace {

/// Makes a file name from `text`: replaces everything except letters, digits, '.', '-' and '_' by
/// '_'.
std::string as_file_name(std::string text) {
  for (char& c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return text;
}

/// The run file for the first run of each policy and world; empty for other runs.
std::string journal_file(const Options& options, const PolicyChoice& choice, const std::string& on,
                         int repetition) {
  if (options.out.empty() || repetition > 0) return {};
  return fmt::format("{}/runs/{}-{}.jsonl", options.out, as_file_name(choice.spelling), on);
}

}  // namespace

RunsByPolicy simulate_all(const SimWorld& world, const std::vector<PolicyChoice>& choices,
                          const Options& options, bool& failed) {
  const std::size_t jobs = choices.size() * static_cast<std::size_t>(options.reps);
  std::vector<std::optional<SimulationResult>> results(jobs);
  std::size_t done = 0;
  Progress progress(options.quiet);
  try {
    run_simulations(
        jobs,
        [&](std::size_t job) {
          const PolicyChoice& choice = choices[job % choices.size()];
          const auto repetition = static_cast<int>(job / choices.size());
          return simulation_of(world, choice, options, static_cast<std::uint64_t>(repetition),
                               journal_file(options, choice, "sim", repetition));
        },
        [&](std::size_t job, SimulationResult result) {
          results[job] = std::move(result);
          ++done;
          progress.show(fmt::format("simulated {} of {} runs", done, jobs),
                        static_cast<double>(done) / static_cast<double>(jobs));
        });
  } catch (const Interrupted&) {
    // Keep the runs that have ended.
  }
  progress.clear();
  RunsByPolicy runs;
  std::vector<std::string> failures;
  for (std::size_t job = 0; job < jobs; ++job) {
    if (!results[job]) continue;
    const PolicyChoice& choice = choices[job % choices.size()];
    if (results[job]->failure.empty()) {
      const RunReport& report = results[job]->report;
      runs[choice.spelling].push_back(report.run);
      if (!report.run.verified) {
        failures.push_back(fmt::format("{}, repetition {}: not verified: {}", choice.spelling,
                                       job / choices.size(), report.problem));
      }
    } else {
      failed = true;
      failures.push_back(fmt::format("{}, repetition {}: no result: {}", choice.spelling,
                                     job / choices.size(), results[job]->failure));
    }
  }
  if (!failures.empty()) {
    warn(fmt::format("{} failed: {}", counted(failures.size(), "run"), in_one_line(failures)));
  }
  return runs;
}

void run_each(const RealWorld& world, const std::vector<PolicyChoice>& choices,
              const Options& options, int repetition, RunsByPolicy& runs) {
  for (const PolicyChoice& choice : choices) {
    const RunReport report =
        run_once(world, choice, options, static_cast<std::uint64_t>(repetition),
                 journal_file(options, choice, world.on, repetition));
    if (stop_signal() != 0) return;
    runs[choice.spelling].push_back(report.run);
    if (!report.run.verified) {
      warn(fmt::format("{}, repetition {}: not verified: {}", choice.spelling, repetition,
                       report.problem));
    }
  }
}

RunsByPolicy run_all(const RealWorld& world, const std::vector<PolicyChoice>& choices,
                     const Options& options) {
  RunsByPolicy runs;
  if (choices.empty()) return runs;
  catch_stop_signals();
  Progress progress(options.quiet);
  progress.show("warming up");
  static_cast<void>(run_once(world, choices.front(), options, 0, {}));
  for (int repetition = 0; repetition < options.reps && stop_signal() == 0; ++repetition) {
    run_each(world, choices, options, repetition, runs);
    progress.show(fmt::format("ran {} of {} repetitions", repetition + 1, options.reps),
                  static_cast<double>(repetition + 1) / options.reps);
  }
  return runs;
}

std::vector<std::string> files_of_comparison(const std::vector<PolicyChoice>& choices,
                                             const std::vector<std::string>& worlds,
                                             const Options& options) {
  if (options.out.empty()) return {};
  std::vector<std::string> files = result_files(options.out);
  for (const PolicyChoice& choice : choices) {
    for (const std::string& on : worlds) files.push_back(journal_file(options, choice, on, 0));
  }
  return files;
}

void end_if_interrupted(Comparison& comparison, const Options& options) {
  if (stop_signal() == 0) return;
  comparison.interrupted = true;
  relate_results(comparison, options.baseline);
  if (!comparison.results.empty()) write_results(comparison, options);
  throw Interrupted(stop_signal());
}

std::vector<std::string> result_files(const std::string& folder) {
  return {folder + "/results.json", folder + "/results.csv", folder + "/report.html"};
}

void write_result_files(const Comparison& comparison, const std::string& folder) {
  const std::vector<std::string> files = result_files(folder);
  const std::string results = results_text(comparison);
  write_whole_file(files[0], results);
  write_whole_file(files[1], results_csv(comparison));
  write_whole_file(files[2], report_page(contents_of_comparison(results, folder)));
}

void write_results(const Comparison& comparison, const Options& options) {
  if (options.out.empty()) return;
  write_result_files(comparison, options.out);
  if (!options.json) {
    std::printf("\nresults: %s/results.json   report: %s/report.html   runs: %s/runs/\n",
                options.out.c_str(), options.out.c_str(), options.out.c_str());
  }
}

}  // namespace equipoise
