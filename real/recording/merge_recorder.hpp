// Measures the time that a kernel takes between iterations, at the end of every pass of a
// recording.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "real/machine.hpp"
#include "real/recording/recorder.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/model/event.hpp"

namespace equipoise {

/// Says which unit lost a block or was lost while `what` happened: "unit cpu0 was lost while it was
/// recorded". `event` is of an executor whose unit 0 is `units[first]`, and no end of a block.
[[nodiscard]] std::string loss_text(const Event& event, const std::vector<UnitSpec>& units,
                                    std::size_t first, const std::string& what);

/// The measured times between iterations.
struct RecordedMerges {
  int count = 0;
  Seconds sum;
  bool interrupted = false;  ///< a stop was requested
};

/// One pass: runs iterations of the setup's workload on all its units together and measures the
/// kernel's time between them. The passes together run four iterations, but each pass runs at least
/// two if the workload has them. No third iteration starts once the pass has spent its part of the
/// budget, and an iteration leaves items undone when it has spent half of that. Blocks have up to
/// `usual_items` (units) items. Returns an empty result if the workload has one iteration. Throws
/// BackendError if a unit does not come up or is lost.
[[nodiscard]] RecordedMerges record_merges(const RecordSetup& setup, const Placement& placement,
                                           std::span<const Items> usual_items);

}  // namespace equipoise
