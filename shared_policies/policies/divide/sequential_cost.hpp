// The cost of a unit that does its share in several blocks, one after another.
#pragma once

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// E(x) up to `block` items, and in proportion to one block beyond: x E(block) / block. For whole
/// numbers of blocks this is exact; between them it is what equal blocks would cost if their number
/// could be fractional. Source: ours.
class SequentialCost final : public CostModel {
 public:
  /// `cost` must outlive this; `block_items` > 0.
  SequentialCost(const CostModel& cost, double block_items)
      : cost_(&cost),
        block_items_(block_items),
        seconds_per_item_(cost.at(block_items).seconds / block_items) {}

  [[nodiscard]] CostAt at(double items) const override {
    return items <= block_items_ ? cost_->at(items)
                                 : CostAt{seconds_per_item_ * items, seconds_per_item_};
  }
  [[nodiscard]] double computing_s(double items) const override {
    return items <= block_items_ ? cost_->computing_s(items)
                                 : items / block_items_ * cost_->computing_s(block_items_);
  }
  [[nodiscard]] bool non_decreasing() const override { return cost_->non_decreasing(); }

 private:
  const CostModel* cost_;
  double block_items_;
  double seconds_per_item_;
};

/// The block size y in [low, high] with the least cost(y) / y: `high` for costs that grow less than
/// in proportion, `low` for costs that grow more. The smallest found on a logarithmic grid of 128
/// points, refined to 1e-9 where it is not at an end.
[[nodiscard]] double cheapest_block(const CostModel& cost, double low_items, double high_items);

/// Into how many equal blocks to cut a share of `items` so that they take the least time in all;
/// each holds `grain` to `cap` items (more than `cap` never).
[[nodiscard]] Items cheapest_count(const CostModel& cost, Items items, Items grain_items,
                                   Items cap_items);

}  // namespace equipoise
