// The controller's side of the units of one level: hands blocks to their workers, and merges what
// these report and the changes of a scenario into one ordered sequence of events.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "real/controller_times.hpp"
#include "real/disturbances.hpp"
#include "real/machine.hpp"
#include "real/threads/clock.hpp"
#include "real/threads/this_thread.hpp"
#include "real/threads/wake_signal.hpp"
#include "real/unit_spec.hpp"
#include "real/worker.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/block_timeout.hpp"
#include "shared_policies/run/block_watch.hpp"
#include "shared_policies/run/executor.hpp"

namespace equipoise {

/// Units of one level, and how their controller drives them.
struct DrivenUnits {
  std::vector<UnitSpec> units;
  Placement placement;  ///< of these
  Scenario scenario;    ///< disturbances of the units; events for other targets have no effect
  BlockTimeout block_timeout;
  double time_scale = 1.0;
  /// By how much `block_timeout` is longer: nodes are waited for longer than their units.
  double timeout_factor = 1.0;
  /// How long a waiting controller polls for reports before it sleeps.
  std::chrono::microseconds patience{0};
  std::function<bool()> stop_requested;                         ///< as of RealSetup
  std::function<void(const std::string&)> warn;                 ///< likewise
  std::function<void(UnitId, const BlockCores&)> report_cores;  ///< likewise
  bool takes_times = false;  ///< whether the controller's times are taken
};

/// What all units of a run have in common.
struct UnitsRun {
  std::vector<WorkerPhase> phases;
  RunDraws draws;
  std::shared_ptr<Clock> clock;
  std::shared_ptr<Lateness> lateness;
  std::shared_ptr<HostGate> outer{};  ///< WorkerSetup::outer
};

/// The executor of the units of one level, see `make_real_executor`, without what begins and ends a
/// run. The thread that uses it is the controller.
class UnitsExecutor : public Executor {
 public:
  [[nodiscard]] Seconds now() const override;
  Seconds begin_iteration(int phase, int iteration) override;
  Seconds start(const Block& block, UnitId unit) override;
  TakenBack take_back(const Block& block, UnitId unit) override;
  Seconds probe(const Probe& probe, UnitId unit) override;
  Seconds occupy(std::optional<UnitId> unit, Seconds span) override;
  std::optional<Event> next(Seconds deadline) override;

 protected:
  explicit UnitsExecutor(DrivenUnits units);
  /// The units must be down.
  ~UnitsExecutor() override;

  /// Brings the units up for a run, or all of them down if one does not come up. Throws
  /// BackendError.
  void bring_up(UnitsRun run);
  /// Ends the workers. Leaves a unit behind if its block does not come back, and after a stop also
  /// a unit whose block takes long, so that the program ends soon. Otherwise a unit may take as
  /// long as the run and a bit more: it ends a block that was given up, or waits for its device.
  void take_down();

  [[nodiscard]] const DrivenUnits& driven() const { return units_; }
  [[nodiscard]] Clock& clock() const { return *run_.clock; }
  [[nodiscard]] const std::optional<ControllerTimes>& times() const { return times_; }
  /// How long a unit may take to end its work when the run has ended.
  [[nodiscard]] std::chrono::milliseconds patience_at_end() const;
  [[nodiscard]] bool stops() const;
  /// Waits for `span`, or until the run is asked to stop.
  void wait(Seconds span);
  void warn(const std::string& text) const;

 private:
  struct UnitSlot;

  void reset(UnitsRun run);
  [[nodiscard]] std::unique_ptr<Worker> make_worker(std::size_t unit) const;
  bool has_ended_at_last(const UnitSlot& slot, std::chrono::milliseconds patience) const;
  [[nodiscard]] UnitId id_of(const UnitSlot& slot) const;
  [[nodiscard]] const std::string& name_of(const UnitSlot& slot) const;
  [[nodiscard]] Seconds next_change() const;
  UnitSlot* earliest();
  UnitSlot* answering();
  [[nodiscard]] std::shared_ptr<ResultClaim> claim_of(const Block& copy) const;
  void collect();
  void take_report(UnitSlot& slot);
  void end_probe(const UnitSlot& slot, const Report& report);
  void lose_block(UnitSlot& slot, const Report& report);
  void change_unit(const UnitChange& change);
  void join(UnitSlot& slot, Seconds at);
  bool take_answer(Seconds now);
  bool take_timeout(Seconds now);
  void lose(UnitSlot& slot, Seconds at, const std::string& why);
  bool await(Seconds deadline);

  DrivenUnits units_;
  std::vector<UnitChange> changes_;
  std::shared_ptr<WakeSignal> signal_;  ///< shared with threads that may be left behind
  UnitsRun run_;
  std::vector<UnitSlot> slots_;
  std::chrono::steady_clock::time_point began_;
  Seconds last_;                          ///< time of the last event
  std::optional<ControllerTimes> times_;  ///< none: nobody asks for them
  BlockWatch watch_{{}, {}};
  std::size_t changes_done_ = 0;  ///< how many of the scenario's changes have happened
  std::size_t outstanding_ = 0;   ///< blocks and probes
  int phase_ = 0;                 ///< that goes on
  std::optional<Event> pending_;
};

/// Keeps the calling thread, which waits for units, on `cores`. If units compute there, it also
/// makes the thread run as soon as it is woken.
class ControllerPinning {
 public:
  ControllerPinning(const std::vector<int>& cores, bool waiting_compute);
  ControllerPinning(const ControllerPinning&) = delete;
  ControllerPinning& operator=(const ControllerPinning&) = delete;
  ~ControllerPinning();

 private:
  std::vector<int> before_;
  std::optional<PromptThread> prompt_;
};

}  // namespace equipoise
