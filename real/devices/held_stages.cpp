// The thread asks nothing of the device: it reads the host's clock, and ends stops.
#include "real/devices/held_stages.hpp"

#include <algorithm>
#include <utility>

#include "real/threads/this_thread.hpp"

namespace equipoise {
namespace {

/// How long after the end by the host's clock a stop ends of which the driver says nothing.
constexpr Seconds silence{0.05};

}  // namespace

HeldStages::HeldStages(Device& device, std::shared_ptr<const Clock> clock,
                       const std::vector<int>& cores)
    : device_(device),
      clock_(std::move(clock)),
      thread_(start_thread("stages that are slowed down",
                           [this, cores](const std::stop_token& stop) { live(cores, stop); })) {}

/// Calls `change`, which returns whether it has changed a stage. If so, the thread looks at all.
template <class Change>
void HeldStages::wake_after(Change&& change) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!change()) return;
    has_changed_ = true;
  }
  changed_.notify_all();
}

HeldStagePtr HeldStages::add(Queue queue, const StepFunction& rate, TicketPtr ticket) {
  auto stage = std::make_shared<HeldStage>();
  stage->queue = queue;
  stage->rate = &rate;
  stage->ticket = std::move(ticket);
  stage->put_at = clock_->now();
  const std::lock_guard<std::mutex> lock(mutex_);
  stages_.push_back(stage);
  return stage;
}

void HeldStages::put_stop(HeldStage& stage, DeviceEvent& end) {
  wake_after([&] {
    stage.end = &end;
    return true;
  });
}

void HeldStages::ring(HeldStage& stage) {
  wake_after([&] {
    stage.rang = clock_->now();
    return true;
  });
}

void HeldStages::set_times(HeldStage& stage, Seconds began, Seconds ended) {
  const Seconds due = end_of(stage, began, ended);
  wake_after([&] {
    if (stage.has_ended || (stage.due && *stage.due <= due)) return false;
    stage.due = due;
    return true;
  });
}

void HeldStages::remove(const HeldStagePtr& stage) {
  const std::lock_guard<std::mutex> lock(mutex_);
  stages_.remove(stage);
}

void HeldStages::live(const std::vector<int>& cores, const std::stop_token& stop) {
  pin_this_thread(cores);
  wake_this_thread_on_time();
  const PromptThread prompt;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stop.stop_requested()) {
    has_changed_ = false;
    const Seconds next = end_due();
    changed_.wait_until(lock, stop, clock_->moment(next), [this] { return has_changed_; });
  }
}

Seconds HeldStages::end_due() {
  Seconds next = Seconds::infinity();
  for (const HeldStagePtr& stage : stages_) {
    if (stage->has_ended || stage->end == nullptr) continue;
    const Seconds due = due_of(*stage);
    if (const Seconds now = clock_->now(); due <= now) {
      device_.let_go(*stage->end);
      stage->has_ended = true;
      last_end_[static_cast<std::size_t>(stage->queue)] = now;
    } else {
      next = std::min(next, due);
    }
  }
  return next;
}

/// Of a stage of which only the host's clock is known, the begin is the latest of what it waited
/// for at least: that it was put in, and the stop before it in its queue.
Seconds HeldStages::due_of(const HeldStage& stage) const {
  if (stage.due) return *stage.due;
  if (!stage.rang) return Seconds::infinity();
  const Seconds began = std::min(
      *stage.rang, std::max(stage.put_at, last_end_[static_cast<std::size_t>(stage.queue)]));
  return end_of(stage, began, *stage.rang) + silence;
}

Seconds HeldStages::end_of(const HeldStage& stage, Seconds began, Seconds ended) {
  return stage.ticket->is_wanted() ? stage.rate->end_of(began, ended - began) : ended;
}

}  // namespace equipoise
