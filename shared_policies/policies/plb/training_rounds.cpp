// Computes training sizes from speeds.
#include "shared_policies/policies/plb/training_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace equipoise {

TrainingRounds::TrainingRounds(std::size_t n, Items first_block_items,
                               std::vector<double> multipliers, RatioMode mode)
    : units_(n),
      first_block_items_(first_block_items),
      multipliers_(std::move(multipliers)),
      mode_(mode) {}

void TrainingRounds::remember(UnitId id, Items items, double seconds) {
  TrainedUnit& unit = units_[id.index];
  unit.latest_items = items;
  unit.latest_s = seconds;
  unit.latest_items_per_s = static_cast<double>(items) / seconds;
  if (unit.blocks++ == 0) unit.first_items_per_s = unit.latest_items_per_s;
  items_ += items;
}

Items TrainingRounds::size(UnitId id, Items round) const {
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

double TrainingRounds::ratio(const TrainedUnit& unit, const TrainedUnit& other) const {
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

std::vector<UnitId> TrainingRounds::fastest_first() const {
  std::vector<UnitId> order;
  for (std::uint32_t p = 0; p < units_.size(); ++p) order.push_back(UnitId{p});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [this](UnitId unit) { return units_[unit.index].latest_items_per_s; });
  return order;
}

Items TrainingRounds::fewest_blocks(const View& view) const {
  Items fewest = std::numeric_limits<Items>::max();
  for (const UnitState& unit : view.units()) {
    if (unit.present) fewest = std::min(fewest, blocks(unit.id));
  }
  return fewest;
}

Items TrainingRounds::latest_items() const {
  Items sum = 0;
  for (const TrainedUnit& unit : units_) sum += unit.latest_items;
  return sum;
}

}  // namespace equipoise
