// The executor's interface to the code that drives one unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "real/kernels/kernel.hpp"
#include "real/paced/paced_unit.hpp"
#include "real/threads/clock.hpp"
#include "real/threads/wake_signal.hpp"
#include "real/unit_rates.hpp"
#include "shared_policies/model/block.hpp"
#include "shared_policies/model/event.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// A command to a worker: a block or a probe, and the time at which it was handed out.
struct Command {
  Block block;  ///< of a probe: `no_block`, and the phase that goes on
  Seconds assigned;
  std::uint32_t epoch = 0;      ///< the worker's epoch when the block was handed out
  std::uint32_t iteration = 0;  ///< counted by the worker, see `Worker::begin_iteration`
  std::uint8_t slot = 0;        ///< among the blocks that the worker's thread has
  std::optional<Probe> probe{};
};

/// The most commands and reports, together, that a worker's thread has at a time. Further commands
/// wait.
inline constexpr std::size_t blocks_at_worker_max = 64;

/// What a worker reports of a block. A probe is `done` or `lost`.
enum class ReportKind : std::uint8_t {
  done,       ///< the block has finished
  dropped,    ///< it has ended without results: it was taken back, or a copy of it copies them
  withdrawn,  ///< it was taken back, and the unit did not begin it
  lost,       ///< the block could not be done; the unit goes on
  failed,     ///< the unit has failed with all its blocks and does no more work
};

/// What happened on cores of the host while a block was done.
struct BlockCores {
  StageTimes waited{};     ///< for the unit's core, which others had, within the block's times
  std::int64_t waits = 0;  ///< how often
  Seconds copying{};       ///< work of threads that copied for an accelerator
};

/// A report of a worker.
struct Report {
  Command command;
  StageTimes times{};   ///< of a probe: its copies in and out
  StageTimes begins{};  ///< as in BlockFinished
  BlockCores cores{};   ///< waits only if they are measured
  Seconds end{};
  ReportKind kind = ReportKind::done;
  std::string why{};  ///< why a block is lost or the unit has failed
};

/// Thrown where a block cannot be done though its unit works: it may need less memory, or another
/// attempt. std::bad_alloc means the same.
class BlockFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class HostGate;
class ResultClaim;

/// Why a worker's blocks are abandoned.
enum class Abandoned : std::uint8_t {
  with_unit,  ///< the unit is gone, or the run ends
  late        ///< they did not come back in time
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
  /// Adds a block or a probe to the worker's queue, which is served in order. Fills in its epoch,
  /// iteration and slot. `claim` is what a block shares with other blocks of the same items; null:
  /// no other unit has these items.
  virtual void queue(Command command, std::shared_ptr<ResultClaim> claim) = 0;
  /// Takes back a block that was queued. If it goes on, it is reported as dropped (or lost).
  [[nodiscard]] virtual Fate take_back(std::uint64_t block) = 0;
  /// Another unit gets a copy of the worker's block with this Block::original(), too. Returns what
  /// the two share; null if the worker has no such block, or has reported it.
  [[nodiscard]] virtual std::shared_ptr<ResultClaim> contest(std::uint64_t original) = 0;
  /// The kernel's data change: no block that was queued before reads or writes them any more.
  virtual void begin_iteration() = 0;
  /// The oldest report that was not dropped, or nullptr if none. Never reports a block that was
  /// abandoned or withdrawn.
  [[nodiscard]] virtual const Report* report() = 0;
  virtual void drop_report() = 0;
  /// Abandons all blocks of the worker: none of them will be reported or write results. The current
  /// block still runs to its end, because a computation cannot be stopped. What is only waited for
  /// (the times of a paced unit, a slowdown) ends at once if the unit is gone, and goes on if the
  /// blocks are late. Later blocks start after it, and copy the resident data again.
  virtual void abandon(Abandoned why) = 0;
  /// Whether the worker has ended all blocks that were abandoned. It must have no others.
  [[nodiscard]] virtual bool is_free() = 0;
  /// Asks the worker to stop early; the destructor waits until it has stopped.
  virtual void stop() = 0;
  /// Waits up to `patience` for the thread to end. Returns whether it has ended.
  [[nodiscard]] virtual bool has_ended(std::chrono::milliseconds patience) = 0;
  /// To be called after `abandon` and `stop`. The destructor then does not wait for the thread,
  /// which runs until its block ends, if it ever does. Kernels may be destroyed meanwhile.
  virtual void leave_behind() = 0;
};

/// The number of threads that were left behind and have not ended. If it is not 0, a program should
/// end without the cleanup of exit().
[[nodiscard]] int threads_left_behind();

/// One phase of a run, as workers see it.
struct WorkerPhase {
  const Workload* workload = nullptr;
  Kernel* kernel = nullptr;  ///< allocated; null if no unit computes
};

/// The data for making a worker. What the pointers point to outlives the worker unless it is left
/// behind.
struct WorkerSetup {
  Unit unit;
  /// The cores of this machine on which the unit computes, one for each thread, numbered by the
  /// operating system. Empty for units that do not compute there.
  std::vector<int> cores;
  std::vector<int> waiting;  ///< the cores on which threads may run that sleep most of the time
  /// Whether threads that copy have priority on `waiting`: unless the controller is there, too, and
  /// no unit computes there.
  bool copies_first = false;
  UnitRates rates;  ///< the speed of each stage, as a factor of the unit's full speed
  std::vector<WorkerPhase> phases;
  RunDraws draws;
  std::shared_ptr<Clock> clock;
  std::shared_ptr<WakeSignal> controller;  ///< notified after every report
  std::shared_ptr<Lateness> lateness;      ///< of units that are paced
  /// If that abandons its blocks, the worker must not touch the host's data any more: it works for
  /// a node, which has blocks of its own. Null: it does not.
  std::shared_ptr<HostGate> outer{};
  bool measures_waits = false;  ///< whether units of CPU cores tell BlockCores::waited
};

}  // namespace equipoise
