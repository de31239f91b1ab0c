// The runs of a comparison: every policy and repetition, in simulation and for real.
#pragma once

#include <string>
#include <vector>

#include "tools/commands/options.hpp"
#include "tools/worlds/comparison.hpp"
#include "tools/worlds/real_world.hpp"
#include "tools/worlds/run_plan.hpp"
#include "tools/worlds/sim_world.hpp"

namespace equipoise {

/// Simulates every policy and repetition, each in a process of its own, on all cores. What gave no
/// result is warned of, and sets `failed`. A stop that is requested leaves the runs that had ended.
[[nodiscard]] RunsByPolicy simulate_all(const SimWorld& world,
                                        const std::vector<PolicyChoice>& choices,
                                        const Options& options, bool& failed);

/// Really runs every policy once, and adds to `runs`; the kernels are allocated. A stop that is
/// requested leaves the runs that had ended.
void run_each(const RealWorld& world, const std::vector<PolicyChoice>& choices,
              const Options& options, int repetition, RunsByPolicy& runs);

/// Really runs every policy and repetition, one after another, policies in turn so that a drift of
/// the machine meets all; a first run of the first policy, not counted, warms up. The kernels are
/// allocated. A stop that is requested leaves the runs that had ended.
[[nodiscard]] RunsByPolicy run_all(const RealWorld& world, const std::vector<PolicyChoice>& choices,
                                   const Options& options);

/// Throws InputError, before anything is written, for a policy that cannot be made. Worlds that
/// take no part are null.
void check_policies(const std::vector<PolicyChoice>& choices, const SimWorld* sim,
                    const RealWorld* real);

/// The files that a comparison in these worlds ("sim", "real", "paced") writes into `options.out`;
/// none where that is not given.
[[nodiscard]] std::vector<std::string> files_of_comparison(const std::vector<PolicyChoice>& choices,
                                                           const std::vector<std::string>& worlds,
                                                           const Options& options);

/// Where a stop was requested: writes the results that there are, marked, and throws Interrupted.
void end_if_interrupted(Comparison& comparison, const Options& options);

/// Writes results.json and report.html into `options.out`, if that is given, and says so.
void write_results(const Comparison& comparison, const Options& options);

}  // namespace equipoise
