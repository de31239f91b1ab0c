// Pieces of whole grains, and tables of what they take.
#include "shared_policies/policies/divide/piece_division.hpp"

#include <algorithm>
#include <cstddef>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/divide/planned_division.hpp"

namespace equipoise {
namespace {

/// What a unit's share takes.
class ShareCosts {
 public:
  ShareCosts(const UnitState& unit, const CostModel& cost, Items grain_items)
      : unit_(unit), cost_(cost), grain_items_(grain_items) {
    if (unit.unit.idle_w && unit.unit.busy_w) dynamic_w_ = dynamic_w(unit.unit);
  }

  /// Of `items` > 0, in the blocks of `equal_blocks`: of g grains, b blocks have g / b or one more.
  [[nodiscard]] PieceCost of(Items items) const {
    const Items blocks = (items + unit_.cap_items - 1) / unit_.cap_items;
    const Items grains = (items + grain_items_ - 1) / grain_items_;
    const Items larger = grains % blocks;
    const Items small_items = grains / blocks * grain_items_;
    const Items last_items =
        items - larger * (small_items + grain_items_) - (blocks - larger - 1) * small_items;
    PieceCost sum;
    add(sum, larger, small_items + grain_items_);
    add(sum, blocks - larger - 1, small_items);
    add(sum, 1, last_items);
    return sum;
  }

 private:
  void add(PieceCost& sum, Items blocks, Items items) const {
    if (blocks == 0) return;
    const auto count = static_cast<double>(blocks);
    const auto x = static_cast<double>(items);
    sum.seconds += count * cost_.at(x).seconds;
    sum.dynamic_j += count * dynamic_w_ * cost_.computing_s(x);
  }

  const UnitState& unit_;
  const CostModel& cost_;
  Items grain_items_;
  double dynamic_w_ = 0.0;
};

}  // namespace

Pieces cut_into_pieces(const Workload& workload, Items wanted) {
  const Items even = (workload.items + wanted - 1) / wanted;
  const Items grains = (even + workload.grain_items - 1) / workload.grain_items;
  Pieces pieces;
  pieces.items = std::min(grains * workload.grain_items, workload.items);
  pieces.count = (workload.items + pieces.items - 1) / pieces.items;
  pieces.last_items = workload.items - (pieces.count - 1) * pieces.items;
  return pieces;
}

PieceDivision::PieceDivision(const View& view, std::span<const CostModel* const> costs,
                             Items wanted)
    : units_(present_units(view)), all_units_(view.units().size()) {
  EQ_CHECK(!units_.empty(), "a unit is present");
  const Workload& workload = view.workload();
  pieces_ = cut_into_pieces(workload, wanted);
  problem_.pieces = static_cast<std::size_t>(pieces_.count);
  problem_.last_is_smaller = pieces_.last_items < pieces_.items;
  for (const UnitState& unit : view.units()) static_w_ += unit.unit.idle_w.value_or(0.0);
  for (const UnitId unit : units_) {
    const ShareCosts share(view.unit(unit), *costs[unit.index], workload.grain_items);
    UnitTables& tables = problem_.units.emplace_back();
    tables.whole.resize(problem_.pieces + 1);
    tables.with_last.resize(problem_.pieces + 1);
    for (std::size_t k = 1; k <= problem_.pieces; ++k) {
      tables.whole[k] = share.of(pieces_.of({k, false}));
      if (problem_.last_is_smaller) tables.with_last[k] = share.of(pieces_.of({k, true}));
    }
  }
}

std::vector<Items> PieceDivision::items_of(const FrontPoint& point) const {
  std::vector<Items> items(all_units_, 0);
  for (std::size_t i = 0; i < units_.size(); ++i) {
    items[units_[i].index] = pieces_.of(point.shares[i]);
  }
  return items;
}

}  // namespace equipoise
