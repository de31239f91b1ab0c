// What workers and the controller read the time from and wait by; a seam for tests.
#pragma once

#include <atomic>
#include <chrono>
#include <ctime>
#include <memory>

#include "shared_policies/machine/step_function.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// A clock that never goes back. Safe to be used by several threads.
class Clock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  /// Makes this moment 0. Before that, times count from when the clock was made.
  virtual void start() = 0;
  /// The time since `start`.
  [[nodiscard]] virtual Seconds now() const = 0;
  /// When `at` is on the machine's own clock; of what is further away, 1e9 s after the start.
  [[nodiscard]] virtual TimePoint moment(Seconds at) const = 0;

  /// Returns at `at`, some microseconds late at most on an idle core; within 20 ms once `stopping`
  /// is true. Sleeps as long as it dares and spins for the rest.
  virtual void wait_until(Seconds at, const std::atomic<bool>& stopping) = 0;
};

/// The machine's clock. `time_scale` of 0.1: it shows ten seconds when one has passed, so that what
/// is told to take a second takes a tenth of it.
[[nodiscard]] std::unique_ptr<Clock> make_steady_clock(double time_scale = 1.0);

/// What a clock of the operating system shows, such as the CPU time of a thread, in seconds.
[[nodiscard]] double seconds_of(clockid_t clock);

/// Runs `work`, which began at `begin`, keeps the unit for as long as that takes at `rate`, and
/// returns when that was over. A rate above 1 changes nothing: what is done cannot be undone.
///
///     the earliest end >= begin + (time that work took)  with  integral of rate from begin to end
///     >= (time that work took)
template <class Work>
Seconds stretched(Clock& clock, Seconds begin, const StepFunction& rate,
                  const std::atomic<bool>& stopping, Work&& work) {
  work();
  const Seconds end = clock.now();
  if (rate.is_one()) return end;
  const Seconds stretched_end = rate.end_of(begin, end - begin);
  if (stretched_end <= end) return end;
  clock.wait_until(stretched_end, stopping);
  return clock.now();
}

}  // namespace equipoise
