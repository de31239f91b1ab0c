// Training blocks of PLB-HeC: their sizes grow from round to round, in proportion to measured
// speeds.
#pragma once

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
                 RatioMode mode);

  /// Records a finished training block.
  void remember(UnitId unit, Items items, double seconds);

  /// The size of the unit's block in round 1, 2, ...; at least 1 item.
  [[nodiscard]] Items size(UnitId unit, Items round) const;
  /// All units, the fastest first; units without a speed come last, in their order.
  [[nodiscard]] std::vector<UnitId> fastest_first() const;
  /// The number of finished training blocks of one unit.
  [[nodiscard]] Items blocks(UnitId unit) const { return units_[unit.index].blocks; }
  /// The number of finished training blocks of the present unit that has the fewest.
  [[nodiscard]] Items fewest_blocks(const View& view) const;
  /// The items of all finished training blocks.
  [[nodiscard]] Items items() const { return items_; }
  /// The items of the latest training blocks of all units together.
  [[nodiscard]] Items latest_items() const;

 private:
  struct TrainedUnit {
    Items blocks = 0;
    Items latest_items = 0;
    double latest_s = 0.0;
    double latest_items_per_s = 0.0;
    double first_items_per_s = 0.0;
  };
  [[nodiscard]] double ratio(const TrainedUnit& unit, const TrainedUnit& other) const;

  std::vector<TrainedUnit> units_;
  Items first_block_items_ = 1;
  std::vector<double> multipliers_;
  RatioMode mode_ = RatioMode::normalised;
  Items items_ = 0;
};

}  // namespace equipoise
