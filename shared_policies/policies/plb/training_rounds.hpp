// Training blocks of PLB-HeC: their sizes grow from round to round, in proportion to measured
// speeds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// How R_p, the relative speed of unit p in training, is computed. With speeds 10 : 5 : 1 : 0.5 the
/// literal reading gives all units the same size in round 3, because all took the same time in
/// round 2.
enum class RatioMode {
  normalised,  ///< items per second of each unit's latest training block
  first,       ///< items per second of each unit's first training block
  literal      ///< t_fastest / t_p of the latest training blocks, whatever their sizes
};

/// The sizes of training blocks and the speeds measured in training.
///
///     size of round r for unit p = multiplier_r * x0 * R_p,   R_p = speed_p / fastest speed
///
/// After the listed multipliers the last one doubles from round to round. A unit without
/// measurements gets x0. Source: PLB-HeC section III and algorithm 1.
class TrainingRounds {
 public:
  TrainingRounds() = default;
  /// For n units; `multipliers` is not empty.
  TrainingRounds(std::size_t n, Items first_block_items, std::vector<double> multipliers,
                 RatioMode mode)
      : units_(n),
        first_block_items_(first_block_items),
        multipliers_(std::move(multipliers)),
        mode_(mode) {}

  /// Records a finished training block.
  void remember(UnitId id, Items items, double seconds) {
    TrainedUnit& unit = units_[id.index];
    unit.latest_items = items;
    unit.latest_s = seconds;
    unit.latest_items_per_s = static_cast<double>(items) / seconds;
    if (unit.blocks++ == 0) unit.first_items_per_s = unit.latest_items_per_s;
    items_ += items;
  }

  /// The size of the unit's block in round 1, 2, ...; at least 1 item.
  [[nodiscard]] Items size(UnitId id, Items round) const {
    const TrainedUnit& unit = units_[id.index];
    if (unit.blocks == 0) return first_block_items_;
    double least_ratio = 1.0;
    for (const TrainedUnit& other : units_) {
      if (other.blocks > 0) least_ratio = std::min(least_ratio, ratio(unit, other));
    }
    const auto count = static_cast<Items>(multipliers_.size());
    const double multiplier = multipliers_[static_cast<std::size_t>(std::min(round, count) - 1)] *
                              std::exp2(static_cast<double>(std::max<Items>(0, round - count)));
    const double items = multiplier * static_cast<double>(first_block_items_) * least_ratio;
    return std::llround(std::clamp(items, 1.0, 0x1p52));
  }

  /// All units, the fastest first; units without a speed come last, in their order.
  [[nodiscard]] std::vector<UnitId> fastest_first() const {
    std::vector<UnitId> order;
    for (std::uint32_t p = 0; p < units_.size(); ++p) order.push_back(UnitId{p});
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [this](UnitId unit) { return units_[unit.index].latest_items_per_s; });
    return order;
  }

  /// The number of finished training blocks of one unit.
  [[nodiscard]] Items blocks(UnitId unit) const { return units_[unit.index].blocks; }
  /// The number of finished training blocks of the present unit that has the fewest.
  [[nodiscard]] Items fewest_blocks(const View& view) const {
    Items fewest = std::numeric_limits<Items>::max();
    for (const UnitState& unit : view.units()) {
      if (unit.present) fewest = std::min(fewest, blocks(unit.id));
    }
    return fewest;
  }

  /// The items of all finished training blocks.
  [[nodiscard]] Items items() const { return items_; }
  /// The items of the latest training blocks of all units together.
  [[nodiscard]] Items latest_items() const {
    Items sum = 0;
    for (const TrainedUnit& unit : units_) sum += unit.latest_items;
    return sum;
  }

 private:
  struct TrainedUnit {
    Items blocks = 0;
    Items latest_items = 0;
    double latest_s = 0.0;
    double latest_items_per_s = 0.0;
    double first_items_per_s = 0.0;
  };

  [[nodiscard]] double ratio(const TrainedUnit& unit, const TrainedUnit& other) const {
    switch (mode_) {
      case RatioMode::normalised:
        return unit.latest_items_per_s / other.latest_items_per_s;
      case RatioMode::first:
        return unit.first_items_per_s / other.first_items_per_s;
      case RatioMode::literal:
        return other.latest_s / unit.latest_s;
    }
    return 1.0;
  }

  std::vector<TrainedUnit> units_;
  Items first_block_items_ = 1;
  std::vector<double> multipliers_;
  RatioMode mode_ = RatioMode::normalised;
  Items items_ = 0;
};

}  // namespace equipoise
