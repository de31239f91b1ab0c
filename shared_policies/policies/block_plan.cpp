// Hands out planned blocks, and unplanned work in pieces.
#include "shared_policies/policies/block_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "shared_policies/policies/block_sizes.hpp"

namespace equipoise {
namespace {

/// A part of all work by which sums of it may differ.
constexpr double rounding_error = 1e-12;

/// Half an even share of `work`, which is in no unit's plan; at least one grain.
double piece_of(const View& view, double work) {
  const auto present = std::ranges::count_if(view.units(), &UnitState::present);
  return std::max(static_cast<double>(view.workload().grain_items),
                  std::floor(work / std::max(1.0, 2.0 * static_cast<double>(present))));
}

}  // namespace

void BlockPlan::clear(const View& view) {
  blocks_.assign(view.units().size(), {});
  owed_ = 0.0;
}

void BlockPlan::add(UnitId unit, Items items, Items blocks, Items grain_items) {
  const std::vector<Items> sizes = equal_blocks(items, blocks, grain_items);
  blocks_[unit.index].insert(blocks_[unit.index].end(), sizes.begin(), sizes.end());
}

double BlockPlan::planned_work() const {
  double sum = 0.0;
  for (const auto& blocks : blocks_) sum = std::accumulate(blocks.begin(), blocks.end(), sum);
  return sum;
}

std::optional<double> BlockPlan::unplanned_work(const View& view) const {
  if (view.remaining() == 0) return std::nullopt;
  const double remaining = work_.remaining(view);
  const double planned = planned_work();
  if (planned == 0.0) return remaining;
  const double rest = remaining - planned - owed_;
  if (rest <= rounding_error * static_cast<double>(view.workload().items)) return std::nullopt;
  return rest;
}

void BlockPlan::offer(const View& view, UnitId unit, Decisions& decisions) {
  std::deque<double>& blocks = blocks_[unit.index];
  if (!blocks.empty()) {
    const double work = blocks.front() + owed_;
    blocks.pop_front();
    owed_ = 0.0;
    assign(view, unit, work, BlockTag::run, decisions);
  } else if (const std::optional<double> for_anyone = unplanned_work(view)) {
    assign(view, unit, piece_of(view, *for_anyone), BlockTag::tail, decisions);
  }
}

void BlockPlan::drop(const View& view, UnitId unit, Decisions& decisions) {
  blocks_[unit.index].clear();
  const double piece = piece_of(view, unplanned_work(view).value_or(0.0));
  for (const UnitState& state : view.units()) {
    if (state.outstanding.empty() && blocks_[state.id.index].empty() && unplanned_work(view)) {
      assign(view, state.id, piece, BlockTag::tail, decisions);
    }
  }
}

void BlockPlan::assign(const View& view, UnitId unit, double work, BlockTag tag,
                       Decisions& decisions) {
  if (view.remaining() == 0) return;
  const Items first = view.not_handed_out().begin()->first;
  const Items items = std::max<Items>(1, std::llround(work_.next_items(view, work)));
  const Items granted = decisions.assign(unit, items, tag);
  const bool is_whole = granted + view.workload().grain_items > items;
  if (tag == BlockTag::run && work_.differs(view) && is_whole) {
    owed_ = work - work_.of(view, first, granted);
  }
}

}  // namespace equipoise
