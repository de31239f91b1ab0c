// Hands out planned blocks, and unplanned work in pieces.
#include "shared_policies/policies/block_plan.hpp"

#include <algorithm>
#include <numeric>

namespace equipoise {
namespace {

/// Half an even share of `items`, which are in no unit's plan; at least one grain.
Items piece_of(const View& view, Items items) {
  const auto units = view.units();
  const auto present =
      std::count_if(units.begin(), units.end(), [](const UnitState& u) { return u.present; });
  return std::max(view.workload().grain_items, items / std::max<Items>(1, 2 * present));
}

}  // namespace

void BlockPlan::clear(const View& view) { blocks_.assign(view.units().size(), {}); }

void BlockPlan::add(UnitId unit, Items items, Items blocks, Items grain_items) {
  for (; blocks > 0 && items > 0; --blocks) {
    const Items even = (items + blocks - 1) / blocks;
    const Items whole = (even + grain_items - 1) / grain_items * grain_items;
    blocks_[unit.index].push_back(std::min(items, whole));
    items -= blocks_[unit.index].back();
  }
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
