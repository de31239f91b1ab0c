// Keeps blocks that were given up away from the host's data.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <shared_mutex>

namespace equipoise {

/// Guards the host's data against blocks that were abandoned. Every block belongs to an epoch, and
/// all blocks of earlier epochs are abandoned. Several threads may use it at once.
class HostGate {
 public:
  /// The epoch of blocks that are handed out now.
  [[nodiscard]] std::uint32_t epoch() const { return epoch_.load(std::memory_order_seq_cst); }

  /// Calls `touch`, which reads or writes the host's data for a block of `epoch`, unless the block
  /// was abandoned. Returns whether it was called.
  template <class Touch>
  bool access(std::uint32_t epoch, Touch&& touch) {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    if (epoch != this->epoch()) return false;
    touch();
    return true;
  }

  /// Abandons all blocks of the present epoch. Waits for the end of accesses; there are none later.
  void abandon() {
    epoch_.fetch_add(1, std::memory_order_seq_cst);  // first: no further access begins
    const std::unique_lock<std::shared_mutex> lock(mutex_);
  }

 private:
  std::shared_mutex mutex_;
  std::atomic<std::uint32_t> epoch_ = 0;
};

}  // namespace equipoise
