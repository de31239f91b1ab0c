// A division of the items that is fixed in advance, and how its work is redistributed when units
// are lost.
#pragma once

#include <deque>
#include <vector>

#include "shared_policies/model/decision.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// The blocks planned for each unit, in order. Work that is in no unit's plan (because its unit was
/// lost, or because the run loop granted less than was asked) is given to idle units, in pieces of
/// half an even share of it.
class BlockPlan {
 public:
  /// Removes all planned blocks; `view` gives the number of units.
  void clear(const View& view);
  /// Plans `items` for `unit` as `blocks` blocks whose sizes differ by at most one grain.
  void add(UnitId unit, Items items, Items blocks, Items grain_items);

  /// Handles UnitIdle: hands out the unit's next planned block, or a piece of the unplanned work.
  void offer(const View& view, UnitId unit, Decisions& decisions);
  /// Handles UnitLost: the unit's blocks become unplanned work, which is offered at once to units
  /// that have nothing to do.
  void drop(const View& view, UnitId unit, Decisions& decisions);

 private:
  [[nodiscard]] Items planned_items() const;

  std::vector<std::deque<Items>> blocks_;  // (n)
};

}  // namespace equipoise
