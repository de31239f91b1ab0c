// A queue from one thread to another that neither locks nor allocates.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace equipoise {

/// A bounded first-in first-out queue between one pushing and one popping thread. A push is
/// published by a sequentially consistent store, as a WakeSignal requires.
template <class T, std::size_t capacity>
class Ring {
  static_assert((capacity & (capacity - 1)) == 0, "a power of two");

 public:
  /// Called by the pushing thread. Returns false, without a change, if the ring is full.
  [[nodiscard]] bool push(const T& value) {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - seen_head_ == capacity) {
      seen_head_ = head_.load(std::memory_order_acquire);
      if (tail - seen_head_ == capacity) return false;
    }
    slots_[tail % capacity] = value;
    tail_.store(tail + 1, std::memory_order_seq_cst);
    return true;
  }

  /// Called by the popping thread. Returns the oldest value, or nullptr if none.
  [[nodiscard]] const T* front() {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head == seen_tail_) {
      seen_tail_ = tail_.load(std::memory_order_seq_cst);
      if (head == seen_tail_) return nullptr;
    }
    return &slots_[head % capacity];
  }

  /// Called by the popping thread. Removes the value that `front` returned.
  void pop() { head_.store(head_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  static constexpr std::size_t line_bytes = 64;  ///< cache line size; each thread writes only its
                                                 ///< own lines

  std::array<T, capacity> slots_{};
  alignas(line_bytes) std::atomic<std::size_t> tail_ = 0;
  std::size_t seen_head_ = 0;  ///< used by the pushing thread
  alignas(line_bytes) std::atomic<std::size_t> head_ = 0;
  std::size_t seen_tail_ = 0;  ///< used by the popping thread
};

}  // namespace equipoise
