// An executor in real time: blocks are computed by worker threads on this machine's units.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "real/clock.hpp"
#include "real/disturbances.hpp"
#include "real/kernels/kernel.hpp"
#include "real/machine.hpp"
#include "real/paced_unit.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/run/executor.hpp"

namespace equipoise {

/// One phase of a real run.
struct RealPhase {
  /// Of `kernel`, which is allocated and outlives the executor.
  RealPhase(Kernel* computed) : workload(computed->workload()), kernel(computed) {}
  /// Of a workload that only paced units take part in.
  explicit RealPhase(Workload timed) : workload(std::move(timed)) {}

  Workload workload;
  Kernel* kernel = nullptr;
  Seconds merge;  ///< that the controller waits between iterations where no kernel merges
};

/// What a competing load really took.
struct LoadReport {
  const Disturbance* load = nullptr;  ///< of the setup's scenario
  double share = 0.0;                 ///< of the unit's cores, while it ran
};

/// One real run.
struct RealSetup {
  std::vector<UnitSpec> units;         ///< those that take part, in the order of their UnitIds
  std::optional<Placement> placement;  ///< none: as `place_units` says
  std::vector<RealPhase> phases;
  /// (units, phases) What times the paced units; empty lists for those that compute. Empty: all
  /// compute.
  std::vector<std::vector<PacedPhase>> paced;
  Scenario scenario;             ///< what disturbs the units; targets that are not there do nothing
  std::vector<UnitRates> rates;  ///< (units) how the scenario slows them; empty: as `rates_of` says
  /// A unit of which no block comes back for so long, while it has one, is lost.
  Seconds block_timeout = Seconds::infinity();
  /// All times of the run are those that it shows. None: the machine's, see `make_steady_clock`.
  std::shared_ptr<Clock> clock;
  /// Of the clock. Not 1 only where all units are paced.
  double time_scale = 1.0;
  /// Asked at least every 50 ms while the executor waits, on the controller's thread: true makes
  /// `next` return nothing. None: never.
  std::function<bool()> stop_requested;
  /// Told why a unit was lost, on the controller's thread. None: nobody.
  std::function<void(const std::string&)> warn;
  /// Told when a run with paced units ends. None: nobody.
  std::function<void(const PacingReport&)> tell_pacing;
  /// Told when a run ends, of each load that has begun. None: nobody.
  std::function<void(const LoadReport&)> tell_load;
};

/// Makes the executor. One controller, the thread that calls `run`; one thread for each unit and
/// one for each further core of it. `run` makes the kernels forget their results and may be called
/// again. `occupy` does nothing: real time passes by itself. Times of events are those at which the
/// unit was done, never two at one time, and never before one that was reported earlier.
///
/// A unit that throws, that the scenario takes away, or that keeps a block longer than
/// `block_timeout` is a UnitLost: what it had is lost, its results are never taken. Nobody can stop
/// a computation: one that goes on is ignored, and a unit that joins again begins when it is over.
/// A unit that has thrown does not join again. Throws InputError where the scenario cannot be done
/// to real units (`rates_of`).
[[nodiscard]] std::unique_ptr<Executor> make_real_executor(RealSetup setup);

/// Throws InputError at `where` when the host data of `phases` together with what the units hold
/// takes more than `available_bytes`, and says how much is needed. To be asked before the kernels
/// allocate.
void check_memory(std::span<const std::unique_ptr<Kernel>> phases, std::span<const UnitSpec> units,
                  double available_bytes, const std::string& where);

}  // namespace equipoise
