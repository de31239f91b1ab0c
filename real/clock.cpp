// The machine's steady clock: sleeps first, spins last.
#include "real/clock.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace equipoise {
namespace {

/// What a sleep may be late by; the end of a wait is spun through.
constexpr Seconds spun{60e-6};
/// The longest sleep that does not look at `stopping`.
constexpr Seconds nap{20e-3};

class SteadyClock final : public Clock {
 public:
  Seconds now() const override {
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - origin_).count()};
  }

  void wait_until(Seconds at, const std::atomic<bool>& stopping) override {
    for (Seconds left = at - now(); left > Seconds{}; left = at - now()) {
      if (stopping.load(std::memory_order_relaxed)) return;
      if (left <= spun) continue;
      const double span_s = std::min(left - spun, nap).value;
      std::this_thread::sleep_for(std::chrono::duration<double>(span_s));
    }
  }

 private:
  std::chrono::steady_clock::time_point origin_ = std::chrono::steady_clock::now();
};

}  // namespace

std::unique_ptr<Clock> make_steady_clock() { return std::make_unique<SteadyClock>(); }

}  // namespace equipoise
