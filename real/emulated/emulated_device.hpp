// An accelerator that cores of this machine imitate: its copy engines, the queues of work of the
// devices that are parts of it, and these devices.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "real/devices/device.hpp"
#include "real/threads/clock.hpp"
#include "real/threads/thread_team.hpp"
#include "real/threads/wake_signal.hpp"

namespace equipoise {

/// The figures of an emulated accelerator.
struct EmulatedFigures {
  double in_bytes_per_s = 2e9;   ///< of copies to the device
  double out_bytes_per_s = 2e9;  ///< of copies back
  Seconds latency{1e-5};         ///< of every copy
  int copy_engines = 2;          ///< 1: one copy at a time, and copies back go first

  bool operator==(const EmulatedFigures&) const = default;
};

/// Lets one thread wait until others have something for it.
class EmulatedWaiting {
 public:
  /// To be read before the thread looks for work.
  [[nodiscard]] std::uint32_t seen() const { return changes_; }
  /// Waits until there was a `wake` since `seen`.
  void wait(std::uint32_t seen) {
    signal_.sleep_until([&] { return changes_ != seen; }, WakeSignal::TimePoint::max());
  }
  void wake() {
    ++changes_;
    signal_.notify();
  }

 private:
  std::atomic<std::uint32_t> changes_ = 0;
  WakeSignal signal_{WakeSignal::Span{}};
};

/// Happens when a thread of the accelerator gets there. Its time is that of the emulated device,
/// which may be a little earlier.
class EmulatedMoment final : public DeviceEvent {
 public:
  std::optional<Seconds> happened() const override {
    const double at_s = at_s_.load(std::memory_order_seq_cst);
    return at_s == never_s ? std::nullopt : std::optional(Seconds{at_s});
  }
  /// It happens. `wake` is to follow.
  void happen(Seconds at) { at_s_.store(at.value, std::memory_order_seq_cst); }
  /// Wakes those who wait for it.
  void wake() {
    for (const auto& waiting : waiting_) {
      if (EmulatedWaiting* const of = waiting.load(std::memory_order_seq_cst)) of->wake();
    }
  }
  /// `thread`, which serves `queue`, is to be woken when it happens. Returns whether it will be: it
  /// has not happened yet.
  [[nodiscard]] bool will_wake(EmulatedWaiting& thread, Queue queue) {
    waiting_[static_cast<std::size_t>(queue)].store(&thread, std::memory_order_seq_cst);
    return !happened();
  }

 private:
  /// Times may be negative: the clock of a node may show 0 a little late.
  static constexpr double never_s = -std::numeric_limits<double>::infinity();
  std::atomic<double> at_s_ = never_s;
  std::array<std::atomic<EmulatedWaiting*>, 3> waiting_{};  ///< by queue; null: nobody
};

/// One piece of work in a queue; only what it needs is set.
struct EmulatedWork {
  TicketPtr ticket{};
  std::vector<CopyPart> parts{};
  std::function<void(ThreadTeam&)> compute{};
  std::shared_ptr<EmulatedMoment> recorded{};
  std::shared_ptr<EmulatedMoment> awaited{};
  bool holds = false;  ///< `awaited` ends the copy or computation before it
  std::function<void()> call{};
  Seconds put_at{};  ///< when it came into its queue

  /// Whether it is a copy or a computation, which take time.
  [[nodiscard]] bool occupies() const { return !parts.empty() || compute; }
};

/// The work of one queue, in order.
struct EmulatedQueue {
  std::deque<EmulatedWork> works;
  Seconds at;                       ///< when the work before the next one has ended
  bool has_unrecorded_end = false;  ///< of a copy or computation
};

struct EmulatedQueues;

/// A thread that copies or computes. Its lock is held by no thread of lower priority, so that a
/// computation that has to wait for its core delays no copy.
struct EmulatedThread {
  EmulatedWaiting waiting;               ///< for work, or for what that awaits
  std::mutex mutex;                      ///< of the queues that it serves
  std::vector<Queue> kinds;              ///< the first has priority among those of a device
  std::vector<EmulatedQueues*> devices;  ///< for which it works
  EmulatedQueues* last_device = nullptr;
  Queue last = Queue::in;  ///< the queue of the last piece of work
  Seconds free_at{};       ///< when its last copy or computation has ended
  double worked_s = 0.0;   ///< CPU time of the thread when its last copy had ended
  std::atomic<EmulatedQueues*> busy = nullptr;  ///< the device for which it works now
};

/// The queues of one device.
struct EmulatedQueues {
  std::array<EmulatedQueue, 3> queues;
  EmulatedThread computes;
  std::atomic<bool> stops = false;

  [[nodiscard]] EmulatedQueue& operator[](Queue queue) {
    return queues[static_cast<std::size_t>(queue)];
  }
};

/// One or two threads that copy for all devices of an accelerator. While an engine copies for one
/// device, copies of the others wait. The copy that has waited longest goes first; with one engine,
/// of the copies of one device, that back to the host.
class EmulatedEngines {
 public:
  /// The threads run on `waiting`. Throws BackendError if one cannot be started.
  EmulatedEngines(const EmulatedFigures& figures, const std::vector<int>& waiting,
                  std::shared_ptr<Clock> clock);
  ~EmulatedEngines();

  [[nodiscard]] const std::shared_ptr<Clock>& clock() const { return clock_; }

  /// Copies for the device with these queues from now on.
  void attach(EmulatedQueues& queues);
  /// Stops all work in these queues. Returns when no engine works for the device any more.
  void detach(EmulatedQueues& queues);
  /// Puts `work` into a queue of a device.
  void put(EmulatedQueues& queues, Queue queue, EmulatedWork work);
  /// Makes `moment` happen now.
  void happen(EmulatedMoment& moment);

  /// Does the computations of a device on this thread, until the device is detached. `compute`
  /// returns when a computation has ended.
  void compute_all(EmulatedQueues& queues,
                   const std::function<Seconds(const EmulatedWork& work)>& compute);

 private:
  /// A piece of work that is no longer in its queue.
  struct Taken {
    EmulatedWork work;
    EmulatedQueues* device;
    Queue kind;
  };
  using Perform = std::function<Seconds(const Taken& taken, Seconds begin)>;

  void start_engine(std::vector<Queue> kinds, const std::vector<int>& waiting);
  void stop();
  void copy_all(EmulatedThread& thread, const std::vector<int>& waiting, std::promise<void>& up);
  [[nodiscard]] Seconds copy_now(EmulatedThread& thread, const Taken& taken, Seconds begin);
  void work_off(EmulatedThread& thread, const std::atomic<bool>& stops, const Perform& perform);
  [[nodiscard]] std::optional<Taken> take_next(EmulatedThread& thread);

  EmulatedFigures figures_;
  std::shared_ptr<Clock> clock_;
  std::atomic<bool> stops_ = false;
  std::vector<std::unique_ptr<EmulatedThread>> engines_;
  std::vector<std::jthread> threads_;
};

/// Opens a device whose compute queue runs the kernels' CPU programs on `cores`, and whose copies
/// take latency + bytes / bandwidth, or as long as the host's memory needs if that is longer.
/// Copies follow one another without gaps, however late a thread wakes up. Other devices may have
/// the same `engines`. Throws BackendError if a thread cannot be started.
[[nodiscard]] std::unique_ptr<Device> open_emulated_device(std::shared_ptr<EmulatedEngines> engines,
                                                           const std::vector<int>& cores);

}  // namespace equipoise
