// What a unit's thread and the controller exchange: commands one way, reports the other.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "real/ring.hpp"
#include "real/wake_signal.hpp"
#include "real/worker.hpp"

namespace equipoise {

/// The thread's side of a worker. Belongs to thread and worker together: a thread that was left
/// behind still has it.
class WorkerMailbox {
 public:
  /// `patience`: how long the thread looks for its next command before it sleeps.
  WorkerMailbox(std::shared_ptr<WakeSignal> controller, WakeSignal::Span patience);

  /// Waits for a command until `deadline`. The oldest one that was not dropped; null: the deadline
  /// has come, blocks were let go (`epoch`), or the thread is to end (`stops`).
  [[nodiscard]] const Command* await_command(WakeSignal::TimePoint deadline);
  void drop_command() { commands_.pop(); }
  [[nodiscard]] bool stops() const { return stops_.load(std::memory_order_seq_cst); }
  /// Commands of any other epoch are not wanted any more.
  [[nodiscard]] std::uint32_t epoch() const { return epoch_.load(std::memory_order_seq_cst); }

  /// Whether a block is still wanted. From here on `gives_up` says when it is not any more.
  [[nodiscard]] bool begin(const Command& command);
  /// True: whatever the thread waits for, it is to wait no longer.
  [[nodiscard]] const std::atomic<bool>& gives_up() const { return gives_up_; }
  /// Calls `touch`, which reads or writes the host's data, unless the block is not wanted any more;
  /// `abandon` does not come between.
  template <class Touch>
  void with_host(const Command& command, Touch&& touch) {
    const std::lock_guard<std::mutex> lock(host_);
    if (command.epoch == epoch()) touch();
  }
  /// Tells the controller; of every command once, wanted or not: that makes room for another.
  void report(const Report& report);

 private:
  friend class ThreadedWorker;
  /// Commands and reports that are held at most, both together; more wait with the worker.
  static constexpr std::size_t capacity = 64;

  std::shared_ptr<WakeSignal> controller_;
  Ring<Command, capacity> commands_;
  Ring<Report, capacity> reports_;
  WakeSignal signal_;
  std::atomic<std::uint32_t> epoch_ = 0;
  std::uint32_t seen_epoch_ = 0;  ///< the thread's
  std::atomic<bool> stops_ = false;
  std::atomic<bool> gives_up_ = false;
  std::mutex host_;
  std::string failure_;
};

/// What a unit does on its thread.
class UnitDriver {
 public:
  UnitDriver() = default;
  UnitDriver(const UnitDriver&) = delete;
  UnitDriver& operator=(const UnitDriver&) = delete;
  virtual ~UnitDriver() = default;

  /// Makes the unit ready for its first block. What it throws is why the unit does not come up.
  virtual void come_up() = 0;
  /// Works on commands until the mailbox stops. What it throws is why the unit has failed; the block
  /// at hand is lost.
  virtual void work(WorkerMailbox& mailbox) = 0;
};

/// A worker whose thread lets `driver` work.
[[nodiscard]] std::unique_ptr<Worker> make_threaded_worker(const std::string& unit,
                                                           std::unique_ptr<UnitDriver> driver,
                                                           std::shared_ptr<WakeSignal> controller,
                                                           WakeSignal::Span patience);

}  // namespace equipoise
