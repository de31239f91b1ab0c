// What an accelerator can do, as its driver sees it: memory, and queues of work that go on by
// themselves.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "real/kernels/kernel.hpp"
#include "real/kernels/kernel_data.hpp"
#include "real/threads/host_gate.hpp"
#include "real/worker.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// The queues of a device. Each does its work in the order in which it was put in; they do not wait
/// for one another unless told to.
enum class Queue : std::uint8_t { in, compute, out };

/// The most blocks in the queues of a device; more would hide no waiting.
inline constexpr std::size_t blocks_in_queues_max = 32;

/// A contiguous part of a copy.
struct CopyPart {
  std::byte* to;
  const std::byte* from;
  std::size_t bytes;
};

/// What all work of one block, or probe, in a device's queues shares: whether the block is still
/// wanted, and how it failed. A block that was abandoned, has failed or may not copy its results is
/// not wanted.
class BlockTicket {
 public:
  /// Asks whether the block may copy its results.
  using Claim = std::function<bool()>;

  /// The ticket of a block that is handed out now: of the present epoch and iteration of `host`,
  /// which outlives the device.
  explicit BlockTicket(HostGate& host) : BlockTicket(host, host.epoch(), host.iteration()) {}
  /// The ticket of a block of `epoch` and `iteration`. `resident` is the ticket of the resident
  /// data that the block needs (if that fails, so does the block), or null. Without a `claim` the
  /// results may be copied.
  BlockTicket(HostGate& host, std::uint32_t epoch, std::uint32_t iteration,
              std::shared_ptr<const BlockTicket> resident = nullptr, Claim claim = {})
      : host_(host),
        epoch_(epoch),
        iteration_(iteration),
        resident_(std::move(resident)),
        claim_(std::move(claim)) {}

  /// The ticket of a probe of an epoch. A probe touches none of the kernel's data, so iterations do
  /// not matter to it, but `memory`, which lives as long as the ticket.
  BlockTicket(HostGate& host, std::uint32_t epoch, std::shared_ptr<const void> memory)
      : host_(host), epoch_(epoch), memory_(std::move(memory)) {}

  [[nodiscard]] bool is_wanted() const {
    return host_.epoch() == epoch_ && !is_refused_ && !failure();
  }

  /// Calls `touch`, which reads the host's data, unless the block was abandoned. If its iteration
  /// is over, the block fails.
  template <class Touch>
  void read_host(Touch&& touch) {
    if (host_.access(epoch_, iteration_, touch)) return;
    if (host_.epoch() == epoch_)
      fail(std::make_exception_ptr(BlockFailure("its iteration is over")));
  }
  /// Calls `touch`, which writes the block's results to the host's data, unless the block was
  /// abandoned or may not copy its results.
  template <class Touch>
  void write_host(Touch&& touch) {
    if (claim_ && !claim_()) {
      is_refused_ = true;
      return;
    }
    host_.access(epoch_, iteration_, touch);
  }

  /// A thread of the host has worked so long for a copy of the block.
  void add_copying(Seconds work) { copying_s_ += work.value; }
  /// How long threads of the host have worked for its copies that have ended.
  [[nodiscard]] Seconds copying() const { return {copying_s_.load()}; }

  /// The block cannot be done.
  void fail(std::exception_ptr failure) {
    const std::lock_guard<std::mutex> lock(mutex_);
    failure_ = std::move(failure);
  }
  [[nodiscard]] std::exception_ptr failure() const {
    if (resident_) {
      if (std::exception_ptr failure = resident_->failure()) return failure;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    return failure_;
  }

 private:
  HostGate& host_;
  std::uint32_t epoch_;
  std::optional<std::uint32_t> iteration_;
  std::shared_ptr<const BlockTicket> resident_;
  std::shared_ptr<const void> memory_;
  Claim claim_;
  std::atomic<bool> is_refused_ = false;
  std::atomic<double> copying_s_ = 0.0;
  mutable std::mutex mutex_;
  std::exception_ptr failure_;
};
using TicketPtr = std::shared_ptr<BlockTicket>;

/// The moment at which a device gets to some place in one of its queues.
class DeviceEvent {
 public:
  DeviceEvent() = default;
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;
  virtual ~DeviceEvent() = default;

