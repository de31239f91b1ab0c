// The rule by which blocks get room in the memory of a unit.
#pragma once

#include <cstdint>
#include <map>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Counts the items that blocks hold in the memory of one unit. A block holds memory from the start
/// of its copy in to the end of its copy out; a block of a group until no block of the group is
/// left on the unit. If nothing is in flight, the next block always gets room: what ended blocks of
/// groups still hold is released. So there is no deadlock.
class BlockRoom {
 public:
  /// Whether a block of `items` fits beside what is held, in a memory of `room_items`
  /// (items_in_memory).
  [[nodiscard]] bool has_room(Items items, Items room_items) const {
    return items <= room_items - held_items_;
  }
  /// `block` begins. It fits, or nothing is in flight.
  void take(const Block& block, Items room_items) {
    if (!has_room(block.items, room_items)) clear();  // this happens only if nothing is in flight
    held_items_ += block.items;
  }
  /// `block` has ended. `is_last` says whether it was the last block of its group on the unit.
  void release(const Block& block, bool is_last) {
    if (block.group == 0) {
      held_items_ -= block.items;
      return;
    }
    Items& held = held_[block.group];
    held += block.items;
    if (!is_last) return;
    held_items_ -= held;
    held_.erase(block.group);
  }
  void clear() {
    held_.clear();
    held_items_ = 0;
  }

 private:
  Items held_items_ = 0;                 ///< by blocks in flight and by `held_`
  std::map<std::uint32_t, Items> held_;  ///< by ended blocks of each group
};

}  // namespace equipoise
