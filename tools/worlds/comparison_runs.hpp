// Makes the runs of a comparison: every policy and repetition, in simulation and for real.
#pragma once

#include <string>
#include <vector>

#include "tools/runs/options.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/simulations/sim_world.hpp"
#include "tools/worlds/comparison.hpp"
#include "tools/worlds/real_world.hpp"

namespace equipoise {

/// Simulates every policy and repetition in separate processes on all cores. Warns about runs
/// without a result and sets `failed`. After a stop request, returns the runs that have ended.
[[nodiscard]] RunsByPolicy simulate_all(const SimWorld& world,
                                        const std::vector<PolicyChoice>& choices,
                                        const Options& options, bool& failed);

/// Runs every policy once for real and adds to `runs`, and to `failures` a text about each run that
/// is not verified. The kernels must be allocated. After a stop request, keeps the runs that have
/// ended.
void run_each(const RealWorld& world, const std::vector<PolicyChoice>& choices,
              const Options& options, int repetition, RunsByPolicy& runs,
              std::vector<std::string>& failures);

/// One warning for all these runs; none if there are none.
void warn_of_failed_runs(const std::vector<std::string>& failures);

/// Runs every policy and repetition for real, one after another. Policies take turns, so that a
/// drift of the machine affects all of them. A first run of the first policy warms up and does not
/// count. The kernels must be allocated. After a stop request, returns the runs that have ended.
[[nodiscard]] RunsByPolicy run_all(const RealWorld& world, const std::vector<PolicyChoice>& choices,
                                   const Options& options);

/// The files that a comparison in these worlds ("sim", "real", "paced") writes to `options.out`;
/// empty if that is not given.
[[nodiscard]] std::vector<std::string> files_of_comparison(const std::vector<PolicyChoice>& choices,
                                                           const std::vector<std::string>& worlds,
                                                           const Options& options);

/// Throws InputError, at `--out`, if `folder` holds a sweep; its report would be replaced. An empty
/// `folder` is none.
void expect_no_sweep(const std::string& folder);

/// Throws InputError, at `--out`, if `folder` holds the results of a comparison.
void expect_no_comparison(const std::string& folder);

/// If a stop was requested, writes the results so far, marked as interrupted, and throws
/// Interrupted.
void end_if_interrupted(Comparison& comparison, const Options& options);

/// The files of a comparison's results in `folder`: results.json, results.csv and report.html.
[[nodiscard]] std::vector<std::string> result_files(const std::string& folder);

/// Writes these files.
void write_result_files(const Comparison& comparison, const std::string& folder);

/// Writes them to `options.out`, if given, and prints their paths. Removes the run files there that
/// an earlier comparison left, and those that `options.kept_runs` does not keep.
void write_results(const Comparison& comparison, const Options& options);

}  // namespace equipoise
