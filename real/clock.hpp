// What workers and the controller read the time from and wait by; a seam for tests.
#pragma once

#include <atomic>
#include <memory>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// A clock that never goes back. Safe to be used by several threads.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  /// The time since the clock was made.
  [[nodiscard]] virtual Seconds now() const = 0;

  /// Returns at `at`, some microseconds late at most on an idle core; within 20 ms once `stopping`
  /// is true. Sleeps as long as it dares and spins for the rest.
  virtual void wait_until(Seconds at, const std::atomic<bool>& stopping) = 0;
};

[[nodiscard]] std::unique_ptr<Clock> make_steady_clock();

/// Runs `work`, which began at `begin`, keeps the unit `slowdown` times as long as that really
/// took, and returns when that was over.
///
///     end = begin + slowdown * (time that work took)
template <class Work>
Seconds stretched(Clock& clock, Seconds begin, double slowdown, const std::atomic<bool>& stopping,
                  Work&& work) {
  work();
  const Seconds end = clock.now();
  if (slowdown <= 1.0) return end;
  clock.wait_until(begin + slowdown * (end - begin), stopping);
  return clock.now();
}

}  // namespace equipoise
