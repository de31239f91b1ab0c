// The thread of a unit, the worker through which the controller uses it, and the states of blocks,
// which are changed one at a time under a lock that is held for a moment.
#include "real/worker_mailbox.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <future>
#include <new>
#include <optional>
#include <thread>

#include "real/threads/this_thread.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {

BlockSlots::BlockSlots() {
  for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
    free_.push_back(static_cast<Slot>(slot));
  }
}

BlockSlots::Slot BlockSlots::take(ResultClaimPtr claim) {
  EQ_CHECK(!free_.empty(), "there is a slot for every command at a worker");
  const Slot slot = free_.back();
  free_.pop_back();
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_[slot] = {State::queued, std::move(claim)};
  return slot;
}

void BlockSlots::free(Slot slot) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    entries_[slot] = {State::withdrawn, nullptr};
  }
  free_.push_back(slot);
}

Fate BlockSlots::take_back(Slot slot) {
  const std::lock_guard<std::mutex> lock(mutex_);
  State& state = entries_[slot].state;
  switch (state) {
    case State::queued:
      state = State::withdrawn;
      return Fate::not_begun;
    case State::begun:
      state = State::dropped;
      return Fate::goes_on;
    case State::claimed:
    case State::withdrawn:
    case State::dropped:
      break;
  }
  return Fate::too_late;
}

ResultClaimPtr BlockSlots::contest(Slot slot) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Entry& entry = entries_[slot];
  if (entry.state == State::withdrawn || entry.state == State::dropped) return nullptr;
  if (!entry.claim) entry.claim = std::make_shared<ResultClaim>();
  if (entry.state == State::claimed) static_cast<void>(entry.claim->take());
  return entry.claim;
}

void BlockSlots::abandon() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.state == State::claimed && entry.claim) entry.claim->release();
    entry = {State::dropped, nullptr};
  }
}

bool BlockSlots::begin(Slot slot, ReportKind& kind) {
  const std::lock_guard<std::mutex> lock(mutex_);
  State& state = entries_[slot].state;
  if (state == State::queued) state = State::begun;
  if (state == State::begun) return true;
  kind = state == State::withdrawn ? ReportKind::withdrawn : ReportKind::dropped;
  return false;
}

bool BlockSlots::is_contested(Slot slot) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return entries_[slot].claim != nullptr;
}

bool BlockSlots::is_open(Slot slot) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Entry& entry = entries_[slot];
  if (entry.state == State::claimed) return true;
  return entry.state == State::begun && (!entry.claim || !entry.claim->is_taken());
}

bool BlockSlots::claim(Slot slot) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Entry& entry = entries_[slot];
  if (entry.state == State::claimed) return true;
  const bool may = entry.state == State::begun && (!entry.claim || entry.claim->take());
  entry.state = may ? State::claimed : State::dropped;
  return may;
}

void BlockSlots::release_claim(Slot slot) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Entry& entry = entries_[slot];
  if (entry.state == State::claimed && entry.claim) entry.claim->release();
  entry.state = State::dropped;
}

namespace {

std::atomic<int> left_behind = 0;

}  // namespace

std::string reason_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an unknown failure";
  }
}

bool is_of_block_alone(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const BlockFailure&) {
    return true;
  } catch (...) {
    return false;
  }
}

int threads_left_behind() { return left_behind.load(); }

const Command* WorkerMailbox::await_command(WakeSignal::TimePoint deadline) {
  const auto is_rung = [this] { return rings_.load(std::memory_order_seq_cst) != seen_rings_; };
  signal_->wait(
      [&] {
        return commands_.front() != nullptr || stops() || epoch() != seen_epoch_ || is_rung();
      },
      deadline);
  seen_epoch_ = epoch();
  seen_rings_ = rings_.load(std::memory_order_seq_cst);
  return stops() ? nullptr : commands_.front();
}

void WorkerMailbox::report(const Report& report) {
  EQ_CHECK(reports_.push(report), "there is room for every report");
  controller_->notify();
}

void MailboxWorker::queue(Command command, ResultClaimPtr claim) {
  command.epoch = mailbox_->epoch();
  command.iteration = mailbox_->host_->iteration();
  waiting_.push_back({command, std::move(claim)});
  hand_on();
}

Fate MailboxWorker::take_back(std::uint64_t block) {
  const auto waiting = std::ranges::find(waiting_, block, &Waiting::id);
  if (waiting != waiting_.end()) {
    waiting_.erase(waiting);
    return Fate::not_begun;
  }
  const auto held = std::ranges::find(at_thread_, block, &AtThread::id);
  if (held == at_thread_.end()) return Fate::too_late;
  const Fate fate = mailbox_->slots_.take_back(held->slot);
  if (fate == Fate::goes_on) mailbox_->ring();
  return fate;
}

