// The block times of a recorded run, as a trace.
#pragma once

#include <string>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/run/recorded_run.hpp"

namespace equipoise {

/// The times of `kernel`'s blocks in `run`: one sample for each block that came back, on all units
/// of the run, those without samples included. The copy in of a unit's first block of a phase, and
/// of its first after it was lost, is left out where the phase has resident bytes, which came with
/// it. Samples whose computing took no time are left out. `merge` is the mean time from the begin
/// of an iteration but the first to the handing out of its first block. `provenance` says where the
/// run stands. O(n) in the number of lines.
[[nodiscard]] Trace trace_of_run(const RecordedRun& run, const std::string& kernel,
                                 const std::string& provenance);

}  // namespace equipoise
