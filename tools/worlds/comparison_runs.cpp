// Simulates in parallel, and runs real runs one after another.
#include "tools/worlds/comparison_runs.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "tools/console/console.hpp"
#include "tools/console/progress.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/page/report_contents.hpp"
#include "tools/page/report_page.hpp"
#include "tools/report/csv_text.hpp"
#include "tools/report/json_text.hpp"
#include "tools/simulations/simulations.hpp"
#include "traces/json_document.hpp"

namespace equipoise {
namespace {

/// Larger run files are kept only with --runs all: about 60,000 blocks.
constexpr std::uintmax_t most_kept_bytes = std::uintmax_t{16} << 20;

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

/// The file of a comparison in `folder` for the first run of the policy that is spelled so.
std::string run_file_in(const std::string& folder, const std::string& spelling,
                        const std::string& on) {
  return fmt::format("{}/runs/{}-{}.jsonl", folder, as_file_name(spelling), on);
}

/// The run file for the first run of each policy and world; empty for other runs.
std::string journal_file(const Options& options, const PolicyChoice& choice, const std::string& on,
                         int repetition) {
  if (options.out.empty() || options.kept_runs == "none" || repetition > 0) return {};
  return run_file_in(options.out, choice.spelling, on);
}

/// Removes the run files that are too large to be kept without being asked for, and says so.
void remove_large_runs(const Comparison& comparison, const Options& options) {
  if (options.kept_runs != "small") return;
  std::vector<std::string> removed;
  for (const PolicyResult& result : comparison.results) {
    const std::string file = run_file_in(options.out, result.policy, result.on);
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(file, error);
    if (error || bytes < most_kept_bytes || !std::filesystem::remove(file, error)) continue;
    removed.push_back(fmt::format("{} ({}, {})", result.policy,
                                  counted(static_cast<std::size_t>(result.blocks), "block"),
                                  quantity_text(static_cast<double>(bytes), "B")));
  }
  if (removed.empty() || options.quiet) return;
  note(fmt::format("no run file is kept of {}, because it is large; --runs all keeps it",
                   in_one_line(removed)));
}

/// Removes the run files of the comparison whose results.json is in `options.out`, except those
/// that belong to `comparison`, so that the folder holds one experiment. What cannot be read is left.
void remove_earlier_runs(const Comparison& comparison, const Options& options) {
  std::set<std::string> ours;
  if (options.kept_runs != "none") {
    for (const PolicyResult& result : comparison.results) {
      ours.insert(run_file_in(options.out, result.policy, result.on));
    }
  }
  const std::string file = options.out + "/results.json";
  if (!std::filesystem::is_regular_file(file)) return;
  std::ostringstream text;  // not as an input, because it is written then
  text << std::ifstream(file, std::ios::binary).rdbuf();
  try {
    const JsonValue earlier = parse_json(text.str(), file);
    const JsonObject top(earlier, file, "results");
    for (const JsonValue& value : top.list("results")) {
      const JsonObject result(value, file, "a result");
      const std::string run = run_file_in(options.out, result.text("spelling"), result.text("on"));
      std::error_code none;
      if (!ours.contains(run)) std::filesystem::remove(run, none);
    }
  } catch (const InputError&) {  // not results of ours
  }
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
  warn_of_failed_runs(failures);
  return runs;
}

void run_each(const RealWorld& world, const std::vector<PolicyChoice>& choices,
              const Options& options, int repetition, RunsByPolicy& runs,
              std::vector<std::string>& failures) {
  for (const PolicyChoice& choice : choices) {
    const RunReport report =
        run_once(world, choice, options, static_cast<std::uint64_t>(repetition),
                 journal_file(options, choice, world.on, repetition));
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

void expect_no_sweep(const std::string& folder) {
  std::error_code none;
  const bool is_sweep = std::filesystem::exists(folder + "/points.jsonl", none) ||
                        std::filesystem::exists(folder + "/summary.json", none);
  if (folder.empty() || !is_sweep) return;
  throw InputError("--out", fmt::format("{} holds a sweep, whose report this would replace; give "
                                        "another folder",
                                        folder));
}

void expect_no_comparison(const std::string& folder) {
  std::error_code none;
  if (!std::filesystem::exists(folder + "/results.json", none)) return;
  throw InputError("--out", fmt::format("{} holds a comparison (results.json), whose report this "
                                        "would replace; give another folder",
                                        folder));
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
  remove_earlier_runs(comparison, options);
  remove_large_runs(comparison, options);
  write_result_files(comparison, options.out);
  if (!options.json) {
    const std::string runs =
        options.kept_runs == "none" ? "" : "   runs: " + options.out + "/runs/";
    std::printf("\nresults: %s/results.json   report: %s/report.html%s\n", options.out.c_str(),
                options.out.c_str(), runs.c_str());
  }
}

}  // namespace equipoise
