// The time that a unit needs for blocks whose stages overlap.
#pragma once

#include <span>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// The time from the start of the first copy in to the end of the last copy out, for a group of
/// blocks on an idle unit.
///
/// Every block is copied in, computed and copied out; each stage takes the blocks in the order of
/// the group. A copy engine never waits while a copy is ready: inputs are fetched ahead (the group
/// fits into memory), and with one engine a copy out that is ready has priority over a copy in.
/// This is the behaviour of UnitPipeline, which executors use. Returns 0 if there are no blocks.
/// O(m) for m blocks.
[[nodiscard]] Seconds pipeline_time(std::span<const StageTimes> times, int copy_engines);

}  // namespace equipoise
