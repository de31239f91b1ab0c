// When each unit has something to do next, earliest first.
#pragma once

#include <cstdint>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// A date for each of some slots (0, 1, ...), infinity for none, and quickly the earliest: a binary
/// heap that knows where every slot is. Equal dates are ordered by slot. O(log n) a change.
class Timeline {
 public:
  /// Of `slots` >= 1 slots without a date.
  explicit Timeline(std::size_t slots);

  /// The earliest date; infinity when no slot has one.
  [[nodiscard]] Seconds earliest() const { return date_[heap_[0]]; }
  /// The slot that has it.
  [[nodiscard]] std::uint32_t first() const { return heap_[0]; }

  /// Gives `slot` the date `at`, in place of the one it had.
  void set(std::uint32_t slot, Seconds at);

 private:
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const {
    return date_[a] < date_[b] || (date_[a] == date_[b] && a < b);
  }
  void put(std::size_t place, std::uint32_t slot);
  void rise(std::size_t place);
  void sink(std::size_t place);

  std::vector<Seconds> date_;         ///< (slots)
  std::vector<std::uint32_t> place_;  ///< (slots), in the heap
  std::vector<std::uint32_t> heap_;   ///< (slots)
};

}  // namespace equipoise
