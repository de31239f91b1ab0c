// The machine's steady clock. A wait sleeps first and spins at the end.
#include "real/threads/clock.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace equipoise {
namespace {

using SteadyTime = std::chrono::steady_clock;

/// How late a sleep may return; a wait spins for this long at its end.
constexpr std::chrono::microseconds spun{60};
/// The longest sleep before `gives_up` is asked again.
constexpr std::chrono::milliseconds nap{20};

class SteadyClock final : public Clock {
 public:
  explicit SteadyClock(double time_scale) : time_scale_(time_scale) { start(); }

  void start_at(TimePoint zero) override {
    origin_.store(zero.time_since_epoch(), std::memory_order_release);
  }

  Seconds now() const override {
    const SteadyTime::duration past = SteadyTime::now().time_since_epoch() - origin();
    return {std::chrono::duration<double>(past).count() / time_scale_};
  }

  TimePoint moment(Seconds at) const override {
    constexpr double far_s = 1e9;
    const std::chrono::duration<double> past(std::min(at.value * time_scale_, far_s));
    return TimePoint(origin() + std::chrono::duration_cast<SteadyTime::duration>(past));
  }

  void wait_until(Seconds at, const GivesUp& gives_up) override {
    const TimePoint until = moment(at);
    for (auto left = until - SteadyTime::now(); left > SteadyTime::duration::zero() || now() < at;
         left = until - SteadyTime::now()) {
      if (gives_up()) return;
      if (left > spun)
        std::this_thread::sleep_for(std::min<SteadyTime::duration>(left - spun, nap));
    }
  }

 private:
  [[nodiscard]] SteadyTime::duration origin() const {
    return origin_.load(std::memory_order_acquire);
  }

  double time_scale_;
  std::atomic<SteadyTime::duration> origin_;
};

}  // namespace

std::unique_ptr<Clock> make_steady_clock(double time_scale) {
  return std::make_unique<SteadyClock>(time_scale);
}

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace equipoise
