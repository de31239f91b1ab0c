// A division of the items that is fixed in advance, and how its work is redistributed when units
// are lost.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "shared_policies/model/decision.hpp"
#include "shared_policies/policies/known_work.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// The blocks planned for each unit, in order. Work that is in no unit's plan (because its unit was
/// lost, or because the run loop granted less than was asked) is given to idle units, in pieces of
/// half an even share of it. Where items are known to differ, plans and pieces are work, and a
/// block has as many of the next items as come nearest to it; the next planned block makes up for
/// what that rounds.
class BlockPlan {
 public:
  explicit BlockPlan(KnownWork work = {}) : work_(work) {}

  /// Removes all planned blocks; `view` gives the number of units.
  void clear(const View& view);
  /// Plans `items` for `unit` as `blocks` blocks whose sizes differ by at most one grain: all of
  /// them in items of mean work, if items differ.
  void add(UnitId unit, Items items, Items blocks, Items grain_items);

  /// Handles UnitIdle: hands out the unit's next planned block, or a piece of the unplanned work.
  void offer(const View& view, UnitId unit, Decisions& decisions);
  /// Handles UnitLost: the unit's blocks become unplanned work, which is offered at once to units
  /// that have nothing to do.
  void drop(const View& view, UnitId unit, Decisions& decisions);

 private:
  [[nodiscard]] double planned_work() const;
  /// The work in no unit's plan; none if there are no such items.
  [[nodiscard]] std::optional<double> unplanned_work(const View& view) const;
  void assign(const View& view, UnitId unit, double work, BlockTag tag, Decisions& decisions);

  KnownWork work_;
  std::vector<std::deque<double>> blocks_;  // (n) in items of mean work
  double owed_ = 0.0;  // work that rounding took from the planned blocks so far
};

}  // namespace equipoise
