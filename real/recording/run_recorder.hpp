// Measures whole runs: how far they repeat, and what reports and blocks cost the controller.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "real/controller_times.hpp"
#include "real/machine.hpp"
#include "real/recording/recorder.hpp"
#include "shared_policies/machine/controller_work.hpp"
#include "shared_policies/model/event.hpp"

namespace equipoise {

/// Says which unit lost a block or was lost while `what` happened: "unit cpu0 was lost while it was
/// recorded". `event` is of an executor whose unit 0 is `units[first]`, and no end of a block.
[[nodiscard]] std::string loss_text(const Event& event, const std::vector<UnitSpec>& units,
                                    std::size_t first, const std::string& what);

/// The items of a block of unit `unit` when all units together do `items`: an eighth of its equal
/// part, at most `usual` (or a grain) and what it can hold.
[[nodiscard]] Items part_of(const RecordSetup& setup, std::size_t unit, Items items, Items usual);

/// Short whole runs of one pass.
struct RecordedRuns {
  std::vector<double> runs_s;  ///< makespans without the units' setup, one after another
  ControllerTimes controller;  ///< of all of them
  bool interrupted = false;    ///< a stop was requested
};

/// Runs the first `items` items of the setup's workload on all its units four times, one after
/// another, of which the first does not count: through the run loop, with a policy that gives every
/// idle unit `part_of` them, with its `usual_items` (units). Throws BackendError if units are lost.
[[nodiscard]] RecordedRuns record_runs(const RecordSetup& setup, const Placement& placement,
                                       std::span<const Items> usual_items, Items items);

/// The controller's work for a report: the time from noticing that a block has ended until the next
/// one can be handed out, with run loop, measures of the run, and the setup's journal; and for a
/// block: the time until its unit's thread has been told. The means of `of_runs` if these have at
/// least a hundred reports. Otherwise those of a run of a thousand blocks of the kernel `empty` on
/// one core, whose caches are warmer than where units compute.
///
/// The controller itself copies no bytes. Threads that copy for accelerators do; if one of the
/// setup's units, which have the cores of `placement`, is an accelerator whose copies share a
/// single core with the controller, a byte costs the time in which a thread copies it.
///
/// Nothing if a stop was requested. Takes some milliseconds, with bytes 0.1 s.
[[nodiscard]] std::optional<ControllerWork> record_controller(const RecordSetup& setup,
                                                              const Placement& placement,
                                                              const ControllerTimes& of_runs);

}  // namespace equipoise
