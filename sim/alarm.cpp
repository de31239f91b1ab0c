// Sets SimGrid's timers.
#include "sim/alarm.hpp"

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u/Engine.hpp>

#include <algorithm>

namespace equipoise {

using simgrid::kernel::timer::Timer;

Seconds simgrid_clock() { return {simgrid::s4u::Engine::get_clock()}; }

void Alarm::call_at(Seconds at) {
  if (timer_ != nullptr && timer_at_ == at) return;
  if (timer_ != nullptr) timer_->remove();
  timer_ = nullptr;
  if (at == Seconds::infinity()) return;
  timer_at_ = at;
  timer_ = Timer::set(std::max(at, simgrid_clock()).value, [this] {
    timer_ = nullptr;
    on_time_();
  });
}

}  // namespace equipoise
