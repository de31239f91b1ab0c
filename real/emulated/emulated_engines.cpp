// Threads that work off queues: which piece of work is next, and when it ends on the emulated device.
#include "real/emulated/emulated_engines.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "real/this_thread.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// A copy gives way to others after so many bytes.
constexpr std::size_t copied_at_once = std::size_t{256} << 10;

/// Lets other threads of the same priority, such as the controller, in between.
void copy_part(const CopyPart& part) {
  for (std::size_t at = 0; at < part.bytes; at += copied_at_once) {
    std::memcpy(part.to + at, part.from + at, std::min(copied_at_once, part.bytes - at));
    if (part.bytes > copied_at_once) std::this_thread::yield();
  }
}

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
  Worker& worker = *engines_.emplace_back(std::make_unique<Worker>());
  worker.kinds = std::move(kinds);
  std::promise<void> up;
  std::future<void> is_up = up.get_future();
  try {
    threads_.emplace_back(
        [this, &worker, waiting, up = std::move(up)]() mutable { copy_all(worker, waiting, up); });
  } catch (const std::system_error& error) {
    throw BackendError(std::string("no thread: ") + error.what());
  }
  is_up.get();
}

void EmulatedEngines::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& engine : engines_) engine->stops = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void EmulatedEngines::attach(EmulatedQueues& queues) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& engine : engines_) engine->devices.push_back(&queues);
}

void EmulatedEngines::detach(EmulatedQueues& queues) {
  std::unique_lock<std::mutex> lock(mutex_);
  queues.stops = true;
  changed_.notify_all();
  for (const auto& engine : engines_) {
    std::erase(engine->devices, &queues);
    if (engine->last_device == &queues) engine->last_device = nullptr;
    changed_.wait(lock, [&] { return engine->busy != &queues; });
  }
}

void EmulatedEngines::put(EmulatedQueues& queues, Queue queue, EmulatedWork work) {
  const std::lock_guard<std::mutex> lock(mutex_);
  work.put_at = clock_->now();
  queues[queue].works.push_back(std::move(work));
  changed_.notify_all();
}

void EmulatedEngines::happen(EmulatedMoment& moment) {
  const std::lock_guard<std::mutex> lock(mutex_);
  moment.happen(clock_->now());
  changed_.notify_all();
}

void EmulatedEngines::compute_all(EmulatedQueues& queues,
                                  const std::function<Seconds(const EmulatedWork& work)>& compute) {
  Worker worker;
  worker.kinds = {Queue::compute};
  worker.devices = {&queues};
  work_off(worker, [&](EmulatedQueues& /*device*/, Queue /*queue*/, const EmulatedWork& work,
                       Seconds /*begin*/) { return compute(work); });
}

void EmulatedEngines::copy_all(Worker& worker, const std::vector<int>& waiting,
                               std::promise<void>& up) {
  pin_this_thread(waiting);
  wake_this_thread_on_time();
  const PromptThread prompt;
  up.set_value();
  work_off(worker, [this](EmulatedQueues& device, Queue queue, const EmulatedWork& work,
                          Seconds begin) { return copy_now(device, queue, work, begin); });
}

/// Copies, and returns when the copy has ended on the emulated device.
Seconds EmulatedEngines::copy_now(EmulatedQueues& device, Queue queue, const EmulatedWork& work,
                                  Seconds begin) {
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
  const Seconds end = begin + figures_.latency + Seconds{static_cast<double>(bytes) / bytes_per_s};
  clock_->wait_until(end, [&] { return device.stops.load() || !work.ticket->is_wanted(); });
  return std::max(copied, std::min(end, clock_->now()));
}

/// Works until it stops, or, on a thread that computes, until its device does.
void EmulatedEngines::work_off(Worker& worker, const Perform& perform) {
  const bool computes = worker.kinds.front() == Queue::compute;
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    bool has_next = false;
    const auto is_over = [&] {
      return worker.stops || (computes && worker.devices.front()->stops.load());
    };
    changed_.wait(lock, [&] {
      has_next = !is_over() && choose(worker);
      return has_next || is_over();
    });
    if (!has_next) return;
    EmulatedQueues& device = *worker.last_device;
    const Queue kind = worker.last;
    EmulatedQueue& queue = device[kind];
    const EmulatedWork work = std::move(queue.works.front());
    queue.works.pop_front();
    queue.at = std::max(queue.at, work.put_at);
    if (work.awaited) queue.at = std::max(queue.at, *work.awaited->happened());
    if (work.holds) worker.free_at = std::max(worker.free_at, queue.at);
    if (work.occupies()) queue.has_unrecorded_end = true;
    if (work.occupies() || begins_work(queue)) queue.at = std::max(queue.at, worker.free_at);
    if (work.recorded) {
      queue.has_unrecorded_end = false;
      work.recorded->happen(queue.at);
      changed_.notify_all();
    }
    worker.busy = &device;
    lock.unlock();
    if (work.call) work.call();
    if (work.occupies() && work.ticket->is_wanted()) {
      queue.at = worker.free_at = perform(device, kind, work, queue.at);
    }
    lock.lock();
    worker.busy = nullptr;
    if (device.stops) changed_.notify_all();
  }
}

/// Finds the queue whose turn it is, if any has work that can be done now: `last_device`, `last`.
bool EmulatedEngines::choose(Worker& worker) {
  if (worker.last_device != nullptr) {
    const EmulatedQueue& present = (*worker.last_device)[worker.last];
    if (present.works.empty() && present.has_unrecorded_end) return false;
    if (begins_work(present)) return true;
    if (follows_up(present)) return can_go_on(present);
  }
  std::optional<Seconds> longest;
  for (EmulatedQueues* const device : worker.devices) {
    const auto next = std::ranges::find_if(worker.kinds, [&](Queue kind) {
      const EmulatedQueue& queue = (*device)[kind];
      return !queue.works.empty() && can_go_on(queue);
    });
    if (next == worker.kinds.end()) continue;
    const Seconds since = waits_since((*device)[*next]);
    if (longest && *longest <= since) continue;
    longest = since;
    worker.last_device = device;
    worker.last = *next;
  }
  return longest.has_value();
}

}  // namespace equipoise
