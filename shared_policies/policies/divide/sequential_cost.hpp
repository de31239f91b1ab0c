// The cost of a unit that does its share in several blocks, one after another.
#pragma once

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// E(x) up to `block` items; beyond, in proportion to one block: x E(block) / block. This is exact
/// for whole numbers of blocks; in between it is the cost of equal blocks if their number could be
/// fractional. Source: ours.
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
/// in proportion, `low` for costs that grow more. It is the best of a logarithmic grid of 128
/// points, refined to 1e-9 unless it is at an end.
[[nodiscard]] double cheapest_block(const CostModel& cost, double low_items, double high_items);

/// The number of equal blocks in which a share of `items` takes the least total time. Each block
/// holds `grain` to `cap` items (never more than `cap`).
[[nodiscard]] Items cheapest_count(const CostModel& cost, Items items, Items grain_items,
                                   Items cap_items);

}  // namespace equipoise