ResultClaimPtr MailboxWorker::contest(std::uint64_t original) {
  const auto waiting = std::ranges::find(waiting_, original, &Waiting::original);
  if (waiting != waiting_.end()) {
    if (!waiting->claim) waiting->claim = std::make_shared<ResultClaim>();
    return waiting->claim;
  }
  for (const AtThread& held : at_thread_) {
    if (held.original() != original) continue;
    ResultClaimPtr claim = mailbox_->slots_.contest(held.slot);
    if (!claim) continue;
    mailbox_->ring();
    return claim;
  }
  return nullptr;
}

void MailboxWorker::begin_iteration() { mailbox_->host_->begin_iteration(); }

const Report* MailboxWorker::report() {
  const Report* report = mailbox_->reports_.front();
  while (report != nullptr && report->kind != ReportKind::failed &&
         (mailbox_->is_abandoned(report->command) || report->kind == ReportKind::withdrawn)) {
    drop_report();
    report = mailbox_->reports_.front();
  }
  return report;
}

void MailboxWorker::drop_report() {
  const Report* const report = mailbox_->reports_.front();
  if (report->kind != ReportKind::failed) forget(report->command.slot);
  mailbox_->reports_.pop();
  --held_;
  hand_on();
}

void MailboxWorker::abandon(Abandoned why) {
  waiting_.clear();
  mailbox_->goes_on_.store(why == Abandoned::late, std::memory_order_seq_cst);
  mailbox_->host_->abandon();
  mailbox_->slots_.abandon();
  for (AtThread& held : at_thread_) held.is_abandoned = true;
  mailbox_->signal_->notify();
}

bool MailboxWorker::is_free() {
  static_cast<void>(report());  // drops what was abandoned
  return held_ == 0;
}

void MailboxWorker::stop() {
  mailbox_->stops_.store(true, std::memory_order_seq_cst);
  mailbox_->signal_->notify();
}

void MailboxWorker::forget(std::uint8_t slot) {
  std::erase_if(at_thread_, [slot](const AtThread& held) { return held.slot == slot; });
  mailbox_->slots_.free(slot);
}

void MailboxWorker::hand_on() {
  for (; held_ < blocks_at_worker_max && !waiting_.empty(); ++held_) {
    Waiting& next = waiting_.front();
    next.command.slot = mailbox_->slots_.take(std::move(next.claim));
    at_thread_.push_back({next.command.block, next.command.slot});
    EQ_CHECK(mailbox_->commands_.push(next.command), "there is room for every command");
    waiting_.pop_front();
    mailbox_->signal_->notify();
  }
}

namespace {

class ThreadedWorker final : public MailboxWorker {
 public:
  ThreadedWorker(std::unique_ptr<UnitDriver> driver, WakeSignal::Span patience)
      : MailboxWorker(driver->setup().controller, patience, driver->setup().outer),
        unit_(driver->setup().unit.name) {
    auto state = std::make_shared<Thread>();
    state->driver = std::move(driver);
    up_ = state->up.get_future();
    ended_ = state->ended.get_future();
    left_ = state->left;
    thread_ = start_thread("unit " + unit_, [state, box = mailbox()] { live(*state, box); });
  }

  ~ThreadedWorker() override {
    if (thread_.joinable()) stop();
  }

  void await_up() override {
    try {
      up_.get();
    } catch (...) {
      throw BackendError(
          fmt::format("unit {} cannot be started: {}", unit_, reason_of(std::current_exception())));
    }
  }

  bool has_ended(std::chrono::milliseconds patience) override {
    return ended_.wait_for(patience) == std::future_status::ready;
  }

  void leave_behind() override {
    left_->store(true);
    ++left_behind;
    if (has_ended(std::chrono::milliseconds(0)) && left_->exchange(false)) --left_behind;
    thread_.detach();
  }

 private:
  /// The thread's own data, which lives as long as the thread.
  struct Thread {
    std::unique_ptr<UnitDriver> driver;
    std::promise<void> up;
    std::promise<void> ended;
    std::shared_ptr<std::atomic<bool>> left = std::make_shared<std::atomic<bool>>(false);
  };

  static void live(Thread& thread, const std::shared_ptr<WorkerMailbox>& mailbox) {
    bool is_up = false;
    try {
      thread.driver->come_up(*mailbox);
      is_up = true;
      thread.up.set_value();
      thread.driver->work(*mailbox);
    } catch (...) {
      if (is_up) {
        mailbox->report({.command = {},
                         .kind = ReportKind::failed,
                         .why = reason_of(std::current_exception())});
      } else {
        thread.up.set_exception(std::current_exception());
      }
    }
    thread.driver.reset();  // before `ended`, because a device ends with its driver
    thread.ended.set_value();
    if (thread.left->exchange(false)) --left_behind;
  }

  std::string unit_;
  std::future<void> up_;
  std::future<void> ended_;
  std::shared_ptr<std::atomic<bool>> left_;
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<Worker> make_threaded_worker(std::unique_ptr<UnitDriver> driver,
                                             WakeSignal::Span patience) {
  return std::make_unique<ThreadedWorker>(std::move(driver), patience);
}

}  // namespace equipoise
