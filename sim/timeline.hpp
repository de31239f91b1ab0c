// The time of the next action of each unit, earliest first.
#pragma once

#include <cstdint>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// A time for each of some slots (0, 1, ...), infinity for none, with fast access to the earliest:
/// a binary heap that knows the position of every slot. Equal times are ordered by slot. O(log n)
/// for each change.
class Timeline {
 public:
  /// A timeline of `slots` >= 1 slots without a time.
  explicit Timeline(std::size_t slots);

  /// The earliest time, or infinity if no slot has one.
  [[nodiscard]] Seconds earliest() const { return date_[heap_[0]]; }
  /// Whether no slot has a time.
  [[nodiscard]] bool is_empty() const { return earliest() == Seconds::infinity(); }
  /// The slot with the earliest time.
  [[nodiscard]] std::uint32_t first() const { return heap_[0]; }

  /// Sets the time of `slot` to `at`.
  void set(std::uint32_t slot, Seconds at);

 private:
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const {
    return date_[a] < date_[b] || (date_[a] == date_[b] && a < b);
  }
  void put(std::size_t place, std::uint32_t slot);
  void rise(std::size_t place);
  void sink(std::size_t place);

  std::vector<Seconds> date_;         ///< (slots)
  std::vector<std::uint32_t> place_;  ///< (slots), position in the heap
  std::vector<std::uint32_t> heap_;   ///< (slots)
};

}  // namespace equipoise
