// Keeps blocks that were given up away from the host's data.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

namespace equipoise {

/// Guards the host's data against blocks that were abandoned, and against blocks that go on
/// although they were given up, when the data change. Every block belongs to an epoch, and all
/// blocks of earlier epochs are abandoned; it also belongs to an iteration. Several threads may use
/// it at once.
class HostGate {
 public:
  HostGate() = default;
  /// A gate that is closed for good once the present blocks of `outer` are abandoned, and whose
  /// data change when those of `outer` do. Null: it stands alone.
  explicit HostGate(std::shared_ptr<HostGate> outer)
      : outer_(std::move(outer)), outer_epoch_(outer_ ? outer_->epoch() : 0) {}

  /// The epoch of blocks that are handed out now.
  [[nodiscard]] std::uint32_t epoch() const { return epoch_.load(std::memory_order_seq_cst); }
  /// The iteration of blocks that are handed out now, counted over all phases.
  [[nodiscard]] std::uint32_t iteration() const {
    const std::uint32_t own = iteration_.load(std::memory_order_seq_cst);
    return outer_ ? own + outer_->iteration() : own;
  }

  /// Calls `touch`, which reads or writes the host's data for a block of `epoch` and `iteration`
  /// (none: changes of the data do not matter to it), unless the block was abandoned or the
  /// iteration is over. Returns whether it was called.
  template <class Touch>
  bool access(std::uint32_t epoch, std::optional<std::uint32_t> iteration, Touch&& touch) {
    if (!outer_) return access_here(epoch, iteration, touch);
    bool is_open = false;
    outer_->access_here(outer_epoch_, std::nullopt,
                        [&] { is_open = access_here(epoch, iteration, touch); });
    return is_open;
  }

  /// Abandons all blocks of the present epoch. Waits for the end of accesses; there are none later.
  void abandon() { end(epoch_); }
  /// Begins a new iteration. Waits likewise.
  void begin_iteration() { end(iteration_); }

 private:
  template <class Touch>
  bool access_here(std::uint32_t epoch, std::optional<std::uint32_t> iteration, Touch&& touch) {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    if (epoch != this->epoch() || (iteration && *iteration != this->iteration())) return false;
    touch();
    return true;
  }

  void end(std::atomic<std::uint32_t>& what) {
    what.fetch_add(1, std::memory_order_seq_cst);  // first: no further access begins
    const std::unique_lock<std::shared_mutex> lock(mutex_);
  }

  std::shared_ptr<HostGate> outer_;
  std::uint32_t outer_epoch_ = 0;
  std::shared_mutex mutex_;
  std::atomic<std::uint32_t> epoch_ = 0;
  std::atomic<std::uint32_t> iteration_ = 0;
};

}  // namespace equipoise
