// The cost of a block's copies, with and without disturbances.
#pragma once

#include <optional>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/resident_stream.hpp"
#include "shared_policies/machine/step_function.hpp"
#include "shared_policies/machine/unit_pipeline.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/platform.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// The speeds of a unit's copies in and out. None: no data are copied in that direction, or copying
/// takes no time.
struct CopySpeeds {
  std::optional<CopySpeed> in;
  std::optional<CopySpeed> out;
};

/// Sets the bytes of `work` and the undisturbed times of its copies. The bytes are those of the
/// trace, or those of the workload if the trace has none, rounded up to whole bytes.
void add_copies(PipelinedBlock& work, const BlockTiming& timing, const Workload& workload,
                const CopySpeeds& speeds);

/// Gives `work` the setup that it needs on a unit that has `data`: first use, then a transfer of
/// the resident bytes, of which a unit that had them at the start gets only what changed; or a
/// transfer of the iteration bytes; or none. Bytes are rounded up to whole ones. With a `stream`,
/// only what stays on the unit goes there in the setup, and as much of the iteration bytes; but
/// over the route to another node goes everything, because the node keeps it.
void add_setup(PipelinedBlock& work, ResidentData data, Seconds first_use, const Workload& workload,
               const CopySpeeds& speeds, const std::optional<ResidentStream>& stream);

/// The duration of a copy that begins at `begin` and takes `alone` if undisturbed: its latency,
/// then the remaining work at `rate`. On a unit without copy engines (0), which copies by itself,
/// the latency is also work at `rate`.
[[nodiscard]] Seconds disturbed_copy(const CopySpeed& speed, int copy_engines,
                                     const StepFunction& rate, Seconds begin, Seconds alone);

}  // namespace equipoise
