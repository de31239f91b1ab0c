// A platform with its traces and workloads: everything that simulations need.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/metrics.hpp"
#include "shared_policies/solve/lower_bound.hpp"
#include "sim/sim_executor.hpp"
#include "tools/worlds/options.hpp"
#include "tools/worlds/run_plan.hpp"

namespace equipoise {

/// A lower bound on the makespan of any run without noise.
struct RunBound {
  std::vector<LowerBound> phases;  ///< each from the end of the phase before
  std::optional<double> seconds;   ///< their sum; nullopt if all units leave before the end
};

/// The setting of simulations, independent of the policy.
struct SimWorld {
  SimSetup setup;  ///< without seed, repetition and noise
  std::vector<Unit> units;
  std::vector<std::vector<RecordedSizes>> recorded;  ///< [phase][unit]
  bool transfers_add_up = true;  ///< as the probe found; if false, the bound leaves copies out
  std::vector<Trace> traces;     ///< as given, in order
  std::vector<std::string> scenario_files;  ///< the files of the scenario
  RunBound bound;
  BlockLists schedule;                 ///< of `optimum`; if empty, it divides by itself
  std::optional<double> best_known_s;  ///< its makespan without noise, if one was searched
  std::string settings;                ///< for headers: a JSON object as text
};

/// Reads and checks `--platform`, `--trace`, `--workload` and `--scenario`, and prints warnings.
/// Throws InputError.
[[nodiscard]] SimWorld load_sim_world(const Options& options);

/// The costs of whole blocks, phase by phase, for informed policies and oracles: mean block times
/// and undisturbed transfers, from the traces and the routes. `traces` are the world's own or a
/// profile's.
[[nodiscard]] KnownCosts known_costs(const SimWorld& world, const std::vector<Trace>& traces);

/// Simulates `choice` in this process, which must not be used for anything else afterwards.
[[nodiscard]] RunReport simulate_once(const SimWorld& world, const PolicyChoice& choice,
                                      const Options& options, std::uint64_t repetition,
                                      const std::string& journal_file);

/// Throws InputError if `choice` cannot be made for this world.
void check_policy(const SimWorld& world, const PolicyChoice& choice);

}  // namespace equipoise
