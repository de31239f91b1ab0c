// What the copies of a block cost on a simulated unit when nobody disturbs them.
#pragma once

#include "shared_policies/model/block_timing.hpp"
#include "shared_policies/model/unit_pipeline.hpp"
#include "shared_policies/model/workload.hpp"
#include "sim/simgrid_engine.hpp"

namespace equipoise {

/// A unit in a phase, as its copies depend on it.
struct CopyingUnit {
  const Workload& workload;
  const BlockTiming& timing;
  const UnitWays& ways;
  double resident_bytes = 0.0;  ///< that come with the block
  bool copies_itself = false;   ///< it has no copy engine
};

/// Sets the bytes of `work`, and how long they take alone. Bytes are the trace's if it has them,
/// else the workload's, rounded up to whole ones; they take latency + bytes / bandwidth of their
/// way. A unit that copies by itself takes the time that was recorded with its blocks, if there is
/// one, as long as nobody else is on its way; resident bytes take theirs beside it.
void add_copies(PipelinedBlock& work, const CopyingUnit& unit);

}  // namespace equipoise
