// An executor in real time: worker threads on this machine's units compute the blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "real/controller_times.hpp"
#include "real/kernels/kernel.hpp"
#include "real/machine.hpp"
#include "real/meters/meter_sampler.hpp"
#include "real/nodes/nodes.hpp"
#include "real/paced/paced_unit.hpp"
#include "real/threads/clock.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/block_timeout.hpp"
#include "shared_policies/run/executor.hpp"
#include "shared_policies/run/results.hpp"
#include "shared_policies/run/two_levels.hpp"

namespace equipoise {

/// One phase of a real run.
struct RealPhase {
  /// A phase of `computed`, which is allocated and outlives the executor.
  RealPhase(Kernel* computed) : workload(computed->workload()), kernel(computed) {}
  /// A phase of a workload; `computed` is null if no unit computes it.
  RealPhase(Workload timed, Kernel* computed, Seconds merge_time)
      : workload(std::move(timed)), kernel(computed), merge(merge_time) {}

  Workload workload;
  Kernel* kernel = nullptr;
  Seconds merge;  ///< how long the controller waits between iterations if no kernel merges
};

/// The share that a competing load really had.
struct LoadReport {
  const Disturbance* load = nullptr;  ///< an event of the setup's scenario
  double share = 0.0;                 ///< of the unit, while the load ran
};

/// One real run.
struct RealSetup {
  std::vector<UnitSpec> units;         ///< the participating units, in the order of their UnitIds
  std::optional<Placement> placement;  ///< if absent, `place_units` decides
  /// The other processes of the run, which have some of the units; null: there are none.
  std::shared_ptr<Nodes> nodes;
  /// Of a run of two levels: the agents of the nodes of the units (`nodes_of`), among which the
  /// executor's user divides. Null: it divides among the units.
  std::shared_ptr<const NodeAgents> agents;
  std::vector<RealPhase> phases;
  RunDraws draws;     ///< of paced units
  Scenario scenario;  ///< disturbances of the units; events for absent targets have no effect
  BlockTimeout block_timeout;  ///< when a unit that keeps its blocks is lost (BlockWatch)
  /// The clock that gives all times of the run. If null, the machine's clock, see
  /// `make_steady_clock`.
  std::shared_ptr<Clock> clock;
  /// The scale of the clock. May differ from 1 only if all units are paced.
  double time_scale = 1.0;
  /// Samples meters from the start of `body` to its end. May be null.
  std::shared_ptr<MeterSampler> meters;
  /// Called on the controller's thread, at least every 50 ms while the executor waits, and on those
  /// of agents. If it returns true, `next` returns nothing. May be empty.
  std::function<bool()> stop_requested;
  /// Called with the reason when a unit is lost, on the controller's thread, or on that of the
  /// agent of its node. May be empty.
  std::function<void(const std::string&)> warn;
  /// Called when a run with paced units ends. May be empty.
  std::function<void(const PacingReport&)> report_pacing;
  /// Called when a run ends, for each load that has begun. May be empty.
  std::function<void(const LoadReport&)> report_load;
  /// Called when a run on nodes begins and when it ends, with how their clocks differ from this
  /// one's, as Nodes::clocks. May be empty.
  std::function<void(const std::vector<std::optional<ClockOffset::Estimate>>&)> report_clocks;
  /// Called when a run ends, with the use of the units' cores during it. May be empty.
  std::function<void(const CoreUse&)> report_core_use;
  /// Called when a run ends, with the controller's times, which are taken if this is not empty.
  std::function<void(const ControllerTimes&)> report_controller;
  /// Called before the end of a block is told. Waits are measured, of units of CPU cores, if this
  /// is not empty.
  std::function<void(UnitId, const BlockCores&)> report_cores;
};

/// Makes the executor. The thread that calls `run` is the controller; each unit has one thread for
/// each of its cores. `run` makes the kernels discard their results and may be called again.
/// `occupy` does nothing, because real time passes by itself. The time of an event is when it
/// happened at the unit. Times of events strictly increase in the order of reporting.
///
/// A block that a unit could not do for lack of memory or by a failure that it survives is reported
/// as BlockLost, and the unit gets blocks of at most half its size from then on. A unit is reported
/// as UnitLost if it fails, if it cannot do two blocks of one grain, one after the other, if the
/// scenario takes it away, or if it keeps its blocks longer than `block_timeout` allows. Its
/// outstanding blocks are lost, and their results are never used. A computation cannot be stopped:
/// its end is ignored, and a unit that joins again starts after it. With an automatic timeout, a
/// late unit joins again when it has ended what it had begun; if no other unit is left, `next`
/// waits for that. A unit that has failed does not join again. Throws InputError if real units
/// cannot follow the scenario (`UnitSpec::rates`).
[[nodiscard]] std::unique_ptr<Executor> make_real_executor(RealSetup setup);

}  // namespace equipoise
