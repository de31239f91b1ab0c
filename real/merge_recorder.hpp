// What a kernel does between iterations, timed: the end of every pass of a recording.
#pragma once

#include "real/machine.hpp"
#include "real/recorder.hpp"

namespace equipoise {

/// What was timed between iterations.
struct RecordedMerges {
  int count = 0;
  Seconds sum;
  bool interrupted = false;  ///< a stop was requested
};

/// One pass: runs iterations of the setup's workload on all its units together, as many as make
/// four in all passes, yet two at least, and no further one when the pass has spent its part of the
/// budget; times what the kernel does between them. Nothing where the workload has one iteration.
/// Throws BackendError when a unit does not come up or is lost.
[[nodiscard]] RecordedMerges record_merges(const RecordSetup& setup, const Placement& placement);

}  // namespace equipoise
