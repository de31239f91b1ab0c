// Units and kernels of this machine, for all commands that run something in real time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "real/disturbances.hpp"
#include "real/kernels/kernel.hpp"
#include "real/machine.hpp"
#include "real/meters/meter_sampler.hpp"
#include "real/nodes/nodes.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/machine/trace.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "tools/runs/options.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/simulations/sim_machine.hpp"

namespace equipoise {

/// A loop of the program that uses the library.
struct LoopWorkload {
  std::function<std::unique_ptr<Kernel>()> make_kernel;  ///< each call another one
  /// Those that `--unit` only names; empty: units are what is typed there.
  std::vector<UnitSpec> units;
};

/// What runs in real time need, whatever their policy.
struct RealMachine {
  std::string on;                      ///< "real", or "paced" if no unit computes
  std::vector<UnitSpec> specs;         ///< the units that take part
  std::shared_ptr<Nodes> nodes;        ///< that have some of them; null: this process has all
  std::optional<Placement> placement;  ///< of all units, if there are nodes
  std::vector<Unit> units;
  /// (phases), allocated by `allocate`; null if no unit computes, because then the workload may be
  /// one that only occurs in a trace.
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<Workload> phases;
  /// (phases) what paced units know of items, and kernels that take costs are given; null: nothing.
  std::vector<ItemCostsPtr> item_costs;
  bool results_are_elsewhere = false;  ///< commands leave files on nodes that this one does not see
  std::vector<Seconds> merges;         ///< (phases) time between iterations where no kernel merges
  std::vector<Trace> traces;           ///< profiles for informed policies; may be empty
  Scenario scenario;
  std::shared_ptr<MeterSampler> meters;  ///< of energy; null if no unit computes
  /// The simulation of the same machine, whose bound and costs also apply here; nullptr if none.
  std::shared_ptr<SimMachine> platform;
  RunSettings settings;  ///< for headers

  /// Whether any unit computes; otherwise all take their times from traces.
  [[nodiscard]] bool computes() const;
  /// Makes the kernels' data, which is the same for the same seed.
  void allocate(std::uint64_t seed);
  /// Finds the meters of this machine, unless they are not to be read, and measures it for `idle`
  /// while nothing runs, if there are any. Does nothing if no unit computes.
  void find_meters(bool are_read, std::chrono::milliseconds idle = idle_span);
  /// Throws InputError if a kernel was given costs: what is recorded of it would be of these items.
  void expect_alike_items() const;
  /// What the results of a complete run are worth. Nothing is wrong with them if some unit, being
  /// paced, has computed nothing.
  [[nodiscard]] Judgement verify() const;
};

/// Whether units are given one by one.
[[nodiscard]] bool has_units(const RunOptions& options);

/// Reads and checks `--unit`, `--workload`, `--trace` and `--scenario`. Without units, reads
/// `--platform`, whose timed hosts become paced units. Does not allocate data. Throws InputError.
[[nodiscard]] RealMachine load_real_machine(const RunOptions& options);

/// The machine of units that are given one by one (`--unit`), with `traces` in place of the files
/// that `options` names.
[[nodiscard]] RealMachine load_real_machine(const RunOptions& options, std::vector<Trace> traces);

/// The units, and the kernels of the workloads, that the master asks of a node. Names of units
/// begin with that of the node. Nothing is placed. `any_computes`: whether any unit of the run
/// does.
[[nodiscard]] RealMachine load_node_machine(const RunOptions& options, std::vector<Trace> traces,
                                            const std::string& node, bool any_computes);

/// Makes `sim`, which was loaded with `options`, the platform of `machine`, so that informed
/// policies know the same in both, and the units have its watts. Throws InputError if the units
/// differ.
void pair_with(RealMachine& machine, std::shared_ptr<SimMachine> sim, const RunSettings& options);

/// The costs of whole blocks, including copies, phase by phase, from the traces for these units.
/// For informed policies and oracles.
[[nodiscard]] KnownCosts known_costs(const std::vector<Workload>& phases,
                                     const std::vector<std::string>& units_in_traces,
                                     const std::vector<Trace>& traces);

/// The costs of whole blocks on the units of `machine`: those of its platform if it has one, else
/// from the traces.
[[nodiscard]] KnownCosts known_costs(const RealMachine& machine, const std::vector<Trace>& traces);

/// What `choice` is told before a run: block times of its profile or of the machine's traces, and
/// the costs of items, if it knows costs and the units are paced. Nobody knows those of kernels
/// that compute.
[[nodiscard]] KnownCosts known_to(const PolicyChoice& choice, const RealMachine& machine);

}  // namespace equipoise
