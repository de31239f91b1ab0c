// A clock for tests that advances only when a test or a wait advances it.
#pragma once

#include <atomic>
#include <chrono>

#include "real/threads/clock.hpp"

namespace equipoise {

/// Shows 0 before `start` and from then on, until it is advanced. A thread that waits for a later
/// time by `moment` checks again after every millisecond of real time. `wait_until` advances the
/// clock and returns at once.
class FakeClock : public Clock {
 public:
  void start_at(TimePoint /*zero*/) override { now_s_ = 0.0; }
  Seconds now() const override { return {now_s_.load()}; }
  TimePoint moment(Seconds at) const override {
    return at <= now() ? TimePoint{} : TimePoint::clock::now() + std::chrono::milliseconds(1);
  }
  void wait_until(Seconds at, const GivesUp& /*gives_up*/) override {
    if (at > now()) pass(at - now());
  }
  /// Advances the clock. Must be called by one thread at a time, like `wait_until`.
  void pass(Seconds span) { now_s_.fetch_add(span.value); }

 private:
  std::atomic<double> now_s_ = 0.0;
};

}  // namespace equipoise
