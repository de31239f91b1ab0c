// The exchange between a unit's thread and the controller: commands to the thread, reports back,
// and which blocks may copy their results.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "real/threads/host_gate.hpp"
#include "real/threads/ring.hpp"
#include "real/threads/wake_signal.hpp"
#include "real/worker.hpp"
#include "shared_policies/model/block.hpp"

namespace equipoise {

/// What two blocks of the same items share: the first that claims them copies its results.
class ResultClaim {
 public:
  /// Returns whether nobody had claimed the items.
  bool take() { return !is_taken_.exchange(true); }
  void release() { is_taken_ = false; }
  [[nodiscard]] bool is_taken() const { return is_taken_; }

 private:
  std::atomic<bool> is_taken_ = false;
};
using ResultClaimPtr = std::shared_ptr<ResultClaim>;

/// The blocks that a unit's thread has. Several threads may use it.
class BlockSlots {
 public:
  using Slot = std::uint8_t;

  BlockSlots();

  // The controller's side.

  /// A slot for a block, until `free`. `claim`: shared with another block; null: there is none. At
  /// most `blocks_at_worker_max` at a time.
  [[nodiscard]] Slot take(ResultClaimPtr claim);
  void free(Slot slot);
  [[nodiscard]] Fate take_back(Slot slot);
  /// Another unit gets the items, too. Returns what the two blocks share; null if this one was
  /// taken back or may not copy its results.
  [[nodiscard]] ResultClaimPtr contest(Slot slot);
  /// No block may copy results any more.
  void abandon();

  // The side of the unit's threads.

  /// The unit begins the block, or goes on with it. Returns whether it is still wanted; if not,
  /// `kind` is that of its report.
  [[nodiscard]] bool begin(Slot slot, ReportKind& kind);
  /// Whether another unit has the items of the block, too.
  [[nodiscard]] bool is_contested(Slot slot) const;
  /// Whether the block may copy its results: it was not taken back, and nobody has claimed its
  /// items.
  [[nodiscard]] bool is_open(Slot slot) const;
  /// The block begins to copy its results, or has begun. Returns whether it may.
  [[nodiscard]] bool claim(Slot slot);
  /// The block has failed: another one may copy its results.
  void release_claim(Slot slot);

 private:
  enum class State : std::uint8_t {
    queued,
    begun,
    claimed,
    withdrawn,  ///< taken back before it was begun
    dropped     ///< taken back afterwards, or refused
  };
  struct Entry {
    State state = State::queued;
    ResultClaimPtr claim;
  };

  mutable std::mutex mutex_;
  std::array<Entry, blocks_at_worker_max> entries_;
  std::vector<Slot> free_;  ///< used by the controller
};

/// The text of an exception of a unit's thread, for a message.
[[nodiscard]] std::string reason_of(const std::exception_ptr& failure);
/// Whether a failure means that a block could not be done though its unit works: BlockFailure and
/// std::bad_alloc do.
[[nodiscard]] bool is_of_block_alone(const std::exception_ptr& failure);

/// The thread's side of a worker. Thread and worker own it together, so a thread that was left
/// behind still has it.
class WorkerMailbox {
 public:
  /// `patience` is how long the thread polls for its next command before it sleeps.
  /// `outer`: as of WorkerSetup.
  WorkerMailbox(std::shared_ptr<WakeSignal> controller, WakeSignal::Span patience,
                std::shared_ptr<HostGate> outer)
      : WorkerMailbox(std::move(controller), std::make_shared<WakeSignal>(patience),
                      std::move(outer)) {}
  /// `thread` wakes a thread that serves several mailboxes and never waits for one of them alone.
  WorkerMailbox(std::shared_ptr<WakeSignal> controller, std::shared_ptr<WakeSignal> thread,
                std::shared_ptr<HostGate> outer)
      : controller_(std::move(controller)),
        signal_(std::move(thread)),
        host_(std::make_shared<HostGate>(std::move(outer))) {}

  /// Waits until `deadline` for a command and returns the oldest one that was not dropped. Returns
  /// nullptr if the deadline has come, if blocks were abandoned (`epoch`), if the bell was rung, or
  /// if the thread is to end (`stops`).
  [[nodiscard]] const Command* await_command(WakeSignal::TimePoint deadline);
  /// The oldest command that was not dropped, without waiting; nullptr if there is none.
  [[nodiscard]] const Command* command() { return commands_.front(); }
  void drop_command() { commands_.pop(); }
  [[nodiscard]] bool stops() const { return stops_.load(std::memory_order_seq_cst); }
  /// Commands of any other epoch are abandoned.
  [[nodiscard]] std::uint32_t epoch() const { return host_->epoch(); }
  /// Whether the unit goes on with what it has begun of the blocks that were abandoned last.
  [[nodiscard]] bool goes_on() const { return goes_on_.load(std::memory_order_seq_cst); }