  /// When it happened, as a time of WorkerSetup::clock (whose 0 moves when the run starts, after
  /// the device was opened); nullopt if it did not yet. Times do not decrease within a queue.
  /// Throws if the device has failed for good.
  [[nodiscard]] virtual std::optional<Seconds> happened() const = 0;
};
using EventPtr = std::shared_ptr<DeviceEvent>;

/// What computes the blocks of one kernel on one device. May be destroyed before they have ended.
struct DeviceProgram {
  /// Puts the computation of `block`, which is in the device's memory, into its compute queue. If
  /// `streamed_bytes` is not 0, its resident data lie in memory of `Device::allocate_on_host`, and
  /// a device that imitates the reading of them reads so many bytes.
  std::function<void(const StagedBlock& block, std::size_t streamed_bytes, const TicketPtr& ticket)>
      launch;
  /// Whether the first blocks of some sizes take longer, because a library prepares itself.
  bool prepares_at_first_use = false;
};

/// An accelerator. One thread calls its members. Each puts work into a queue and returns, and the
/// work goes on by itself. `allocate`, `copy` and `launch` throw BlockFailure or std::bad_alloc if
/// the present block cannot be done but the device can go on. Any other exception means that the
/// device has failed for good. Failures of work in a queue are put into its ticket. After every
/// copy and every computation its end is recorded.
///
/// Copies from and to the host's memory do not take place for a block that is not wanted any more;
/// a device that cannot take back a copy goes through memory of its own on the host. The only
/// exception is a copy from an array that it may read in place. The computation of a block that is
/// not wanted may still take place, on any bytes, and does not fail the device. The destructor
/// waits for all work that cannot be dropped, but not for ever: what a device that does not answer
/// may still use is left as it is until the program ends.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  /// Memory of the device, aligned to `array_alignment`. Throws std::bad_alloc.
  [[nodiscard]] virtual std::byte* allocate(std::size_t bytes) = 0;
  /// Memory of the host, aligned likewise, that programs of the device read over its bus: for
  /// resident data that its own memory does not hold. The address is the device's; copies in may go
  /// there. Throws std::bad_alloc.
  [[nodiscard]] virtual std::byte* allocate_on_host(std::size_t bytes) = 0;
  /// Releases memory that one of these returned, which no work in a queue uses.
  virtual void release(std::byte* memory) = 0;

  /// Lets copies in read `array` where it lies, also those for blocks that are not wanted any more.
  /// The device owns it, too, from then on. It may take time: to be called before there is work.
  virtual void read_in_place(const FixedArray& /*array*/) {}
  /// The program for `kernel`, which is allocated. Destroyed before the device.
  [[nodiscard]] virtual DeviceProgram load(const Kernel& kernel) = 0;

  /// Puts a copy of all `parts` into `queue`: from the host if that is Queue::in, to the host if it
  /// is Queue::out. Touches the host's memory only through `ticket`.
  virtual void copy(Queue queue, std::vector<CopyPart> parts, const TicketPtr& ticket) = 0;

  /// The moment at which all work that is now in `queue` has ended.
  [[nodiscard]] virtual EventPtr record(Queue queue) = 0;
  /// Stops `queue` behind the work that is in it now, as if that took longer. Returns the moment at
  /// which `let_go` ends the stop.
  [[nodiscard]] virtual EventPtr hold(Queue queue) = 0;
  /// Makes `held`, from `hold`, happen now. Any thread may call it, and it does not wait for the
  /// device, which may answer nothing meanwhile.
  virtual void let_go(DeviceEvent& held) = 0;
  /// Lets `queue` begin later work only after `event`.
  virtual void wait(Queue queue, const EventPtr& event) = 0;
  /// Calls `function`, which only wakes the driver, on some thread when all work that is now in
  /// `queue` has ended. A device that has failed for good need not call it: the driver also looks
  /// at its events every 0.1 s.
  virtual void call_back(Queue queue, std::function<void()> function) = 0;
  /// Whether the queues have no room for another block without making the caller wait. It changes
  /// when events are found to have happened.
  [[nodiscard]] virtual bool is_full() const { return false; }
};

}  // namespace equipoise
