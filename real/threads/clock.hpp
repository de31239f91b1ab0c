// The clock from which workers and the controller read the time and by which they wait. An
// interface, so that tests can replace it.
#pragma once

#include <chrono>
#include <ctime>
#include <functional>
#include <memory>

#include "shared_policies/machine/step_function.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Whether a wait is to end early.
using GivesUp = std::function<bool()>;

/// A clock that never goes backwards. Several threads may use it at once.
class Clock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  /// Makes this moment 0. Before it is started, times count from when the clock was made.
  void start() { start_at(TimePoint::clock::now()); }
  /// Makes `zero`, a moment of the machine's own clock, 0.
  virtual void start_at(TimePoint zero) = 0;
  /// The time since it was started.
  [[nodiscard]] virtual Seconds now() const = 0;
  /// The moment of the machine's own clock at which this clock shows `at`. Times beyond 1e9 s count
  /// as 1e9 s.
  [[nodiscard]] virtual TimePoint moment(Seconds at) const = 0;

  /// Returns at `at`; on an idle core at most some microseconds late. Returns within 20 ms once
  /// `gives_up()` is true. Sleeps for most of the time and spins at the end.
  virtual void wait_until(Seconds at, const GivesUp& gives_up) = 0;
};

/// The machine's clock. With a `time_scale` of 0.1, it shows ten seconds when one has passed, so
/// that whatever should take a second takes a tenth of it.
[[nodiscard]] std::unique_ptr<Clock> make_steady_clock(double time_scale = 1.0);

/// The reading of a clock of the operating system, such as the CPU time of a thread, in seconds.
[[nodiscard]] double seconds_of(clockid_t clock);

/// Runs `work`, which began at `begin`, then waits until it would have ended at the speed `rate`,
/// and returns that end. A rate above 1 has no effect, because finished work cannot be made faster.
///
///     the earliest end >= begin + (time that work took)  with  integral of rate from begin to end
///     >= (time that work took)
template <class Work>
Seconds stretched(Clock& clock, Seconds begin, const StepFunction& rate, const GivesUp& gives_up,
                  Work&& work) {
  work();
  const Seconds end = clock.now();
  if (rate.is_one()) return end;
  const Seconds stretched_end = rate.end_of(begin, end - begin);
  if (stretched_end <= end) return end;
  clock.wait_until(stretched_end, gives_up);
  return clock.now();
}

}  // namespace equipoise
