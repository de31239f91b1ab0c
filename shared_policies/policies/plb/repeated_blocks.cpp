// Compares the durations of repeated blocks.
#include "shared_policies/policies/plb/repeated_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace equipoise {

void RepeatedBlocks::choose(const std::vector<Items>& block_items) {
  for (std::size_t p = 0; p < units_.size(); ++p) {
    units_[p] = Repeated{};
    units_[p].items = block_items[p];
  }
}

void RepeatedBlocks::finished(UnitId id, Items items, double seconds) {
  Repeated& unit = units_[id.index];
  if (items == unit.items) {
    unit.count += 1.0;
    unit.last_s = seconds;
    unit.mean_s += (seconds - unit.mean_s) / unit.count;
  }
}

bool RepeatedBlocks::anyone_works(const View& view) const {
  return std::any_of(view.units().begin(), view.units().end(),
                     [this](const UnitState& unit) { return unit.present && items(unit.id) > 0; });
}

bool RepeatedBlocks::are_unbalanced(const View& view, const BalanceRule& rule, double noise) const {
  const auto duration = [&](const Repeated& unit) {
    return rule.noise_allowance > 0.0 ? unit.mean_s : unit.last_s;
  };
  double sum = 0.0;
  int count = 0;
  for (const UnitState& state : view.units()) {
    const Repeated& unit = units_[state.id.index];
    if (state.present && unit.items > 0 && unit.is_compared) {
      if (unit.count == 0.0) return false;
      sum += duration(unit);
      ++count;
    }
  }
  if (count < 2) return false;
  const double mean = sum / count;
  const double error = rule.noise_allowance * noise * mean;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const UnitState& state : view.units()) {
    const Repeated& unit = units_[state.id.index];
    if (state.present && unit.items > 0 && unit.is_compared) {
      low = std::min(low, duration(unit) + error / std::sqrt(unit.count));
      high = std::max(high, duration(unit) - error / std::sqrt(unit.count));
    }
  }
  return high - low >= rule.threshold * mean;
}

}  // namespace equipoise
