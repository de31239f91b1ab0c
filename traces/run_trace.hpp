// Creates a trace from the block times of a recorded run.
#pragma once

#include <string>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/run/recorded_run.hpp"

namespace equipoise {

/// The times of `kernel`'s blocks in `run`: one sample for each accepted block that computed. All
/// units of the run are listed, even those without samples. Setups are left out. Runs of version
/// 1.0 say nothing of setups, which are in copy-in times there: if the phase has resident bytes,
/// the copy-in time of a unit's first block of the phase, and of its first block after it was lost,
/// is left out.
///
/// A workload whose bytes only its trace knows has none in the run. Then bytes are made up so that
/// copies take as long again as they did: one for each item, or, for a unit that was sent resident
/// data, as many as make these data take the time of the setup of its first block.
///
/// `merge` is the mean time between the end of an iteration and the handing out of the first block
/// of the next one. `provenance` names the origin of the run. O(n) in the number of lines.
[[nodiscard]] Trace trace_of_run(const RecordedRun& run, const std::string& kernel,
                                 const std::string& provenance);

}  // namespace equipoise
