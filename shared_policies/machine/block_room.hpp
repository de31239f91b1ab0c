// The rule by which blocks get room in the memory of a unit.
#pragma once

#include <cstdint>
#include <vector>

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
  void take(const Block& block, Items room_items);
  /// `block` has ended. `is_last` says whether it was the last block of its group on the unit.
  void release(const Block& block, bool is_last);
  void clear();

 private:
  /// The memory held by ended blocks of a group.
  struct Held {
    std::uint32_t group;
    Items items;
  };

  Items held_items_ = 0;    ///< by blocks in flight and by `held_`
  std::vector<Held> held_;  ///< by ended blocks of groups
};

}  // namespace equipoise
