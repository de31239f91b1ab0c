// Threads that work off queues: which piece of work is next, and when it ends on the emulated
// device, whose memory is the host's.
#include "real/emulated/emulated_device.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <utility>

#include "real/block_copies.hpp"
#include "real/kernels/buffer.hpp"
#include "real/threads/this_thread.hpp"

namespace equipoise {
namespace {

/// Whether the next piece of work in `queue` is a copy or a computation.
bool begins_work(const EmulatedQueue& queue) {
  return !queue.works.empty() && queue.works.front().occupies();
}

/// Whether the next piece of work in `queue` follows up on a copy or computation before it: the
/// record of its end, a call, or a wait that holds it. The thread does that before it turns to
/// another queue.
bool follows_up(const EmulatedQueue& queue) {
  if (queue.works.empty()) return false;
  const EmulatedWork& work = queue.works.front();
  return work.holds || work.call || (work.recorded && queue.has_unrecorded_end);
}

bool can_go_on(const EmulatedQueue& queue) {
  const EmulatedWork& work = queue.works.front();
  return !work.awaited || work.awaited->happened();
}

/// Since when the next piece of work in `queue`, which can go on, has waited.
Seconds waits_since(const EmulatedQueue& queue) {
  const EmulatedWork& work = queue.works.front();
  const Seconds since = std::max(queue.at, work.put_at);
  return work.awaited ? std::max(since, *work.awaited->happened()) : since;
}

/// Whether the thread has nothing to do, and does nothing. With its lock.
bool is_idle(const EmulatedThread& thread) {
  return thread.busy == nullptr && std::ranges::all_of(thread.devices, [&](EmulatedQueues* device) {
           return std::ranges::all_of(thread.kinds, [device](Queue kind) {
             const EmulatedQueue& queue = (*device)[kind];
             return queue.works.empty() && !queue.has_unrecorded_end;
           });
         });
}

/// Whether `queue` cannot go on before a moment, which will wake its thread. With the thread's
/// lock.
bool waits_for_moment(EmulatedThread& thread, EmulatedQueues& device, Queue kind) {
  const EmulatedQueue& queue = device[kind];
  return !queue.works.empty() && !can_go_on(queue) &&
         queue.works.front().awaited->will_wake(thread.waiting, kind);
}

/// Lets all moments for which queues of `thread` wait wake it. Returns false if one of them has
/// happened meanwhile. With its lock.
bool await_moments(EmulatedThread& thread) {
  return std::ranges::all_of(thread.devices, [&](EmulatedQueues* device) {
    return std::ranges::all_of(thread.kinds, [&](Queue kind) {
      const EmulatedQueue& queue = (*device)[kind];
      return queue.works.empty() || can_go_on(queue) || waits_for_moment(thread, *device, kind);
    });
  });
}

/// `work`, which was at the front of `queue` of `thread`, is done, or begins. If it records, the
/// moment has happened, and those who wait for it are to be woken without the lock.
void pass(EmulatedThread& thread, EmulatedQueue& queue, const EmulatedWork& work) {
  queue.at = std::max(queue.at, work.put_at);
  if (work.awaited) queue.at = std::max(queue.at, *work.awaited->happened());
  if (work.holds) thread.free_at = std::max(thread.free_at, queue.at);
  if (work.occupies()) queue.has_unrecorded_end = true;
  if (work.occupies() || begins_work(queue)) queue.at = std::max(queue.at, thread.free_at);
  if (!work.recorded) return;
  queue.has_unrecorded_end = false;
  work.recorded->happen(queue.at);
}

/// Finds the queue whose turn it is, if any has work that can be done now: `last_device`, `last`.
bool choose(EmulatedThread& thread) {
  if (thread.last_device != nullptr) {
    const EmulatedQueue& present = (*thread.last_device)[thread.last];
    if (present.works.empty() && present.has_unrecorded_end) return false;
    if (begins_work(present)) return true;
    if (follows_up(present)) return can_go_on(present);
  }
  std::optional<Seconds> longest;
  for (EmulatedQueues* const device : thread.devices) {
    const auto next = std::ranges::find_if(thread.kinds, [&](Queue kind) {
      const EmulatedQueue& queue = (*device)[kind];
      return !queue.works.empty() && can_go_on(queue);
    });
    if (next == thread.kinds.end()) continue;
    const Seconds since = waits_since((*device)[*next]);
    if (longest && *longest <= since) continue;
    longest = since;
    thread.last_device = device;
    thread.last = *next;
  }
  return longest.has_value();
}

}  // namespace

EmulatedEngines::EmulatedEngines(const EmulatedFigures& figures, const std::vector<int>& waiting,
                                 std::shared_ptr<Clock> clock)
    : figures_(figures), clock_(std::move(clock)) {
  try {
    if (figures.copy_engines == 1) {
      start_engine({Queue::out, Queue::in}, waiting);
    } else {
      start_engine({Queue::out}, waiting);
      start_engine({Queue::in}, waiting);
    }
  } catch (...) {
    stop();
    throw;
  }
}

EmulatedEngines::~EmulatedEngines() { stop(); }

void EmulatedEngines::start_engine(std::vector<Queue> kinds, const std::vector<int>& waiting) {
  EmulatedThread& engine = *engines_.emplace_back(std::make_unique<EmulatedThread>());
  engine.kinds = std::move(kinds);
  std::promise<void> up;
  std::future<void> is_up = up.get_future();
  threads_.push_back(start_thread("copies", [this, &engine, waiting, up = std::move(up)]() mutable {
    copy_all(engine, waiting, up);
  }));
  is_up.get();
}

void EmulatedEngines::stop() {
  stops_ = true;
  for (const auto& engine : engines_) engine->waiting.wake();
  threads_.clear();
}

void EmulatedEngines::attach(EmulatedQueues& queues) {
  queues.computes.kinds = {Queue::compute};
  queues.computes.devices = {&queues};
  for (const auto& engine : engines_) {
    const std::lock_guard<std::mutex> lock(engine->mutex);
    engine->devices.push_back(&queues);
  }
}

void EmulatedEngines::detach(EmulatedQueues& queues) {
  queues.stops = true;
  queues.computes.waiting.wake();
  for (const auto& engine : engines_) {
    {
      const std::lock_guard<std::mutex> lock(engine->mutex);
      std::erase(engine->devices, &queues);
      if (engine->last_device == &queues) engine->last_device = nullptr;
    }
    while (engine->busy == &queues) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

void EmulatedEngines::put(EmulatedQueues& queues, Queue queue, EmulatedWork work) {
  EmulatedThread& thread = queue == Queue::compute
                               ? queues.computes
                               : *engines_[queue == Queue::in ? engines_.size() - 1 : 0];
  bool has_work = true;  // otherwise the thread would have nothing to do
  std::shared_ptr<EmulatedMoment> happened;
  {
    const std::lock_guard<std::mutex> lock(thread.mutex);
    work.put_at = clock_->now();
    const bool is_ready = !work.awaited || work.awaited->happened();
    if (is_ready && !work.occupies() && !work.call && is_idle(thread)) {
      has_work = false;
      pass(thread, queues[queue], work);
      happened = std::move(work.recorded);
      thread.last_device = &queues;
      thread.last = queue;
    } else {
      queues[queue].works.push_back(std::move(work));
      has_work = !waits_for_moment(thread, queues, queue);
    }
  }
  if (has_work) thread.waiting.wake();
  if (happened) happened->wake();
}

void EmulatedEngines::happen(EmulatedMoment& moment) {
  moment.happen(clock_->now());
  moment.wake();
}

void EmulatedEngines::compute_all(EmulatedQueues& queues,
                                  const std::function<Seconds(const EmulatedWork& work)>& compute) {
  work_off(queues.computes, queues.stops,
           [&](const Taken& taken, Seconds /*begin*/) { return compute(taken.work); });
}

void EmulatedEngines::copy_all(EmulatedThread& thread, const std::vector<int>& waiting,
                               std::promise<void>& up) {
  pin_this_thread(waiting);
  wake_this_thread_on_time();
  const PromptThread prompt;
  up.set_value();
  work_off(thread, stops_,
           [&](const Taken& taken, Seconds begin) { return copy_now(thread, taken, begin); });
}

/// Copies, and returns when the copy has ended on the emulated device. What the thread did since
/// its last copy, or since it began, when it looked for work, counts as work for this one.
Seconds EmulatedEngines::copy_now(EmulatedThread& thread, const Taken& taken, Seconds begin) {
  const EmulatedWork& work = taken.work;
  std::size_t bytes = 0;  // none if the block is not wanted any more
  const auto copy = [&] {
    copy_on_host(work.parts);
    bytes = bytes_of(work.parts);
  };
  if (taken.kind == Queue::in) {
    work.ticket->read_host(copy);
  } else {
    work.ticket->write_host(copy);
  }
  const double bytes_per_s =
      taken.kind == Queue::in ? figures_.in_bytes_per_s : figures_.out_bytes_per_s;
  const Seconds copied = clock_->now();
  const Seconds end = begin + figures_.latency + Seconds{static_cast<double>(bytes) / bytes_per_s};
  clock_->wait_until(end, [&] { return taken.device->stops.load() || !work.ticket->is_wanted(); });
  const double worked_s = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  work.ticket->add_copying(Seconds{worked_s - std::exchange(thread.worked_s, worked_s)});
  return std::max(copied, std::min(end, clock_->now()));
}

/// Works until `stops`.
void EmulatedEngines::work_off(EmulatedThread& thread, const std::atomic<bool>& stops,
                               const Perform& perform) {
  while (!stops) {
    const std::uint32_t seen = thread.waiting.seen();
    const std::optional<Taken> taken = take_next(thread);
    if (!taken) {
      if (!stops) thread.waiting.wait(seen);
      continue;
    }
    if (taken->work.recorded) taken->work.recorded->wake();
    if (taken->work.call) taken->work.call();
    if (taken->work.occupies() && taken->work.ticket->is_wanted()) {
      EmulatedQueue& queue = (*taken->device)[taken->kind];
      queue.at = thread.free_at = perform(*taken, queue.at);
    }
    thread.busy = nullptr;  // the device may be gone from now on
  }
}

/// The next piece of work, if any can be done now. If it records, the moment has happened.
std::optional<EmulatedEngines::Taken> EmulatedEngines::take_next(EmulatedThread& thread) {
  const std::lock_guard<std::mutex> lock(thread.mutex);
  while (!choose(thread)) {
    if (await_moments(thread)) return std::nullopt;
  }
  EmulatedQueue& queue = (*thread.last_device)[thread.last];
  Taken taken{std::move(queue.works.front()), thread.last_device, thread.last};
  queue.works.pop_front();
  pass(thread, queue, taken.work);
  thread.busy = thread.last_device;
  return taken;
}

namespace {

/// The largest part of resident data that is read at a time.
constexpr std::size_t streamed_part_bytes = std::size_t{1} << 20;

class EmulatedDevice final : public Device {
 public:
  EmulatedDevice(std::shared_ptr<EmulatedEngines> engines, const std::vector<int>& cores)
      : engines_(std::move(engines)) {
    engines_->attach(queues_);
    try {
      std::promise<void> up;
      std::future<void> is_up = up.get_future();
      computes_ = start_thread(
          "computations", [this, cores, up = std::move(up)]() mutable { compute_all(cores, up); });
      is_up.get();
    } catch (...) {
      engines_->detach(queues_);
      throw;
    }
  }

  ~EmulatedDevice() override { engines_->detach(queues_); }

  std::byte* allocate(std::size_t bytes) override {
    BufferOf<std::byte> memory(bytes);
    std::byte* const begin = memory.data();
    memory_.emplace(begin, std::move(memory));
    return begin;
  }

  /// All memory is the host's; what programs read there, the bus reads, too.
  std::byte* allocate_on_host(std::size_t bytes) override { return allocate(bytes); }

  void release(std::byte* memory) override { memory_.erase(memory); }

  DeviceProgram load(const Kernel& kernel) override {
    return {[this, program = std::make_shared<const CpuProgram>(kernel.make_cpu_program()),
             resident = kernel.data().resident](
                const StagedBlock& block, std::size_t streamed_bytes, const TicketPtr& ticket) {
      const EventPtr began = streamed_bytes > 0 ? record(Queue::compute) : nullptr;
      put(Queue::compute, {.ticket = ticket, .compute = [program, block](ThreadTeam& team) {
                             compute_with(team, *program, block);
                           }});
      if (began) stream(resident, streamed_bytes, began, ticket);
    }};
  }

  void copy(Queue queue, std::vector<CopyPart> parts, const TicketPtr& ticket) override {
    put(queue, {.ticket = ticket, .parts = std::move(parts)});
  }

  EventPtr record(Queue queue) override {
    auto moment = std::make_shared<EmulatedMoment>();
    put(queue, {.recorded = moment});
    return moment;
  }

  EventPtr hold(Queue queue) override {
    auto moment = std::make_shared<EmulatedMoment>();
    put(queue, {.awaited = moment, .holds = true});
    return moment;
  }

  void let_go(DeviceEvent& held) override { engines_->happen(static_cast<EmulatedMoment&>(held)); }

  void wait(Queue queue, const EventPtr& event) override {
    put(queue, {.awaited = std::static_pointer_cast<EmulatedMoment>(event)});
  }

  void call_back(Queue queue, std::function<void()> function) override {
    put(queue, {.call = std::move(function)});
  }

 private:
  /// Reads `bytes` of the resident data from `began` on, the begin of a computation, which does not
  /// end before that has ended.
  void stream(const std::vector<ResidentArray>& resident, std::size_t bytes, const EventPtr& began,
              const TicketPtr& ticket) {
    if (scratch_ == nullptr) scratch_ = allocate(streamed_part_bytes);
    std::vector<CopyPart> parts;
    for (const ResidentArray& array : resident) {
      const std::size_t wanted = std::min(bytes, array.bytes);
      for (std::size_t at = 0; at < wanted; at += streamed_part_bytes) {
        parts.push_back({scratch_, array.data + at, std::min(streamed_part_bytes, wanted - at)});
      }
      bytes -= wanted;
    }
    wait(Queue::in, began);
    copy(Queue::in, std::move(parts), ticket);
    wait(Queue::compute, record(Queue::in));
  }

  void put(Queue queue, EmulatedWork work) { engines_->put(queues_, queue, std::move(work)); }

  void compute_all(const std::vector<int>& cores, std::promise<void>& up) {
    std::unique_ptr<ThreadTeam> team;
    try {
      team = std::make_unique<ThreadTeam>(cores);
    } catch (...) {
      up.set_exception(std::current_exception());
      return;
    }
    up.set_value();
    engines_->compute_all(queues_, [&](const EmulatedWork& work) {
      try {
        work.compute(*team);
      } catch (...) {
        work.ticket->fail(std::current_exception());
      }
      return engines_->clock()->now();
    });
  }

  std::shared_ptr<EmulatedEngines> engines_;
  std::map<std::byte*, BufferOf<std::byte>> memory_;
  std::byte* scratch_ = nullptr;  ///< where resident data go that are read with each block
  EmulatedQueues queues_;
  std::jthread computes_;
};

}  // namespace

std::unique_ptr<Device> open_emulated_device(std::shared_ptr<EmulatedEngines> engines,
                                             const std::vector<int>& cores) {
  return std::make_unique<EmulatedDevice>(std::move(engines), cores);
}

}  // namespace equipoise
