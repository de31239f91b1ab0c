// Measures what reports and blocks cost the controller of real runs.
#pragma once

#include <optional>
#include <vector>

#include "real/machine.hpp"
#include "real/recording/recorder.hpp"
#include "shared_policies/machine/controller_work.hpp"

namespace equipoise {

/// The mean of `seconds` (at least one) without the longest twentieth, and without what took more
/// than ten times the median: something else had the core then.
[[nodiscard]] Seconds undisturbed_mean(std::vector<double> seconds);

/// Measures the controller's work in a run of a thousand blocks of the kernel `empty` on one core,
/// through the run loop, with a policy that does nothing but answer. A report costs the time from
/// noticing that a block has ended until the next one can be handed out: run loop, measures of the
/// run, and the setup's journal. A block costs the time until its unit's thread has been told.
///
/// The controller itself copies no bytes. Threads that copy for accelerators do; if one of the
/// setup's units, which have the cores of `placement`, is an accelerator whose copies share a
/// single core with the controller, a byte costs the time in which a thread copies it.
///
/// Nothing if a stop was requested. Takes some milliseconds, with bytes 0.1 s.
[[nodiscard]] std::optional<ControllerWork> record_controller(const RecordSetup& setup,
                                                              const Placement& placement);

}  // namespace equipoise
