// The blocks that units repeat, and whether their durations have drifted apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// When units count as unbalanced.
struct BalanceRule {
  double threshold = 0.1;        ///< spread of block durations, relative to their mean
  double noise_allowance = 0.0;  ///< standard errors attributed to noise; 0: the paper's plain rule
};

/// A block size for each unit, and how long blocks of this size have taken since it was chosen.
class RepeatedBlocks {
 public:
  RepeatedBlocks() = default;
  explicit RepeatedBlocks(std::size_t n) : units_(n) {}

  /// Sets new sizes (n) and removes all durations.
  void choose(const std::vector<Items>& block_items) {
    for (std::size_t p = 0; p < units_.size(); ++p) {
      units_[p] = Repeated{};
      units_[p].items = block_items[p];
    }
  }
  [[nodiscard]] Items items(UnitId unit) const { return units_[unit.index].items; }
  /// Sets the size of one unit, which was not chosen for equal times: the unit is left out of
  /// `are_unbalanced` until sizes are chosen again.
  void choose_uncompared(UnitId unit, Items items) {
    units_[unit.index].items = items;
    units_[unit.index].is_compared = false;
  }
  /// Records that a block took `seconds`; ignores blocks of another size.
  void finished(UnitId id, Items items, double seconds) {
    Repeated& unit = units_[id.index];
    if (items == unit.items) {
      unit.count += 1.0;
      unit.last_s = seconds;
      unit.mean_s += (seconds - unit.mean_s) / unit.count;
    }
  }
  /// Whether any present unit has a block size above 0.
  [[nodiscard]] bool anyone_works(const View& view) const {
    return std::ranges::any_of(
        view.units(), [this](const UnitState& unit) { return unit.present && items(unit.id) > 0; });
  }

  /// Whether the compared units are unbalanced. False until each present one with a block size
  /// above 0 has finished such a block; then whether
  ///
  ///     max - min >= threshold * mean.
  ///
  /// The paper compares the latest durations. With recorded noise of 15 % on two dozen units, their
  /// range always exceeds its 10 %, so that a run would rebalance all the time, while the paper's
  /// runs never did. So the means since the sizes were chosen are compared, and the difference is
  /// reduced by what noise explains:
  ///
  ///     max_p (m_p - e / sqrt(k_p)) - min_p (m_p + e / sqrt(k_p)),   e = allowance * noise * mean
  ///
  /// for k_p blocks of unit p and a relative standard deviation `noise`. Without noise this is the
  /// paper's rule applied to means; with `noise_allowance` 0 it is the paper's rule, on the latest
  /// durations. O(n).
  [[nodiscard]] bool are_unbalanced(const View& view, const BalanceRule& rule, double noise) const {
    const auto duration = [&](const Repeated& unit) {
      return rule.noise_allowance > 0.0 ? unit.mean_s : unit.last_s;
    };
    std::vector<const Repeated*> compared;
    double sum = 0.0;
    for (const UnitState& state : view.units()) {
      const Repeated& unit = units_[state.id.index];
      if (!state.present || unit.items == 0 || !unit.is_compared) continue;
      if (unit.count == 0.0) return false;
      compared.push_back(&unit);
      sum += duration(unit);
    }
    if (compared.size() < 2) return false;
    const double mean = sum / static_cast<double>(compared.size());
    const double error = rule.noise_allowance * noise * mean;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Repeated* const unit : compared) {
      low = std::min(low, duration(*unit) + error / std::sqrt(unit->count));
      high = std::max(high, duration(*unit) - error / std::sqrt(unit->count));
    }
    return high - low >= rule.threshold * mean;
  }

 private:
  struct Repeated {
    Items items = 0;
    bool is_compared = true;
    double count = 0.0;
    double last_s = 0.0;
    double mean_s = 0.0;
  };
  std::vector<Repeated> units_;
};

}  // namespace equipoise
