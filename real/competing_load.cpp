// Threads that compute useless arithmetic to take their share of a core.
#include "real/competing_load.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <thread>

#include "real/threads/this_thread.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// How long a thread computes before it reads the time again.
constexpr double look_s = 50e-6;
/// How much CPU time a thread may have beyond its share before it sleeps: short compared with the
/// blocks that it disturbs, long compared with the cost of a sleep and a wake-up.
constexpr double ahead_s = 500e-6;

class ThreadedLoad final : public CompetingLoad {
 public:
  ThreadedLoad(const Clock& clock, Seconds at, Seconds until, double share,
               const std::vector<int>& cores)
      : CompetingLoad(clock, at, until), cores_(static_cast<double>(cores.size())) {
    const int n = std::max(1, static_cast<int>(std::ceil(share / (1.0 - share) - 1e-9)));
    for (const int core : cores) {
      for (int i = 0; i < n; ++i) {
        threads_.push_back(start_thread(
            "a competing load", [this, core, part = share / n](const std::stop_token& stop) {
              live(core, part, stop);
            }));
      }
    }
  }

  /// Asks all to stop before it waits for the first one.
  ~ThreadedLoad() override {
    for (std::jthread& thread : threads_) thread.request_stop();
  }

 private:
  double taken_s() const override { return all_taken_s_.load() / cores_; }

  void live(int core, double part, const std::stop_token& stop) {
    pin_this_thread({core});
    wake_this_thread_on_time();
    if (!sleep_until(begin_, stop)) return;
    const double taken_before_s = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    double counted_s = 0.0;
    for (auto now = Clock::TimePoint::clock::now(); now < end_ && !stop.stop_requested();
         now = Clock::TimePoint::clock::now()) {
      const double due_s = part * std::chrono::duration<double>(now - begin_).count();
      const double taken_s = seconds_of(CLOCK_THREAD_CPUTIME_ID) - taken_before_s;
      all_taken_s_.fetch_add(taken_s - counted_s);
      counted_s = taken_s;
      if (taken_s > due_s + ahead_s) {
        const std::chrono::duration<double> rest((taken_s - due_s) / part);
        const auto until = now + std::chrono::duration_cast<Clock::TimePoint::duration>(rest);
        if (!sleep_until(std::min(until, end_), stop)) return;
      } else {
        compute();
      }
    }
  }

  /// Arithmetic whose result is not used.
  static void compute() {
    const double end_s = seconds_of(CLOCK_MONOTONIC) + look_s;
    volatile double x = 1.0;
    while (seconds_of(CLOCK_MONOTONIC) < end_s) {
      for (int i = 0; i < 64; ++i) x = x * 1.0000001;
    }
  }

  double cores_;
  std::atomic<double> all_taken_s_ = 0.0;  ///< CPU time of all threads
  std::vector<std::jthread> threads_;
};

}  // namespace

double CompetingLoad::share() const {
  const auto now = std::min(Clock::TimePoint::clock::now(), end_);
  const double past_s = std::chrono::duration<double>(now - begin_).count();
  return past_s <= 0.0 ? 0.0 : taken_s() / past_s;
}

bool CompetingLoad::sleep_until(Clock::TimePoint then, const std::stop_token& stop) {
  std::unique_lock<std::mutex> lock(mutex_);
  stopped_.wait_until(lock, stop, then, [] { return false; });
  return !stop.stop_requested();
}

std::unique_ptr<CompetingLoad> start_competing_load(const Clock& clock, Seconds at, Seconds until,
                                                    double share, const std::vector<int>& cores) {
  EQ_CHECK(share > 0.0 && share <= competing_share_max, "a load leaves something");
  return std::make_unique<ThreadedLoad>(clock, at, until, share, cores);
}

}  // namespace equipoise
