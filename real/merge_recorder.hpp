// Measures the time that a kernel takes between iterations, at the end of every pass of a
// recording.
#pragma once

#include "real/machine.hpp"
#include "real/recorder.hpp"

namespace equipoise {

/// The measured times between iterations.
struct RecordedMerges {
  int count = 0;
  Seconds sum;
  bool interrupted = false;  ///< a stop was requested
};

/// One pass: runs iterations of the setup's workload on all its units together and measures the
/// kernel's time between them. The passes together run four iterations, but each pass runs at least
/// two if the workload has them. No third iteration starts once the pass has spent its part of the
/// budget. Returns an empty result if the workload has one iteration. Throws BackendError if a unit
/// does not come up or is lost.
[[nodiscard]] RecordedMerges record_merges(const RecordSetup& setup, const Placement& placement);

}  // namespace equipoise
