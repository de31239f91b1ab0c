// Simulates in parallel, and runs real runs one after another.
#include "tools/worlds/comparison_runs.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "tools/console/console.hpp"
#include "tools/console/terminal.hpp"
#include "tools/console/text_table.hpp"
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

}  // namespace

std::string run_file_of(const std::string& folder, const std::string& spelling,
                        const std::string& on) {
  return fmt::format("{}/runs/{}-{}.jsonl", folder, as_file_name(spelling), on);
}

std::string run_file_to_keep(const Options& options, const PolicyChoice& choice,
                             const std::string& on, int repetition) {
  if (options.out.empty() || options.kept_runs == "none" || repetition > 0) return {};
  return run_file_of(options.out, choice.spelling, on);
}

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
                               run_file_to_keep(options, choice, "sim", repetition));
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
  warn_of_failed_runs(failures);
  return runs;
}

void run_each(const RealWorld& world, const std::vector<PolicyChoice>& choices,
              const Options& options, int repetition, RunsByPolicy& runs,
              std::vector<std::string>& failures) {
  for (const PolicyChoice& choice : choices) {
    const RunReport report =
        run_once(world, choice, options, static_cast<std::uint64_t>(repetition),
                 run_file_to_keep(options, choice, world.on, repetition));
    if (stop_signal() != 0) return;
    runs[choice.spelling].push_back(report.run);
    if (!report.run.verified) {
      failures.push_back(fmt::format("{}, repetition {}: not verified: {}", choice.spelling,
                                     repetition, report.problem));
    }
  }
}

void warn_of_failed_runs(const std::vector<std::string>& failures) {
  if (failures.empty()) return;
  warn(fmt::format("{} failed: {}", counted(failures.size(), "run"), in_one_line(failures)));
}

RunsByPolicy run_all(const RealWorld& world, const std::vector<PolicyChoice>& choices,
                     const Options& options) {
  RunsByPolicy runs;
  if (choices.empty()) return runs;
  catch_stop_signals();
  Progress progress(options.quiet);
  progress.show("warming up");
  static_cast<void>(run_once(world, choices.front(), options, 0, {}));
  std::vector<std::string> failures;
  for (int repetition = 0; repetition < options.reps && stop_signal() == 0; ++repetition) {
    run_each(world, choices, options, repetition, runs, failures);
    progress.show(fmt::format("ran {} of {} repetitions", repetition + 1, options.reps),
                  static_cast<double>(repetition + 1) / options.reps);
  }
  progress.clear();
  warn_of_failed_runs(failures);
  return runs;
}

}  // namespace equipoise
