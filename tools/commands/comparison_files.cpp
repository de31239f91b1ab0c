// Writes the files of a comparison, and removes those of an earlier one.
#include "tools/commands/comparison_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

#include "shared_policies/model/failure.hpp"
#include "tools/console/console.hpp"
#include "tools/console/text_table.hpp"
#include "tools/page/report_page.hpp"
#include "tools/report/result_fields.hpp"
#include "tools/worlds/world.hpp"
#include "traces/json_document.hpp"

namespace equipoise {
namespace {

/// Says which run files were given up because they are larger than is kept without being asked for.
void note_large_runs(const Comparison& comparison, const ComparisonOptions& options) {
  if (options.kept_runs != KeptRuns::small || options.quiet) return;
  std::vector<std::string> large;
  for (const PolicyResult& result : comparison.results) {
    std::error_code error;
    const std::string file = run_file_of(options.out, result.spelling, result.on);
    if (std::filesystem::exists(file, error)) continue;
    large.push_back(fmt::format(
        "{} ({})", result.spelling,
        counted(static_cast<std::size_t>(*result.means.of<&RunNumbers::blocks>()), "block")));
  }
  if (large.empty()) return;
  note(fmt::format("no run file is kept of {}, because it is large; --runs all keeps it",
                   in_one_line(large)));
}

/// Removes the run files of the comparison whose results.json is in `options.out`, except those
/// that belong to `comparison`, so that the folder holds one experiment. What cannot be read is
/// left.
void remove_earlier_runs(const Comparison& comparison, const ComparisonOptions& options) {
  std::set<std::string> ours;
  if (options.kept_runs != KeptRuns::none) {
    for (const PolicyResult& result : comparison.results) {
      ours.insert(run_file_of(options.out, result.spelling, result.on));
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
      const std::string run = run_file_of(options.out, result.text("spelling"), result.text("on"));
      std::error_code none;
      if (!ours.contains(run)) std::filesystem::remove(run, none);
    }
  } catch (const InputError&) {  // not results of ours
  }
}

}  // namespace

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
                                             const ComparisonOptions& options) {
  if (options.out.empty()) return {};
  std::vector<std::string> files = result_files(options.out);
  for (const PolicyChoice& choice : choices) {
    for (const std::string& on : worlds)
      files.push_back(run_file_to_keep(options, choice, on, 0).path);
  }
  return files;
}

void end_if_interrupted(Comparison& comparison, const ComparisonOptions& options, bool prints) {
  if (stop_signal() == 0) return;
  comparison.interrupted = true;
  relate_results(comparison, options.baseline);
  if (!comparison.results.empty()) write_results(comparison, options, prints);
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

void write_results(const Comparison& comparison, const ComparisonOptions& options, bool prints) {
  if (options.out.empty()) return;
  remove_earlier_runs(comparison, options);
  note_large_runs(comparison, options);
  write_result_files(comparison, options.out);
  if (!prints) return;
  const std::string runs =
      options.kept_runs == KeptRuns::none ? "" : "   runs: " + options.out + "/runs/";
  print_out("\nresults: {0}/results.json   report: {0}/report.html{1}\n", options.out, runs);
}

}  // namespace equipoise
