// A clock for tests that moves when it is told to.
#pragma once

#include <atomic>
#include <chrono>

#include "real/clock.hpp"

namespace equipoise {

/// Shows 0 from `start` on, and before; who waits for a later time looks again every millisecond of
/// the machine's clock, or is there at once (`wait_until`).
class FakeClock final : public Clock {
 public:
  void start() override { now_s_ = 0.0; }
  Seconds now() const override { return {now_s_.load()}; }
  TimePoint moment(Seconds at) const override {
    return at <= now() ? TimePoint{} : TimePoint::clock::now() + std::chrono::milliseconds(1);
  }
  void wait_until(Seconds at, const std::atomic<bool>& /*stopping*/) override {
    if (at > now()) pass(at - now());
  }
  /// By one thread at a time, as `wait_until`.
  void pass(Seconds span) { now_s_.fetch_add(span.value); }

 private:
  std::atomic<double> now_s_ = 0.0;
};

}  // namespace equipoise
