// Hands out planned blocks, and unplanned work in pieces.
#include "shared_policies/policies/block_plan.hpp"

#include <algorithm>
#include <numeric>

#include "shared_policies/policies/block_sizes.hpp"

namespace equipoise {
namespace {

/// Half an even share of `items`, which are in no unit's plan; at least one grain.
Items piece_of(const View& view, Items items) {
  const auto present = std::ranges::count_if(view.units(), &UnitState::present);
  return std::max(view.workload().grain_items, items / std::max<Items>(1, 2 * present));
}

}  // namespace

void BlockPlan::clear(const View& view) { blocks_.assign(view.units().size(), {}); }

void BlockPlan::add(UnitId unit, Items items, Items blocks, Items grain_items) {
  const std::vector<Items> sizes = equal_blocks(items, blocks, grain_items);
  blocks_[unit.index].insert(blocks_[unit.index].end(), sizes.begin(), sizes.end());
}

Items BlockPlan::planned_items() const {
  Items sum = 0;
  for (const auto& blocks : blocks_) sum = std::accumulate(blocks.begin(), blocks.end(), sum);
  return sum;
}

void BlockPlan::offer(const View& view, UnitId unit, Decisions& decisions) {
  std::deque<Items>& blocks = blocks_[unit.index];
  if (!blocks.empty()) {
    decisions.assign(unit, blocks.front());
    blocks.pop_front();
    return;
  }
  const Items for_anyone = view.remaining() - planned_items();
  if (for_anyone > 0) decisions.assign(unit, piece_of(view, for_anyone), BlockTag::tail);
}

void BlockPlan::drop(const View& view, UnitId unit, Decisions& decisions) {
  blocks_[unit.index].clear();
  const Items planned = planned_items();
  const Items piece = piece_of(view, view.remaining() - planned);
  for (const UnitState& state : view.units()) {
    if (view.remaining() > planned && state.outstanding.empty() &&
        blocks_[state.id.index].empty()) {
      decisions.assign(state.id, piece, BlockTag::tail);
    }
  }
}

}  // namespace equipoise
