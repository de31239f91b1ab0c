// When each unit has something to do next, earliest first.
#pragma once

#include <cstdint>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// A date for each of some slots (0, 1, ...), or none, and quickly the earliest: a binary heap that
/// knows where every slot is. Equal dates are ordered by slot. O(log n) a change.
class Timeline {
 public:
  explicit Timeline(std::size_t slots) : date_(slots), place_(slots, absent) {}

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  /// The earliest date; infinity when no slot has one.
  [[nodiscard]] Seconds earliest() const {
    return heap_.empty() ? Seconds::infinity() : date_[heap_[0]];
  }

  /// Gives `slot` the date `at`, in place of the one it had.
  void set(std::uint32_t slot, Seconds at);

  /// Takes the slot with the earliest date out; there must be one.
  std::uint32_t pop();

 private:
  static constexpr std::uint32_t absent = 0xffffffff;

  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const {
    return date_[a] < date_[b] || (date_[a] == date_[b] && a < b);
  }
  void put(std::size_t place, std::uint32_t slot);
  void rise(std::size_t place);
  void sink(std::size_t place);

  std::vector<Seconds> date_;         ///< (slots), of those in the heap
  std::vector<std::uint32_t> place_;  ///< (slots), in the heap, or `absent`
  std::vector<std::uint32_t> heap_;
};

}  // namespace equipoise
