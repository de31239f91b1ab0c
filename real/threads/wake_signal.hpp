// Lets one thread wait for another: it spins if waits are short and sleeps if they are long.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace equipoise {

/// Lets one thread wait for a condition that other threads publish.
///
/// The waiter first polls for a few microseconds, then yields the core between polls, then sleeps.
/// The polling time adapts to recent waits: a thread with long waits sleeps almost at once and
/// takes no time from threads that compute; a thread with short waits never pays for a sleep. The
/// condition must be published by a sequentially consistent store before `notify()`, and `ready`
/// must load it in the same way. Then no notification is missed.
class WakeSignal {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Span = std::chrono::steady_clock::duration;

  explicit WakeSignal(Span patience) : patience_(patience) {}

  /// Wakes the waiter if it sleeps. Cheap if it does not.
  void notify() {
    if (sleeps_.load(std::memory_order_seq_cst)) wake();
  }

  /// Waits until `ready()`. Returns false if it was not ready by `deadline`.
  template <class Ready>
  bool wait(Ready&& ready, TimePoint deadline) {
    for (int i = 0; i < quick_looks; ++i) {
      if (ready()) return true;
    }
    const TimePoint begin = std::chrono::steady_clock::now();
    const bool is_ready = look(ready, begin, deadline) || sleep(ready, deadline);
    remember(std::chrono::steady_clock::now() - begin);
    return is_ready;
  }

  /// The same for a waiter that has looked already and sleeps at once.
  template <class Ready>
  bool sleep_until(Ready&& ready, TimePoint deadline) {
    return sleep(ready, deadline);
  }

 private:
  static constexpr int quick_looks = 20;
  static constexpr Span spin_span = std::chrono::microseconds(3);

  template <class Ready>
  bool look(Ready& ready, TimePoint begin, TimePoint deadline) const {
    const Span patience = mean_wait_ > patience_ ? std::min(spin_span, patience_) : patience_;
    for (TimePoint now = begin; now - begin < patience && now < deadline;
         now = std::chrono::steady_clock::now()) {
      if (ready()) return true;
      if (now - begin >= spin_span) std::this_thread::yield();
    }
    return ready();
  }

  template <class Ready>
  bool sleep(Ready& ready, TimePoint deadline) {
    std::unique_lock<std::mutex> lock(mutex_);
    sleeps_.store(true, std::memory_order_seq_cst);
    const bool is_ready = condition_.wait_until(lock, deadline, ready);
    sleeps_.store(false, std::memory_order_relaxed);
    return is_ready;
  }

  void remember(Span wait) { mean_wait_ += (wait - mean_wait_) / 8; }
  void wake() {
    {
      // The lock ensures that the notification does not come between the waiter's last check and
      // its sleep.
      const std::lock_guard<std::mutex> lock(mutex_);
    }
    condition_.notify_one();
  }

  Span patience_;
  Span mean_wait_{};  ///< moving mean over about eight waits; used by the waiter only
  std::atomic<bool> sleeps_ = false;
  std::mutex mutex_;
  std::condition_variable condition_;
};

}  // namespace equipoise
