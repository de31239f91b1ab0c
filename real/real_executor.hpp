// An executor in real time: blocks are computed by worker threads on this machine's units.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "real/kernels/kernel.hpp"
#include "real/machine.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/run/executor.hpp"

namespace equipoise {

/// One real run.
struct RealSetup {
  std::vector<UnitSpec> units;         ///< those that take part, in the order of their UnitIds
  std::optional<Placement> placement;  ///< none: as `place_units` says
  std::vector<Kernel*> phases;         ///< allocated; they outlive the executor
  /// Asked at least every 50 ms while the executor waits, on the controller's thread: true makes
  /// `next` return nothing. None: never.
  std::function<bool()> stop_requested;
  /// Told why a unit was lost, on the controller's thread. None: nobody.
  std::function<void(const std::string&)> warn;
};

/// Makes the executor. One controller, the thread that calls `run`; one thread for each unit and
/// one for each further core of it. `run` makes the kernels forget their results and may be called
/// again. `occupy` does nothing: real time passes by itself. Times of events are those at which the
/// worker ended, never two at one time, and never before one that was reported earlier. A worker
/// that throws is a UnitLost: what it had is lost, its results are never taken.
[[nodiscard]] std::unique_ptr<Executor> make_real_executor(RealSetup setup);

/// Throws InputError at `where` when the host data of `phases` together with what the units hold
/// takes more than `available_bytes`, and says how much is needed. To be asked before the kernels
/// allocate.
void check_memory(std::span<const std::unique_ptr<Kernel>> phases, std::span<const UnitSpec> units,
                  double available_bytes, const std::string& where);

}  // namespace equipoise
