// A queue from one thread to another that takes no lock and no memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace equipoise {

/// A bounded first-in first-out queue between one pushing and one popping thread. What is pushed is
/// published by a sequentially consistent store, as a WakeSignal needs it.
template <class T, std::size_t capacity>
class Ring {
  static_assert((capacity & (capacity - 1)) == 0, "a power of two");

 public:
  /// By the pushing thread. False: the ring is full, nothing happened.
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

  /// By the popping thread: the oldest value, or null when there is none.
  [[nodiscard]] const T* front() {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head == seen_tail_) {
      seen_tail_ = tail_.load(std::memory_order_seq_cst);
      if (head == seen_tail_) return nullptr;
    }
    return &slots_[head % capacity];
  }

  /// By the popping thread: removes the value that `front` gave.
  void pop() { head_.store(head_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  static constexpr std::size_t line_bytes = 64;  ///< of a cache: each thread writes its own lines

  std::array<T, capacity> slots_{};
  alignas(line_bytes) std::atomic<std::size_t> tail_ = 0;
  std::size_t seen_head_ = 0;  ///< the pushing thread's
  alignas(line_bytes) std::atomic<std::size_t> head_ = 0;
  std::size_t seen_tail_ = 0;  ///< the popping thread's
};

}  // namespace equipoise
