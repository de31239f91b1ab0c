// The code that drives one unit, as the executor sees it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "real/clock.hpp"
#include "real/doorbell.hpp"
#include "real/kernels/kernel.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/model/block.hpp"

namespace equipoise {

/// What a worker is told: a block, and when it was handed out.
struct Command {
  Block block;
  Seconds assigned;
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
  /// Takes the unit down: drops what is queued, waits for the block at hand, joins the thread.
  virtual ~Worker() = default;

  /// Waits until the unit is ready for its first block. Throws BackendError when it does not come
  /// up.
  virtual void await_up() = 0;
  /// Queues a block behind those that the worker has; it works on them in order. False: the queue
  /// is full, nothing happened.
  [[nodiscard]] virtual bool offer(const Command& command) = 0;
  /// The oldest report that was not dropped, or null.
  [[nodiscard]] virtual const Report* report() = 0;
  virtual void drop_report() = 0;
  /// Asks the worker to stop early; the destructor waits for it.
  virtual void stop() = 0;
  /// Why the worker failed; after a report that says so.
  [[nodiscard]] virtual std::string failure() const = 0;
};

/// What a worker needs. All pointers outlive it.
struct WorkerSetup {
  UnitSpec spec;
  std::vector<int> cores;  ///< one for each thread of the unit, numbers of the operating system
  std::vector<Kernel*> phases;  ///< allocated
  Clock* clock = nullptr;
  Doorbell* controller = nullptr;  ///< rung after every report
};

/// Starts a worker on CPU cores: copies, computes with `spec.threads` pinned threads, copies back,
/// and stays taken for `spec.slowdown` times what each of the three took. Resident data is copied
/// before the unit's first block of a phase and counts as time of that block's copy in.
[[nodiscard]] std::unique_ptr<Worker> make_cpu_worker(WorkerSetup setup);

}  // namespace equipoise
