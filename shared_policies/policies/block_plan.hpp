// A division that is fixed before the run, and what becomes of it when units are lost.
#pragma once

#include <deque>
#include <vector>

#include "shared_policies/model/decision.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// The blocks that each unit is to do, in order. Work that is planned for nobody (its unit was
/// lost, or the run loop granted less than was asked) goes to whoever is idle, in pieces of half an
/// even share of it.
class BlockPlan {
 public:
  /// Forgets everything; `view` says how many units there are.
  void clear(const View& view);
  /// Plans `items` for `unit` as `blocks` blocks that differ by a grain at most.
  void add(UnitId unit, Items items, Items blocks, Items grain_items);

  /// Answers UnitIdle.
  void offer(const View& view, UnitId unit, Decisions& decisions);
  /// Answers UnitLost: the unit's blocks are for everyone, and units that have nothing to do are
  /// offered them at once.
  void drop(const View& view, UnitId unit, Decisions& decisions);

 private:
  [[nodiscard]] Items planned_items() const;

  std::vector<std::deque<Items>> blocks_;  // (n)
};

}  // namespace equipoise
