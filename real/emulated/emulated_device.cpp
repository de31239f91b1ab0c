// Queues of work, and threads that do it: one computes, one or two copy.
#include "real/emulated/emulated_device.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "real/kernels/buffer.hpp"
#include "real/this_thread.hpp"
#include "real/thread_team.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// A copy gives way to others after so many bytes.
constexpr std::size_t copied_at_once = std::size_t{256} << 10;

/// Happens when a thread of the device gets there. Its time is that of the emulated device, which
/// may be a little earlier.
class Moment final : public DeviceEvent {
 public:
  std::optional<Seconds> happened() const override {
    const double at_s = at_s_.load(std::memory_order_seq_cst);
    return at_s < 0.0 ? std::nullopt : std::optional(Seconds{at_s});
  }
  void happen(Seconds at) { at_s_.store(at.value, std::memory_order_seq_cst); }

 private:
  std::atomic<double> at_s_ = -1.0;
};

class EmulatedDevice final : public Device {
 public:
  EmulatedDevice(const EmulatedFigures& figures, const std::vector<int>& cores,
                 const std::vector<int>& waiting, std::shared_ptr<Clock> clock)
      : figures_(figures), clock_(std::move(clock)) {
    const std::vector<Queue> copies = {Queue::out, Queue::in};
    try {
      start_thread([this, cores](std::promise<void>& up) { compute_all(cores, up); });
      if (figures.copy_engines == 1) {
        start_thread(
            [this, waiting, copies](std::promise<void>& up) { copy_all(copies, waiting, up); });
      } else {
        for (const Queue queue : copies) {
          start_thread(
              [this, waiting, queue](std::promise<void>& up) { copy_all({queue}, waiting, up); });
        }
      }
    } catch (...) {
      stop();
      throw;
    }
  }

  ~EmulatedDevice() override { stop(); }

  std::byte* allocate(std::size_t bytes) override {
    BufferOf<std::byte> memory(bytes);
    std::byte* const begin = memory.data();
    memory_.emplace(begin, std::move(memory));
    return begin;
  }

  void release(std::byte* memory) override { memory_.erase(memory); }

  std::unique_ptr<DeviceProgram> load(const Kernel& kernel) override {
    class Program final : public DeviceProgram {
     public:
      Program(EmulatedDevice& device, std::shared_ptr<const CpuProgram> program)
          : device_(device), program_(std::move(program)) {}
      void launch(const StagedBlock& block, const TicketPtr& ticket) override {
        device_.put(Queue::compute,
                    {.ticket = ticket, .compute = [program = program_, block](ThreadTeam& team) {
                       program->compute(block, team);
                     }});
      }

     private:
      EmulatedDevice& device_;
      std::shared_ptr<const CpuProgram> program_;
    };
    return std::make_unique<Program>(*this, kernel.make_cpu_program());
  }

  void copy(Queue queue, std::vector<CopyPart> parts, const TicketPtr& ticket) override {
    put(queue, {.ticket = ticket, .parts = std::move(parts)});
  }

  EventPtr record(Queue queue) override {
    auto moment = std::make_shared<Moment>();
    put(queue, {.recorded = moment});
    return moment;
  }

  EventPtr hold(Queue queue) override {
    auto moment = std::make_shared<Moment>();
    put(queue, {.awaited = moment, .holds = true});
    return moment;
  }

