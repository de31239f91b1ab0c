// The code that drives one unit, as the executor sees it.
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

/// What a worker is told: a block, and when it was handed out.
struct Command {
  Block block;
  Seconds assigned;
  std::uint32_t epoch = 0;  ///< the worker's, when the block was handed out
};

/// What a worker tells: a block came back, or the worker has failed and will do nothing more.
struct Report {
  Command command;
  StageTimes times;
  Seconds end;
  bool failed = false;
};

/// Drives one unit from a thread of its own. All members are called by the controller's thread.
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  /// Takes the unit down: drops what is queued, waits for the block at hand, joins the thread;
  /// unless that was left behind.
  virtual ~Worker() = default;

  /// Waits until the unit is ready for its first block. Throws BackendError when it does not come
  /// up.
  virtual void await_up() = 0;
  /// Queues a block behind those that the worker has; it works on them in order. Fills the epoch
  /// in.
  virtual void queue(Command command) = 0;
  /// The oldest report that was not dropped, or null. Never one of an abandoned block.
  [[nodiscard]] virtual const Report* report() = 0;
  virtual void drop_report() = 0;
  /// Lets all blocks go that the worker has: none of them will be reported, or write a result from
  /// now on. The one at hand goes on to its end unseen (nobody can stop a computation), and what is
  /// queued later comes after it, resident data first.
  virtual void abandon() = 0;
  /// Asks the worker to stop early; the destructor waits for it.
  virtual void stop() = 0;
  /// Whether the thread has ended, within `patience` from now.
  [[nodiscard]] virtual bool has_ended(std::chrono::milliseconds patience) = 0;
  /// After `abandon` and `stop`: the destructor will not wait for the thread, which goes on unseen
  /// until its block ends, if it ever does. Kernels may be destroyed meanwhile.
  virtual void leave_behind() = 0;
  /// Why the worker failed; after a report that says so.
  [[nodiscard]] virtual std::string failure() const = 0;
};

/// How many threads were left behind and have not ended: while there are some, a program should
/// leave without the ceremonies of exit().
[[nodiscard]] int threads_left_behind();

/// What a worker needs.
struct WorkerSetup {
  UnitSpec spec;
  /// One for each thread of a unit that computes, numbers of the operating system; those where the
  /// thread of a paced one may be.
  std::vector<int> cores;
  UnitRates rates;                ///< how fast, as a factor of what the unit can do
  std::vector<Kernel*> phases;    ///< allocated; they outlive the worker, unless it is left behind
  std::vector<PacedPhase> paced;  ///< (phases) of a paced unit; empty: it computes
  std::shared_ptr<Clock> clock;
  std::shared_ptr<WakeSignal> controller;  ///< rung after every report
};

/// Starts a worker on CPU cores: copies, computes with `spec.threads` pinned threads, copies back,
/// and stays taken as `rates` say for each of the three. Resident data is copied before the unit's
/// first block of a phase and counts as time of that block's copy in.
[[nodiscard]] std::unique_ptr<Worker> make_cpu_worker(WorkerSetup setup);

/// Starts a worker that computes nothing and takes as long as `paced` says. Its blocks overlap as
/// the unit's copy engines and memory allow (UnitPipeline), and end at the time that the model
/// says; `lateness` learns how much later that was noticed. It outlives the worker.
[[nodiscard]] std::unique_ptr<Worker> make_paced_worker(WorkerSetup setup,
                                                        std::shared_ptr<Lateness> lateness);

}  // namespace equipoise
