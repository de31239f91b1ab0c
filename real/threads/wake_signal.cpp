// Wakes a waiter that sleeps.
#include "real/threads/wake_signal.hpp"

namespace equipoise {

void WakeSignal::wake() {
  {
    // The lock ensures that the notification does not come between the waiter's last check and its
    // sleep.
    const std::lock_guard<std::mutex> lock(mutex_);
  }
  condition_.notify_one();
}

}  // namespace equipoise
