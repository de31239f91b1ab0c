// The time of the next action of each unit, earliest first.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// A time for each of some slots (0, 1, ...), infinity for none, with fast access to the earliest.
/// Equal times are ordered by slot. O(log n) for each change.
///
/// A tournament: node i of a complete binary tree has the slot with the earlier time of those of
/// its children 2 i and 2 i + 1; node 1 is the root, and the leaves are the slots.
class Timeline {
 public:
  /// A timeline of `slots` >= 1 slots without a time.
  explicit Timeline(std::size_t slots)
      : at_(std::bit_ceil(slots), Seconds::infinity()), first_(2 * at_.size()) {
    const std::size_t leaves = at_.size();
    for (std::size_t slot = 0; slot < leaves; ++slot) {
      first_[leaves + slot] = static_cast<std::uint32_t>(slot);
    }
    for (std::size_t node = leaves - 1; node > 0; --node) first_[node] = first_[2 * node];
  }

  /// The earliest time, or infinity if no slot has one.
  [[nodiscard]] Seconds earliest() const { return at_[first()]; }
  /// The slot with the earliest time.
  [[nodiscard]] std::uint32_t first() const { return first_[1]; }

  /// Sets the time of `slot` to `at`.
  void set(std::uint32_t slot, Seconds at) {
    at_[slot] = at;
    for (std::size_t node = (at_.size() + slot) / 2; node > 0; node /= 2) {
      const std::uint32_t left = first_[2 * node];
      const std::uint32_t right = first_[2 * node + 1];
      first_[node] = at_[right] < at_[left] ? right : left;
    }
  }

 private:
  std::vector<Seconds> at_;           ///< (slots), up to a power of two
  std::vector<std::uint32_t> first_;  ///< (nodes and leaves): the slot with the earliest time below
};

}  // namespace equipoise
