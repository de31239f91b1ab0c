// The exchange between a unit's thread and the controller: commands to the thread, reports back.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "real/ring.hpp"
#include "real/wake_signal.hpp"
#include "real/worker.hpp"

namespace equipoise {

/// The thread's side of a worker. Thread and worker own it together, so a thread that was left
/// behind still has it.
class WorkerMailbox {
 public:
  /// `patience` is how long the thread polls for its next command before it sleeps.
  WorkerMailbox(std::shared_ptr<WakeSignal> controller, WakeSignal::Span patience);

  /// Waits until `deadline` for a command and returns the oldest one that was not dropped. Returns
  /// nullptr if the deadline has come, if blocks were abandoned (`epoch`), or if the thread is to
  /// end (`stops`).
  [[nodiscard]] const Command* await_command(WakeSignal::TimePoint deadline);
  void drop_command() { commands_.pop(); }
  [[nodiscard]] bool stops() const { return stops_.load(std::memory_order_seq_cst); }
  /// Commands of any other epoch are abandoned.
  [[nodiscard]] std::uint32_t epoch() const { return epoch_.load(std::memory_order_seq_cst); }

  /// Begins a block. Returns whether it is still wanted; from now on, `gives_up` becomes true when
  /// it is abandoned.
  [[nodiscard]] bool begin(const Command& command);
  /// If true, the thread must end its current wait.
  [[nodiscard]] const std::atomic<bool>& gives_up() const { return gives_up_; }
  /// Calls `touch`, which reads or writes the host's data, unless the block has been abandoned.
  /// `abandon` waits for the end of `touch`.
  template <class Touch>
  void with_host(const Command& command, Touch&& touch) {
    const std::lock_guard<std::mutex> lock(host_);
    if (command.epoch == epoch()) touch();
  }
  /// Sends a report to the controller. Must be called once for every command, abandoned or not,
  /// because it makes room for another command.
  void report(const Report& report);

 private:
  friend class ThreadedWorker;
  /// The most commands and reports, together, in the mailbox; further commands wait in the worker.
  static constexpr std::size_t capacity = 64;

  std::shared_ptr<WakeSignal> controller_;
  Ring<Command, capacity> commands_;
  Ring<Report, capacity> reports_;
  WakeSignal signal_;
  std::atomic<std::uint32_t> epoch_ = 0;
  std::uint32_t seen_epoch_ = 0;  ///< used by the thread
  std::atomic<bool> stops_ = false;
  std::atomic<bool> gives_up_ = false;
  std::mutex host_;
  std::string failure_;
};

/// The work of a unit on its thread.
class UnitDriver {
 public:
  UnitDriver() = default;
  UnitDriver(const UnitDriver&) = delete;
  UnitDriver& operator=(const UnitDriver&) = delete;
  virtual ~UnitDriver() = default;

  /// Makes the unit ready for its first block. If it throws, the unit does not come up.
  virtual void come_up() = 0;
  /// Works on commands until the mailbox stops. If it throws, the unit has failed and the current
  /// block is lost.
  virtual void work(WorkerMailbox& mailbox) = 0;
};

/// Makes a worker whose thread runs `driver`.
[[nodiscard]] std::unique_ptr<Worker> make_threaded_worker(const std::string& unit,
                                                           std::unique_ptr<UnitDriver> driver,
                                                           std::shared_ptr<WakeSignal> controller,
                                                           WakeSignal::Span patience);

}  // namespace equipoise
