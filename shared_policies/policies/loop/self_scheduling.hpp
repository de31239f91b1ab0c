// The common part of the loop self-scheduling policies: a unit requests work, and a rule gives the
// block size.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/policies/event_policy.hpp"

namespace equipoise {

/// A rule's answer to a unit that requests work.
struct WantedBlock {
  double items = 0.0;
  BlockTag tag = BlockTag::run;
};

/// A policy that answers every UnitIdle, and no other event, with a block whose size is given by a
/// rule.
///
/// Sizes are rounded up to whole grains (an iteration of the literature's loops is a grain here)
/// and are at least `min_block_items`; the run loop limits them to what remains and to unit memory.
/// P, the number of units in all formulas, is the number of present units.
class SelfScheduling : public EventPolicy {
 public:
  /// `min_block_items`: if not given, one grain.
  explicit SelfScheduling(std::optional<Items> min_block_items)
      : min_block_items_(min_block_items) {}

 protected:
  /// The size for `unit`, before rounding; called only if work is left.
  virtual WantedBlock wanted(UnitId unit) = 0;

  /// P, the number of present units; at least 1 when a unit requests work.
  [[nodiscard]] double present() const { return present_; }
  /// `items` rounded up to whole grains, at least one.
  [[nodiscard]] double whole_grains_up(double items) const {
    return std::max(1.0, std::ceil(items / grain() - rounding_error)) * grain();
  }
  /// The smallest block, in whole grains.
  [[nodiscard]] double min_items() const {
    return whole_grains_up(static_cast<double>(min_block_items_.value_or(1)));
  }
  /// The smallest block for `unit`, in whole grains; called only if work is left.
  [[nodiscard]] virtual double min_items_of(UnitId /*unit*/) const { return min_items(); }

 private:
  /// A size that exceeds whole grains by less than this part of a grain is not rounded up.
  static constexpr double rounding_error = 1e-9;
  /// More items than any workload has; used if a rule's divisor is 0 and so all items are wanted.
  static constexpr double most_items = 0x1p52;

  void on_idle(UnitId unit) final {
    const WantedBlock block = wanted(unit);
    const double items = std::max(whole_grains_up(block.items), min_items_of(unit));
    decisions().assign(unit, static_cast<Items>(std::min(items, most_items)), block.tag);
  }
  void on_run() final { count(); }
  void on_unit_lost(UnitId /*unit*/) final { count(); }
  void on_unit_joined(UnitId /*unit*/) final { count(); }
  void count() {
    present_ = static_cast<double>(std::ranges::count_if(view().units(), &UnitState::present));
  }

  std::optional<Items> min_block_items_;
  double present_ = 0.0;
};

}  // namespace equipoise
