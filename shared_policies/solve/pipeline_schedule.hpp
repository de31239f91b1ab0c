// How long a unit takes for blocks whose stages overlap.
#pragma once

#include <span>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// The time from the first copy in to the last copy out of one group of blocks on an idle unit.
///
/// Every block is copied in, computed and copied out, each stage in the order of the group. A copy
/// engine never waits while a copy is ready: inputs are fetched ahead (the group fits into memory),
/// and with one engine a copy out that is ready goes before a copy in: what UnitPipeline does,
/// which executors use. 0 without blocks. O(m).
[[nodiscard]] Seconds pipeline_time(std::span<const StageTimes> times, int copy_engines);

}  // namespace equipoise
