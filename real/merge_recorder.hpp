// What a kernel does between iterations, timed: the end of a recording.
#pragma once

#include <optional>

#include "real/machine.hpp"
#include "real/recorder.hpp"

namespace equipoise {

/// What was timed between iterations.
struct RecordedMerges {
  std::optional<Seconds> mean;  ///< none where no second iteration began
  bool interrupted = false;     ///< a stop was requested
};

/// Runs up to four iterations of the setup's workload on all its units together, and no further one
/// when its budget is spent; times what the kernel does between them. Nothing where the workload
/// has one iteration. Throws BackendError when a unit does not come up or is lost.
[[nodiscard]] RecordedMerges record_merges(const RecordSetup& setup, const Placement& placement);

}  // namespace equipoise
