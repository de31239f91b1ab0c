// An executor in virtual time: blocks move over a SimGrid platform and take the times of a trace.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/platform.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/run/executor.hpp"

namespace equipoise {

/// What blocks of one phase cost beside their stages.
struct PhaseCosts {
  /// From the handing out of a block to the earliest begin of its stages. A block that waits in a
  /// queue is dispatched meanwhile.
  Seconds dispatch{5e-6};
  Seconds first_use;  ///< a unit is taken this long more before its first block of the phase
  Seconds merge{};    ///< the master is taken this long before every iteration but the first
  /// (units) In place of `dispatch`; empty: the same for all.
  std::vector<Seconds> unit_dispatch{};

  [[nodiscard]] Seconds dispatch_of(std::size_t unit) const {
    return unit_dispatch.empty() ? dispatch : unit_dispatch[unit];
  }
};

/// One simulated run.
struct SimSetup {
  PlatformSource source;  ///< loaded again by the executor
  /// As `probe_platform` gave it, units that take part only. A unit whose route has no links (it is
  /// on the master) moves nothing.
  Platform platform;
  std::vector<Workload> phases;
  std::vector<std::vector<BlockTiming>> timing;  ///< (phases, units)
  std::uint64_t seed = 1;
  std::uint64_t repetition = 0;
  bool noise = true;
  std::vector<PhaseCosts> costs;  ///< (phases)
  /// What disturbs the units and links of `platform`; targets that are not in it do nothing.
  Scenario scenario;
  /// Simulate every stage as a SimGrid activity, even one that nobody can disturb (for the test
  /// that holds both ways equal).
  bool activities_only = false;
};

/// Makes the executor. One per process: SimGrid has one engine and one clock, so a second is a bug.
/// Throws BackendError where the program has no SimGrid.
///
/// A block is dispatched, copied in (first use and resident bytes before the first), computed,
/// copied out; the blocks of a unit overlap as its copy engines and its memory let them
/// (UnitPipeline). Resident bytes travel with the first block's own, in one transfer; bytes are
/// rounded up to whole ones. Compute times are drawn by unit, kernel and ordinal of the block on
/// the unit in this run, or are means without noise. Bytes come from the trace if it has them, else
/// from the workload.
///
/// A transfer over a route whose links no other transfer can use at the same time takes latency +
/// bytes / bandwidth, unless the file's own `<config>`, or profiles of its links, make SimGrid
/// differ; all others share links as SimGrid does. Events of SimGrid's own less than 0.1 ns apart
/// are one.
///
/// Under a scenario, a computation or a private transfer ends when the changing speed or bandwidth
/// has done its work (latencies do not change); links that are shared change in SimGrid. A unit
/// without copy engines makes its private copies at its own speed, in the times that the trace has
/// for them, if it has. A unit that fails drops its
/// blocks at once; the first block after it joins brings first use and resident bytes again. What
/// ends at the very time of a failure has ended.
///
/// Thinking of a unit (`occupy`) follows the blocks that it has. `run` throws BackendError when the
/// platform does not load, a host is missing, or the platform takes a host or link away for good.
/// The body runs on a stack of 8 MiB. Cost: about 0.9 us a block where nothing is shared, 6 us with
/// two transfers over a shared link that is not full; memory grows with units and queued blocks.
[[nodiscard]] std::unique_ptr<Executor> make_sim_executor(SimSetup setup);

}  // namespace equipoise
