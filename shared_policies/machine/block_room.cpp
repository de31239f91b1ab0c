// Counts the items in the memory of a unit.
#include "shared_policies/machine/block_room.hpp"

#include <algorithm>

namespace equipoise {

void BlockRoom::take(const Block& block, Items room_items) {
  if (!has_room(block.items, room_items)) {  // this happens only if nothing is in flight
    held_.clear();
    held_items_ = 0;
  }
  held_items_ += block.items;
}

void BlockRoom::release(const Block& block, bool is_last) {
  if (block.group == 0) {
    held_items_ -= block.items;
    return;
  }
  auto held = std::ranges::find(held_, block.group, &Held::group);
  if (held == held_.end()) held = held_.insert(held, {block.group, 0});
  held->items += block.items;
  if (!is_last) return;
  held_items_ -= held->items;
  held_.erase(held);
}

void BlockRoom::clear() {
  held_.clear();
  held_items_ = 0;
}

}  // namespace equipoise
