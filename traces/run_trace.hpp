// Creates a trace from the block times of a recorded run.
#pragma once

#include <string>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/run/recorded_run.hpp"

namespace equipoise {

/// The times of `kernel`'s blocks in `run`: one sample for each accepted block. All units of the
/// run are listed, even those without samples. Setups are left out. Runs of version 1.0 have no
/// setups: if the phase has resident bytes, the copy-in time of a unit's first block of the phase,
/// and of its first block after it was lost, is left out, because it includes them. Samples without
/// compute time are left out. The bytes of a kernel that only its trace knows are not in the run;
/// for them, copies that took time have the same bytes for each item, so that they take as long
/// again: one or, to units that get resident data, so many that these take as long as the setup of
/// the unit's first block did. `merge` is the mean time between the end of an iteration and the
/// handing out of the first block of the next one. `provenance` names the origin of the run. O(n)
/// in the number of lines.
[[nodiscard]] Trace trace_of_run(const RecordedRun& run, const std::string& kernel,
                                 const std::string& provenance);

}  // namespace equipoise
