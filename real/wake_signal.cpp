// The slow half of a wake_signal.
#include "real/wake_signal.hpp"

namespace equipoise {

void WakeSignal::wake() {
  // The lock keeps the ring from falling between the waiter's last look and its sleep.
  { const std::lock_guard<std::mutex> lock(mutex_); }
  condition_.notify_one();
}

}  // namespace equipoise
