// The slow half of a doorbell.
#include "real/doorbell.hpp"

namespace equipoise {

void Doorbell::wake() {
  // The lock keeps the ring from falling between the waiter's last look and its sleep.
  { const std::lock_guard<std::mutex> lock(mutex_); }
  condition_.notify_one();
}

}  // namespace equipoise
