// Turns requests of idle units into blocks.
#include "shared_policies/policies/loop/self_scheduling.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

namespace equipoise {
namespace {

/// A size that exceeds whole grains by less than this part of a grain is not rounded up.
constexpr double rounding_error = 1e-9;
/// More items than any workload has; used if a rule's divisor is 0 and so all items are wanted.
constexpr double most_items = 0x1p52;

}  // namespace

double whole_grains_up(const View& view, double items) {
  const auto grain = static_cast<double>(view.workload().grain_items);
  return std::max(1.0, std::ceil(items / grain - rounding_error)) * grain;
}

double SelfScheduling::min_items(const View& view) const {
  return whole_grains_up(view, static_cast<double>(min_block_items_.value_or(1)));
}

void SelfScheduling::decide(const View& view, const Event& event, Decisions& decisions) {
  if (std::holds_alternative<RunStarted>(event.what) ||
      std::holds_alternative<UnitLost>(event.what) ||
      std::holds_alternative<UnitJoined>(event.what)) {
    const auto units = view.units();
    present_ = static_cast<double>(
        std::count_if(units.begin(), units.end(), [](const UnitState& u) { return u.present; }));
  }
  learn(view, event);
  if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
    const WantedBlock block = wanted(view, idle->unit);
    const double items = std::max(whole_grains_up(view, block.items), min_items(view));
    decisions.assign(idle->unit, static_cast<Items>(std::min(items, most_items)), block.tag);
  }
}

void FactoringBatch::include(const Event& event) {
  if (std::holds_alternative<IterationStarted>(event.what) ||
      std::holds_alternative<BlockLost>(event.what)) {
    end_remaining_.reset();
  }
}

void FactoringBatch::begin(const View& view, double base_items, double units) {
  base_items_ = whole_grains_up(view, base_items);
  end_remaining_ = static_cast<double>(view.remaining()) - units * base_items_;
}

}  // namespace equipoise
