// A simulated machine (a platform with its traces and workloads), and one simulated run on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/machine/controller_work.hpp"
#include "shared_policies/machine/item_costs.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/platform.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/metrics.hpp"
#include "shared_policies/solve/lower_bound.hpp"
#include "sim/sim_executor.hpp"
#include "tools/runs/options.hpp"
#include "tools/runs/run_plan.hpp"
#include "traces/run_settings.hpp"

namespace equipoise {

/// All inputs of a simulated machine. Everything else follows from them (`make_sim_machine`).
struct SimInputs {
  PlatformSource source;
  Platform platform;  ///< with the units that take part
  /// Whether a copy alone takes latency + bytes / bandwidth of its links, as the probe found. If
  /// not, the lower bound leaves copies out.
  bool transfers_add_up = true;
  std::vector<Trace> traces;  ///< as given, in order
  std::vector<Workload> phases;
  std::vector<ItemCostsPtr> item_costs;  ///< (phases); empty: all items are alike
  Scenario scenario;
  std::vector<std::string> scenario_files;        ///< the files of the scenario
  std::optional<Seconds> dispatch_cost;           ///< replaces those of the traces
  std::optional<ControllerWork> controller_cost;  ///< likewise
};

/// The least mean makespan that is known to be reached, and by which policy.
struct BestReached {
  double seconds = 0.0;
  std::string spelling;  ///< of the policy
};

/// A lower bound on the makespan of any run without noise.
struct RunBound {
  std::vector<LowerBound> phases;  ///< each from the end of the phase before
  std::optional<double> seconds;   ///< their sum; nullopt if all units leave before the end
};

/// What simulations of all policies have in common.
struct SimMachine {
  /// What was read. Machines that share their inputs are one machine for the simulation server.
  std::shared_ptr<const SimInputs> inputs;
  SimSetup setup;  ///< without seed, repetition and noise
  std::vector<Unit> units;
  std::vector<std::vector<RecordedSizes>> recorded_sizes;  ///< (phases, units)
  RunBound bound;
  BlockLists schedule;                    ///< of `optimum`; if empty, it divides by itself
  std::optional<BestReached> best_known;  ///< without noise, if a schedule was searched
};

/// The machine of `inputs` without bound and schedule: what a simulation needs.
[[nodiscard]] SimMachine make_sim_machine(std::shared_ptr<const SimInputs> inputs);

/// The settings of runs in `machine` with `options`, for headers.
[[nodiscard]] RunSettings settings_of(const SimMachine& machine, const RunSettings& options);

/// The lower bound on the makespan of runs in `machine`. Leaves copies out if the links' figures do
/// not hold (profiles, network settings).
[[nodiscard]] RunBound run_bound(const SimMachine& machine);

/// The times of the phases of the machine's bound less those of the merges between iterations;
/// empty if the bound is not known.
[[nodiscard]] std::vector<BoundPhase> bound_phases(const SimMachine& machine);

/// `machine` under `scenario` instead of its own. It has no bound yet, because that depends on the
/// scenario.
[[nodiscard]] SimMachine under_scenario(const SimMachine& machine, Scenario scenario);

/// The machine in which the units called `names` are absent from the start to the end, with its
/// bound and without a schedule. They draw idle watts.
[[nodiscard]] SimMachine without_units(const SimMachine& machine,
                                       const std::vector<std::string>& names);

/// The machine with its first `phases` phases only, without a schedule.
[[nodiscard]] SimMachine first_phases(SimMachine machine, std::size_t phases);

/// The costs of whole blocks, phase by phase, for informed policies and oracles: mean block times
/// and undisturbed transfers, from the traces and the routes. `traces` are the machine's own or a
/// profile's.
[[nodiscard]] KnownCosts known_costs(const SimMachine& machine, const std::vector<Trace>& traces);

/// What `choice` is told before a run: block times of its profile or of the machine's own traces,
/// and the costs of items, if it knows costs.
[[nodiscard]] KnownCosts known_to(const PolicyChoice& choice, const SimMachine& machine);

/// The times of blocks' copies over routes that nothing else uses, without the scenario.
[[nodiscard]] CopyTimesAlone copy_times_alone(const SimMachine& machine);

/// The resident data, which a unit must have before its first block, and the link that takes
/// longest to carry them to all units behind it.
struct ResidentPath {
  double bytes = 0.0;  ///< of the phase with the most
  std::string link;    ///< empty: no link carries any
  /// (units): the first unit that gets them over the link by the same copy, or none if the unit
  /// does not get them over that link. Units that share the data of a node get them by one copy.
  std::vector<std::optional<std::size_t>> copy_of;
};

/// The path of the resident data of `machine`; an empty one if `machine` is null, as for real
/// units.
[[nodiscard]] ResidentPath resident_path(const SimMachine* machine);

/// Throws InputError if the policy of `choice`, or `per_node` below it (unless that is empty),
/// refuses this machine or its parameters.
void check_policy(const SimMachine& machine, const PolicyChoice& choice,
                  const std::string& per_node);

/// A run to be simulated.
struct Simulation {
  std::shared_ptr<const SimInputs> inputs;  ///< of its machine
  std::size_t phases = 0;                   ///< run only so many of the machine's phases
  BlockLists schedule;                      ///< of `optimum`; if empty, it divides by itself
  PlannedRun run;
};

/// The run of `choice` in `machine` with the seed, noise and decision cost of `options`.
[[nodiscard]] Simulation simulation_of(const SimMachine& machine, PolicyChoice choice,
                                       const RunOptions& options, std::uint64_t repetition = 0,
                                       RunFileTarget run_file = {});

/// Simulates in this process, which must not be used for anything else afterwards. `machine` is
/// made from the simulation's inputs. `stop_requested` is first called when SimGrid has loaded the
/// platform; the run ends early when it returns true. Throws InputError and BackendError.
[[nodiscard]] RunReport simulate_here(SimMachine machine, const Simulation& simulation,
                                      std::function<bool()> stop_requested);

}  // namespace equipoise