  void let_go(const EventPtr& held) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    static_cast<Moment&>(*held).happen(clock_->now());
    changed_.notify_all();
  }

  void wait(Queue queue, const EventPtr& event) override { put(queue, {.awaited = event}); }

  void call_back(Queue queue, std::function<void()> function) override {
    put(queue, {.call = std::move(function)});
  }

 private:
  /// One piece of work; only what it needs is set.
  struct Work {
    TicketPtr ticket{};
    std::vector<CopyPart> parts{};
    std::function<void(ThreadTeam&)> compute{};
    std::shared_ptr<Moment> recorded{};
    EventPtr awaited{};
    bool holds = false;  ///< `awaited` ends the copy or computation before it
    std::function<void()> call{};
    Seconds put_at{};  ///< when it came into its queue

    /// Whether it is a copy or a computation, which take time.
    [[nodiscard]] bool occupies() const { return !parts.empty() || compute; }
  };

  /// The work of one queue, in order.
  struct WorkQueue {
    std::deque<Work> works;
    Seconds at;                       ///< when the work before the next one has ended
    bool has_unrecorded_end = false;  ///< of a copy or computation
  };

  void start_thread(std::function<void(std::promise<void>&)> live) {
    auto up = std::make_shared<std::promise<void>>();
    std::future<void> is_up = up->get_future();
    try {
      threads_.emplace_back([live = std::move(live), up] { live(*up); });
    } catch (const std::system_error& error) {
      throw BackendError(std::string("no thread: ") + error.what());
    }
    is_up.get();
  }

  void stop() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stops_ = true;
      changed_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  [[nodiscard]] WorkQueue& queue_of(Queue queue) {
    return queues_[static_cast<std::size_t>(queue)];
  }

  void put(Queue queue, Work work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    work.put_at = clock_->now();
    queue_of(queue).works.push_back(std::move(work));
    changed_.notify_all();
  }

  void compute_all(const std::vector<int>& cores, std::promise<void>& up) {
    std::unique_ptr<ThreadTeam> team;
    try {
      team = std::make_unique<ThreadTeam>(cores);
    } catch (...) {
      up.set_exception(std::current_exception());
      return;
    }
    up.set_value();
    work_off({Queue::compute}, [&](Queue /*queue*/, const Work& work, Seconds /*begin*/) {
      try {
        work.compute(*team);
      } catch (...) {
        work.ticket->fail(std::current_exception());
      }
      return clock_->now();
    });
  }

  void copy_all(const std::vector<Queue>& queues, const std::vector<int>& waiting,
                std::promise<void>& up) {
    pin_this_thread(waiting);
    wake_this_thread_on_time();
    const PromptThread prompt;
    up.set_value();
    work_off(queues, [&](Queue queue, const Work& work, Seconds begin) {
      return copy_now(queue, work, begin);
    });
  }

  /// Lets other threads of the same priority, such as the controller, in between.
  static void copy_part(const CopyPart& part) {
    for (std::size_t at = 0; at < part.bytes; at += copied_at_once) {
      std::memcpy(part.to + at, part.from + at, std::min(copied_at_once, part.bytes - at));
      if (part.bytes > copied_at_once) std::this_thread::yield();
    }
  }

  /// Copies, and returns when the copy has ended on the emulated device.
  Seconds copy_now(Queue queue, const Work& work, Seconds begin) {
    std::size_t bytes = 0;
    work.ticket->access_host([&] {
      for (const CopyPart& part : work.parts) {
        copy_part(part);
        bytes += part.bytes;
      }
    });
    const double bytes_per_s =
        queue == Queue::in ? figures_.in_bytes_per_s : figures_.out_bytes_per_s;
    const Seconds copied = clock_->now();
    const Seconds end =
        begin + figures_.latency + Seconds{static_cast<double>(bytes) / bytes_per_s};
    clock_->wait_until(end, [&] { return stops_.load() || !work.ticket->is_wanted(); });
    return std::max(copied, std::min(end, clock_->now()));
  }

  /// Does the work of `queues`, of which the first has priority, until the device stops. `perform`
  /// copies or computes what began at a given time, and returns when it has ended.
  template <class Perform>
  void work_off(const std::vector<Queue>& queues, const Perform& perform) {
    Seconds free_at;         // when this thread's last copy or computation has ended
    Queue last = queues[0];  // the queue of the last piece of work
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      std::optional<Queue> next;
      changed_.wait(lock, [&] {
        next = choose(queues, last);
        return stops_ || next.has_value();
      });
      if (stops_) return;
      last = *next;
      WorkQueue& queue = queue_of(last);
      const Work work = std::move(queue.works.front());
      queue.works.pop_front();
      queue.at = std::max(queue.at, work.put_at);
      if (work.awaited) queue.at = std::max(queue.at, *work.awaited->happened());
      if (work.holds) free_at = std::max(free_at, queue.at);
      if (work.occupies()) queue.has_unrecorded_end = true;
      if (work.occupies() || begins_work(queue)) queue.at = std::max(queue.at, free_at);
      if (work.recorded) {
        queue.has_unrecorded_end = false;
        work.recorded->happen(queue.at);
        changed_.notify_all();
      }
      lock.unlock();
      if (work.call) work.call();
      if (work.occupies() && work.ticket->is_wanted()) {
        queue.at = free_at = perform(last, work, queue.at);
      }
      lock.lock();
    }
  }

  /// Whether the next piece of work in `queue` is a copy or a computation.
  [[nodiscard]] static bool begins_work(const WorkQueue& queue) {
    return !queue.works.empty() && queue.works.front().occupies();
  }

  /// Whether the next piece of work in `queue` follows up on a copy or computation before it: the
  /// record of its end, a call, or a wait that holds it. The thread does that before it turns to
  /// another queue.
  [[nodiscard]] static bool follows_up(const WorkQueue& queue) {
    if (queue.works.empty()) return false;
    const Work& work = queue.works.front();
    return work.holds || work.call || (work.recorded && queue.has_unrecorded_end);
  }

  /// The queue whose turn it is, if any has work that can be done now.
  [[nodiscard]] std::optional<Queue> choose(const std::vector<Queue>& queues, Queue last) {
    const auto can_go_on = [](const WorkQueue& queue) {
      const Work& work = queue.works.front();
      return !work.awaited || work.awaited->happened();
    };
    WorkQueue& present = queue_of(last);
    if (present.works.empty() && present.has_unrecorded_end) return std::nullopt;
    if (begins_work(present)) return last;
    if (follows_up(present)) return can_go_on(present) ? std::optional(last) : std::nullopt;
    for (const Queue queue : queues) {
      if (!queue_of(queue).works.empty() && can_go_on(queue_of(queue))) return queue;
    }
    return std::nullopt;
  }

  EmulatedFigures figures_;
  std::shared_ptr<Clock> clock_;
  std::map<std::byte*, BufferOf<std::byte>> memory_;
  std::mutex mutex_;
  std::condition_variable changed_;  ///< work was put in, an event happened, or the device stops
  std::array<WorkQueue, 3> queues_;
  std::atomic<bool> stops_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<Device> open_emulated_device(const EmulatedFigures& figures,
                                             const std::vector<int>& cores,
                                             const std::vector<int>& waiting,
                                             std::shared_ptr<Clock> clock) {
  return std::make_unique<EmulatedDevice>(figures, cores, waiting, std::move(clock));
}

}  // namespace equipoise
