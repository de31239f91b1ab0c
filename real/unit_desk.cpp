// The thread of a unit, and the worker that speaks for it.
#include "real/unit_desk.hpp"

#include <deque>
#include <exception>
#include <future>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

std::atomic<int> left_behind = 0;

/// What went wrong, in words.
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

}  // namespace

int threads_left_behind() { return left_behind.load(); }

UnitDesk::UnitDesk(std::shared_ptr<Doorbell> controller, Doorbell::Span patience)
    : controller_(std::move(controller)), bell_(patience) {}

const Command* UnitDesk::await_command(Doorbell::TimePoint deadline) {
  bell_.wait([this] { return commands_.front() != nullptr || stops() || epoch() != seen_epoch_; },
             deadline);
  seen_epoch_ = epoch();
  return stops() ? nullptr : commands_.front();
}

bool UnitDesk::begin(const Command& command) {
  // In this order: `abandon` counts the epoch before it raises the flag.
  gives_up_.store(stops(), std::memory_order_seq_cst);
  return command.epoch == epoch();
}

void UnitDesk::report(const Report& report) {
  EQ_CHECK(reports_.push(report), "there is room for every report");
  controller_->ring();
}

class ThreadedWorker final : public Worker {
 public:
  ThreadedWorker(std::string unit, std::unique_ptr<UnitDriver> driver,
                 std::shared_ptr<Doorbell> controller, Doorbell::Span patience)
      : unit_(std::move(unit)), desk_(std::make_shared<UnitDesk>(std::move(controller), patience)) {
    auto state = std::make_shared<Thread>();
    state->driver = std::move(driver);
    up_ = state->up.get_future();
    ended_ = state->ended.get_future();
    left_ = state->left;
    try {
      thread_ = std::thread([state, desk = desk_] { live(*state, desk); });
    } catch (const std::system_error& error) {
      throw BackendError(fmt::format("unit {}: no thread: {}", unit_, error.what()));
    }
  }

  ~ThreadedWorker() override {
    if (!thread_.joinable()) return;
    stop();
    thread_.join();
  }

  void await_up() override {
    try {
      up_.get();
    } catch (...) {
      throw BackendError(
          fmt::format("unit {} does not come up: {}", unit_, reason_of(std::current_exception())));
    }
  }

  void queue(Command command) override {
    command.epoch = desk_->epoch();
    waiting_.push_back(command);
    hand_on();
  }

  const Report* report() override {
    const Report* report = desk_->reports_.front();
    while (report != nullptr && report->command.epoch != desk_->epoch() && !report->failed) {
      drop_report();
      report = desk_->reports_.front();
    }
    return report;
  }

  void drop_report() override {
    desk_->reports_.pop();
    --held_;
    hand_on();
  }

  void abandon() override {
    waiting_.clear();
    {
      const std::lock_guard<std::mutex> lock(desk_->host_);
      desk_->epoch_.fetch_add(1, std::memory_order_seq_cst);
    }
    desk_->gives_up_.store(true, std::memory_order_seq_cst);
    desk_->bell_.ring();
  }

  void stop() override {
    desk_->stops_.store(true, std::memory_order_seq_cst);
    desk_->gives_up_.store(true, std::memory_order_seq_cst);
    desk_->bell_.ring();
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

  std::string failure() const override { return desk_->failure_; }

 private:
  /// What the thread has for itself, however long it lives.
  struct Thread {
    std::unique_ptr<UnitDriver> driver;
    std::promise<void> up;
    std::promise<void> ended;
    std::shared_ptr<std::atomic<bool>> left = std::make_shared<std::atomic<bool>>(false);
  };

  /// Puts on the desk what has room there.
  void hand_on() {
    for (; held_ < UnitDesk::capacity && !waiting_.empty(); ++held_) {
      EQ_CHECK(desk_->commands_.push(waiting_.front()), "there is room for every command");
      waiting_.pop_front();
      desk_->bell_.ring();
    }
  }

  static void live(Thread& thread, const std::shared_ptr<UnitDesk>& desk) {
    bool is_up = false;
    try {
      thread.driver->come_up();
      is_up = true;
      thread.up.set_value();
      thread.driver->work(*desk);
    } catch (...) {
      if (is_up) {
        desk->failure_ = reason_of(std::current_exception());
        desk->report({.command = {}, .times = {}, .end = {}, .failed = true});
      } else {
        thread.up.set_exception(std::current_exception());
      }
    }
    thread.ended.set_value();
    if (thread.left->exchange(false)) --left_behind;
  }

  std::string unit_;
  std::shared_ptr<UnitDesk> desk_;
  std::future<void> up_;
  std::future<void> ended_;
  std::shared_ptr<std::atomic<bool>> left_;
  std::deque<Command> waiting_;  ///< what has no room on the desk
  std::size_t held_ = 0;         ///< on the desk and at work, until their reports are dropped
  std::thread thread_;
};

std::unique_ptr<Worker> make_threaded_worker(const std::string& unit,
                                             std::unique_ptr<UnitDriver> driver,
                                             std::shared_ptr<Doorbell> controller,
                                             Doorbell::Span patience) {
  return std::make_unique<ThreadedWorker>(unit, std::move(driver), std::move(controller), patience);
}

}  // namespace equipoise
