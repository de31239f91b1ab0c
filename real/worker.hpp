// The executor's interface to the code that drives one unit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "real/clock.hpp"
#include "real/disturbances.hpp"
#include "real/kernels/kernel.hpp"
#include "real/paced_unit.hpp"
#include "real/unit_spec.hpp"
#include "real/wake_signal.hpp"
#include "shared_policies/model/block.hpp"

namespace equipoise {

/// A command to a worker: a block, and the time at which it was handed out.
struct Command {
  Block block;
  Seconds assigned;
  std::uint32_t epoch = 0;  ///< the worker's epoch when the block was handed out
};

/// A report of a worker: a block came back, or the worker has failed and does no more work.
struct Report {
  Command command;
  StageTimes times;
  StageTimes begins;  ///< as in BlockFinished
  Seconds end;
  bool failed = false;
};

/// Drives one unit on a separate thread. The controller's thread calls all members.
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  /// Takes the unit down: drops queued blocks, waits for the current block and joins the thread,
  /// unless the thread was left behind.
  virtual ~Worker() = default;

  /// Waits until the unit is ready for its first block. Throws BackendError if the unit does not
  /// come up.
  virtual void await_up() = 0;
  /// Adds a block to the worker's queue, which is served in order. Sets the command's epoch.
  virtual void queue(Command command) = 0;
  /// The oldest report that was not dropped, or nullptr if none. Never reports an abandoned block.
  [[nodiscard]] virtual const Report* report() = 0;
  virtual void drop_report() = 0;
  /// Abandons all blocks of the worker: none of them will be reported or write results. The current
  /// block still runs to its end, because a computation cannot be stopped. Blocks that are queued
  /// later start after it, and copy the resident data again.
  virtual void abandon() = 0;
  /// Asks the worker to stop early; the destructor waits until it has stopped.
  virtual void stop() = 0;
  /// Waits up to `patience` for the thread to end. Returns whether it has ended.
  [[nodiscard]] virtual bool has_ended(std::chrono::milliseconds patience) = 0;
  /// To be called after `abandon` and `stop`. The destructor then does not wait for the thread,
  /// which runs until its block ends, if it ever does. Kernels may be destroyed meanwhile.
  virtual void leave_behind() = 0;
  /// The reason of a failure; to be called after a report with `failed`.
  [[nodiscard]] virtual std::string failure() const = 0;
};

/// The number of threads that were left behind and have not ended. If it is not 0, a program should
/// end without the cleanup of exit().
[[nodiscard]] int threads_left_behind();

/// The data for making a worker.
struct WorkerSetup {
  UnitSpec spec;
  /// For a unit that computes, one core for each thread; for a paced unit, the cores on which its
  /// thread may run. Numbered by the operating system.
  std::vector<int> cores;
  UnitRates rates;                ///< the speed of each stage, as a factor of the unit's full speed
  std::vector<Kernel*> phases;    ///< allocated; they outlive the worker unless it is left behind
  std::vector<PacedPhase> paced;  ///< (phases) for a paced unit; empty if the unit computes
  std::shared_ptr<Clock> clock;
  std::shared_ptr<WakeSignal> controller;  ///< notified after every report
};

/// Starts a worker on CPU cores. It copies in, computes with `spec.threads` pinned threads, copies
/// out, and extends each of these stages as `rates` demand. Resident data is copied before the
/// unit's first block of a phase; that is the block's setup.
[[nodiscard]] std::unique_ptr<Worker> make_cpu_worker(WorkerSetup setup);

/// Starts a worker that computes nothing and takes the times of `paced`. Blocks overlap as the
/// unit's copy engines and memory allow (UnitPipeline) and end at the times of the model.
/// `lateness` collects how much later the ends were noticed; it outlives the worker.
[[nodiscard]] std::unique_ptr<Worker> make_paced_worker(WorkerSetup setup,
                                                        std::shared_ptr<Lateness> lateness);

}  // namespace equipoise
