// The cost of a block's copies, with and without disturbances.
#pragma once

#include <optional>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/resident_data.hpp"
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

/// Sets how many bytes `block` copies in and out, and how long that takes undisturbed. The bytes
/// are those of the trace, or those of the workload if the trace has none, rounded up to whole
/// bytes.
void add_copies(PipelinedBlock& block, const BlockTiming& timing, const Workload& workload,
                const CopySpeeds& speeds);

/// Gives `block` the setup that it needs on a unit that has `data` already: first use and a
/// transfer of the resident bytes, of which a unit that had them at the start gets only what has
/// changed; a transfer of the iteration bytes alone, if those that it has are of an earlier
/// iteration; or none. Bytes are rounded up to whole ones. With a `stream`, only what stays on the
/// unit is sent to it in the setup, and the same share of the iteration bytes; but over the route
/// to another node everything is sent, because the node keeps it.
void add_setup(PipelinedBlock& block, ResidentData data, Seconds first_use,
               const Workload& workload, const CopySpeeds& speeds,
               const std::optional<ResidentStream>& stream);

/// The duration of a copy that begins at `begin` and takes `alone` if undisturbed, while a scenario
/// changes its speed to `rate` times the undisturbed one. The latency at its begin does not change,
/// unless the unit has no copy engines (0) and copies by itself, at `rate` from the first moment.
[[nodiscard]] Seconds disturbed_copy(const CopySpeed& speed, int copy_engines,
                                     const StepFunction& rate, Seconds begin, Seconds alone);

}  // namespace equipoise
