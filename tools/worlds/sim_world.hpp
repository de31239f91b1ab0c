// A platform, its traces and the workloads, put together: everything that simulations need.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/platform.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/metrics.hpp"
#include "shared_policies/solve/lower_bound.hpp"
#include "sim/sim_executor.hpp"
#include "tools/commands/options.hpp"
#include "tools/worlds/run_plan.hpp"

namespace equipoise {

/// The bound that no run is under with noise off.
struct RunBound {
  std::vector<LowerBound> phases;  ///< each from the end of the one before
  std::optional<double> seconds;   ///< their sum; nothing where all units go before the end
};

/// What is simulated, whatever the policy.
struct SimWorld {
  SimSetup setup;  ///< seed, repetition and noise aside
  std::vector<Unit> units;
  std::vector<std::vector<RecordedSizes>> recorded;  ///< [phase][unit]
  bool transfers_add_up = true;  ///< as the probe found; else the bound leaves copies out
  std::vector<Trace> traces;     ///< as given, in order
  std::vector<std::string> scenario_files;  ///< what the scenario was read from
  RunBound bound;
  BlockLists schedule;                 ///< that `optimum` keeps to; empty: it divides by itself
  std::optional<double> best_known_s;  ///< its makespan without noise, where one was searched
  std::string settings;                ///< for headers: a JSON object as text
};

/// Reads and checks `--platform`, `--trace`, `--workload` and `--scenario`. Warns of what it goes
/// on with. Throws InputError.
[[nodiscard]] SimWorld load_sim_world(const Options& options);

/// The costs of whole blocks, as the traces and the routes have them, for informed policies and
/// oracles: mean block times and undisturbed transfers, phase by phase.
/// `traces` are the world's own, or a profile's.
[[nodiscard]] KnownCosts known_costs(const SimWorld& world, const std::vector<Trace>& traces);

/// Simulates `choice` in this process, which does nothing else afterwards.
[[nodiscard]] RunReport simulate_once(const SimWorld& world, const PolicyChoice& choice,
                                      const Options& options, std::uint64_t repetition,
                                      const std::string& journal_file);

/// Throws InputError when `choice` cannot be made for this world.
void check_policy(const SimWorld& world, const PolicyChoice& choice);

}  // namespace equipoise
