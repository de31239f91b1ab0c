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

/// The file of a comparison in `folder` for the first run of the policy that is spelled so.
[[nodiscard]] std::string run_file_of(const std::string& folder, const std::string& spelling,
                                      const std::string& on);

/// The run file for the first run of each policy and world, if run files are kept; empty for other
/// runs.
[[nodiscard]] std::string run_file_to_keep(const Options& options, const PolicyChoice& choice,
                                           const std::string& on, int repetition);

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

}  // namespace equipoise
