// SimGrid's clock and a timer of it.
#pragma once

#include <functional>
#include <utility>

#include "shared_policies/model/measures.hpp"

namespace simgrid::kernel::timer {
class Timer;
}  // namespace simgrid::kernel::timer

namespace equipoise {

/// The present time of SimGrid's clock.
[[nodiscard]] Seconds simgrid_clock();

/// The timer that interrupts the sleep of actors.
class Alarm {
 public:
  /// `on_time` is called in kernel context when the timer's time has come.
  explicit Alarm(std::function<void()> on_time) : on_time_(std::move(on_time)) {}

  /// Sets the time of the timer, or of the next instant if `at` is past; infinity: none.
  void call_at(Seconds at);

 private:
  std::function<void()> on_time_;
  simgrid::kernel::timer::Timer* timer_ = nullptr;
  Seconds timer_at_;
};

}  // namespace equipoise