  /// Whether `command` was abandoned.
  [[nodiscard]] bool is_abandoned(const Command& command) const { return command.epoch != epoch(); }
  /// Whether waits for the sake of `command` must end: it was abandoned, and the unit does not go
  /// on with it, or the thread is to end.
  [[nodiscard]] bool gives_up(const Command& command) const {
    return stops() || (is_abandoned(command) && !goes_on());
  }
  /// Guards the host's data.
  [[nodiscard]] HostGate& host() { return *host_; }
  [[nodiscard]] const std::shared_ptr<HostGate>& shared_host() const { return host_; }
  /// Calls `touch`, which reads or writes the host's data for `command`, unless it may not any
  /// more. Returns whether it was called.
  template <class Touch>
  bool access_host(const Command& command, Touch&& touch) {
    return host_->access(command.epoch, command.iteration, std::forward<Touch>(touch));
  }
  /// What was taken back, and which blocks have copies.
  [[nodiscard]] BlockSlots& slots() { return slots_; }
  /// Makes the thread's wait for a command return. Any thread may call it: a device does when it
  /// has completed something.
  void ring() {
    rings_.fetch_add(1, std::memory_order_seq_cst);
    signal_->notify();
  }
  /// How often that was; for a thread that does not wait.
  [[nodiscard]] std::uint64_t rings() const { return rings_.load(std::memory_order_seq_cst); }
  /// Sends a report to the controller. Must be called once for every command, abandoned or not,
  /// because it makes room for another command.
  void report(const Report& report);

 private:
  friend class MailboxWorker;

  std::shared_ptr<WakeSignal> controller_;
  Ring<Command, blocks_at_worker_max> commands_;
  Ring<Report, blocks_at_worker_max> reports_;
  std::shared_ptr<WakeSignal> signal_;
  std::shared_ptr<HostGate> host_;
  BlockSlots slots_;
  std::atomic<std::uint64_t> rings_ = 0;
  std::uint32_t seen_epoch_ = 0;  ///< used by the thread
  std::uint64_t seen_rings_ = 0;  ///< used by the thread
  std::atomic<bool> stops_ = false;
  std::atomic<bool> goes_on_ = false;
};

/// The controller's side of a worker, whoever serves its mailbox: a thread of its own, one of the
/// user's program, or the one that is connected with other ranks.
class MailboxWorker : public Worker {
 public:
  void queue(Command command, ResultClaimPtr claim) final;
  [[nodiscard]] Fate take_back(std::uint64_t block) final;
  [[nodiscard]] ResultClaimPtr contest(std::uint64_t original) final;
  void begin_iteration() final;
  [[nodiscard]] const Report* report() final;
  void drop_report() final;
  void abandon(Abandoned why) final;
  [[nodiscard]] bool is_free() final;
  void stop() final;

 protected:
  /// The arguments are those of WorkerMailbox.
  template <class Thread>
  MailboxWorker(std::shared_ptr<WakeSignal> controller, Thread thread,
                std::shared_ptr<HostGate> outer)
      : mailbox_(std::make_shared<WorkerMailbox>(std::move(controller), std::move(thread),
                                                 std::move(outer))) {}

  [[nodiscard]] const std::shared_ptr<WorkerMailbox>& mailbox() const { return mailbox_; }

 private:
  /// A command for which the mailbox has no room.
  struct Waiting {
    Command command;
    ResultClaimPtr claim;

    [[nodiscard]] std::uint64_t id() const { return command.block.id; }
    [[nodiscard]] std::uint64_t original() const { return command.block.original(); }
  };
  /// A block that the thread has.
  struct AtThread {
    Block block;
    std::uint8_t slot = 0;
    bool is_abandoned = false;

    /// None of an abandoned block.
    [[nodiscard]] std::optional<std::uint64_t> id() const {
      return is_abandoned ? std::nullopt : std::optional(block.id);
    }
    [[nodiscard]] std::optional<std::uint64_t> original() const {
      return is_abandoned ? std::nullopt : std::optional(block.original());
    }
  };

  void forget(std::uint8_t slot);
  /// Moves waiting commands to the mailbox as long as it has room.
  void hand_on();

  std::shared_ptr<WorkerMailbox> mailbox_;
  std::deque<Waiting> waiting_;
  std::vector<AtThread> at_thread_;  ///< those of `held_`
  std::size_t held_ = 0;  ///< commands in the mailbox and in work, until their reports are
                          ///< dropped
};

/// The work of a unit on its thread.
class UnitDriver {
 public:
  explicit UnitDriver(WorkerSetup setup) : setup_(std::move(setup)) {}
  UnitDriver(const UnitDriver&) = delete;
  UnitDriver& operator=(const UnitDriver&) = delete;
  virtual ~UnitDriver() = default;

  /// Makes the unit ready for its first block. If it throws, the unit does not come up. `mailbox`
  /// is that of `work`.
  virtual void come_up(WorkerMailbox& mailbox) = 0;
  /// Works on commands until the mailbox stops. If it throws, the unit has failed with all its
  /// blocks. The mailbox outlives the driver.
  virtual void work(WorkerMailbox& mailbox) = 0;

  [[nodiscard]] const WorkerSetup& setup() const { return setup_; }

 protected:
  WorkerSetup setup_;
};

/// Makes a worker whose thread runs `driver`. `patience`: as of WorkerMailbox.
[[nodiscard]] std::unique_ptr<Worker> make_threaded_worker(std::unique_ptr<UnitDriver> driver,
                                                           WakeSignal::Span patience);

}  // namespace equipoise
