// An executor in virtual time: blocks move over a SimGrid platform, with compute times from a
// trace.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/controller_work.hpp"
#include "shared_policies/machine/copy_work.hpp"
#include "shared_policies/machine/item_costs.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/block_timeout.hpp"
#include "shared_policies/model/platform.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/run/executor.hpp"
#include "shared_policies/run/two_levels.hpp"

namespace equipoise {

/// The costs of one phase in addition to the stages of its blocks.
struct PhaseCosts {
  /// The time from the handing out of a block to the earliest start of its stages, with the
  /// controller's work for handing it out. It overlaps with waiting in the unit's queue.
  Seconds dispatch{5e-6};
  Seconds first_use;  ///< time of a unit before it gets the resident data of the phase
  Seconds merge{};    ///< time of the master before every iteration except the first
  /// (units), replaces `dispatch`; empty: the same for all units.
  std::vector<Seconds> unit_dispatch{};
  ControllerWork controller{};  ///< all nothing: it has time for everything at once
  /// (units) What copies take from their computations; empty: nothing.
  std::vector<CopyWork> unit_copies{};
  /// The unit whose computation stands still while the controller is busy; if it copies by itself,
  /// its copies do, too.
  std::optional<UnitId> shares_core{};
  ItemCostsPtr items{};  ///< the costs of the phase's items

  [[nodiscard]] Seconds dispatch_of(std::size_t unit) const {
    return unit_dispatch.empty() ? dispatch : unit_dispatch[unit];
  }
};

/// The input of one simulated run.
struct SimSetup {
  PlatformSource source;  ///< loaded again by the executor
  /// The result of `probe_platform`, reduced to units that take part. A unit whose route has no
  /// links (it is on the master) transfers nothing. Where the figures of its links are not those of
  /// `source`, they count.
  Platform platform;
  std::vector<Workload> phases;
  std::vector<std::vector<BlockTiming>> timing;  ///< (phases, units)
  std::uint64_t seed = 1;
  std::uint64_t repetition = 0;
  bool noise = true;
  std::vector<PhaseCosts> costs;  ///< (phases)
  /// The disturbances of the units and links of `platform`; targets that are not in it are ignored.
  Scenario scenario;
  /// Of a run of two levels: the nodes among which the executor's user divides, and their agents,
  /// which divide among units of `platform`. Empty: the units are those of `platform`.
  std::vector<NodeOfRun> nodes{};
  std::shared_ptr<const NodeAgents> agents{};
  BlockTimeout block_timeout;  ///< when a unit that keeps its blocks is lost (BlockWatch)
  /// Simulate every stage as a SimGrid activity, even one that nothing can disturb (for the test
  /// that activities and known durations give equal times).
  bool activities_only = false;
};

/// Creates the executor. Only one in each process, because SimGrid has one engine and one clock; a
/// second one is a bug. Throws BackendError if the program has no SimGrid.
///
/// A block is dispatched, copied in, computed and copied out. A unit's first block of a phase has a
/// setup before its copy in: first use, then a transfer of the resident bytes; that of a further
/// iteration, a transfer of the iteration bytes. The blocks of a unit overlap as its copy engines
/// and its memory allow; units of one device share its copy engines (MachinePipelines). Bytes are
/// rounded up to whole ones. Compute times are drawn by unit, kernel and ordinal of the block on
/// the unit in this run, or are means without noise. Bytes come from the trace if it has them, else
/// from the workload.
///
/// A unit whose memory does not hold the resident data reads the rest while it computes, in a time
/// known in advance (ResidentStream).
///
/// A transfer takes latency + bytes / bandwidth if no other transfer can use the links of its route
/// at the same time, and the file has no `<config>` settings or link profiles that make SimGrid
/// differ. All other transfers share links as SimGrid simulates them. Events inside SimGrid that
/// are less than 0.1 ns apart count as simultaneous.
///
/// Under a scenario, a computation or a private transfer ends when the integral of the changing
/// speed or bandwidth reaches its work. Latencies do not change, except on units without copy
/// engines. Bandwidths of shared links are changed in SimGrid. A unit without copy engines makes
/// its private copies at its own speed; `timing` should include what its recorded copies took
/// beyond the lines (block_timing_of). A unit that fails drops its blocks and is reported as
/// UnitLost at once, a unit that keeps its blocks when `block_timeout` says so. With a fixed time
/// it drops its blocks and comes back only if the scenario brings it back; with an automatic one it
/// goes on with what it has begun, copies no results, and joins again when that has ended. The
/// first block after it joins again brings the setup again. A stage that ends at the same time as a
/// failure counts as ended.
///
/// The controller is one actor: while it has work of its own (`PhaseCosts::controller`) or a
/// decision (`occupy`), reports wait, in the order in which they came. Bytes that it copies keep it
/// busy after the block was handed out, while they are under way. A unit on its core stands still
/// meanwhile (`PhaseCosts::shares_core`).
///
/// In a run of two levels, the bytes of a block, and the resident data once, go over the links that
/// lead to all units of its node, and the agent, one actor with the same work as the controller,
/// hands out its parts in the node: their copies go over the links behind, if there are any (to an
/// accelerator), and do not disturb those of other units there. The block is computed when its
/// parts are done. A part is handed out in `PhaseCosts::dispatch`.
///
/// The time of a unit's decision (`occupy`) comes after the blocks that it has. `run` throws
/// BackendError if the platform does not load, a host is missing, or the platform turns off a host
/// or link that a stage needs. The body runs on a stack of 8 MiB. Cost: about 0.9 us for a block if
/// nothing is shared, 6 us with two transfers over a shared link that is not full. Memory grows
/// with units and queued blocks.
[[nodiscard]] std::unique_ptr<Executor> make_sim_executor(SimSetup setup);

}  // namespace equipoise
