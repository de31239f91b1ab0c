// The files of a comparison: results.json, results.csv, report.html and the run files that are
// kept.
#pragma once

#include <string>
#include <vector>

#include "tools/runs/options.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// The files that a comparison in these worlds ("sim", "real", "paced") writes to `options.out`;
/// empty if that is not given.
[[nodiscard]] std::vector<std::string> files_of_comparison(const std::vector<PolicyChoice>& choices,
                                                           const std::vector<std::string>& worlds,
                                                           const ComparisonOptions& options);

/// Throws InputError, at `--out`, if `folder` holds a sweep; its report would be replaced. An empty
/// `folder` is none.
void expect_no_sweep(const std::string& folder);

/// Throws InputError, at `--out`, if `folder` holds the results of a comparison.
void expect_no_comparison(const std::string& folder);

/// If a stop was requested, writes the results so far (`write_results`), marked as interrupted, and
/// throws Interrupted.
void end_if_interrupted(Comparison& comparison, const ComparisonOptions& options, bool prints);

/// The files of a comparison's results in `folder`: results.json, results.csv and report.html.
[[nodiscard]] std::vector<std::string> result_files(const std::string& folder);

/// Writes results.json, results.csv and report.html to `folder`.
void write_result_files(const Comparison& comparison, const std::string& folder);

/// Writes the files of a comparison's results to `options.out`, if given, and prints their paths if
/// `prints`. Removes the run files there that an earlier comparison left, and those that
/// `options.kept_runs` does not keep.
void write_results(const Comparison& comparison, const ComparisonOptions& options, bool prints);

}  // namespace equipoise
