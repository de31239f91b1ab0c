// Dividing all items among units once, by costs known before the run: the shares, their blocks, and
// the common part of the policies that do so.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/policies/block_plan.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/known_work.hpp"
#include "shared_policies/run/view.hpp"

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

/// The number of equal blocks in which a share of `items` takes the least total time. Each block
/// holds `grain` to `cap` items (never more than `cap`).
[[nodiscard]] Items cheapest_count(const CostModel& cost, Items items, Items grain_items,
                                   Items cap_items);

/// The size of the blocks in which a share is done.
enum class BlockRule {
  as_large_as_fits,  ///< several blocks only if memory does not hold the share
  cheapest           ///< as many blocks as take the least time in total
};

/// The shares of `items` in whole grains, one for each unit of the run; 0 for units that are not in
/// `units`.
///
///     minimise max_p E_p(x_p),  sum x_p = items,   x_p in grains,
///
/// where E_p is the cost of doing x_p in sequential blocks under `rule`. `units` are present and
/// `costs` (n) has a cost for each of them; if `units` is empty, all shares are 0. Source: de
/// Camargo (WAMCA 2012); the min-max form is ours.
[[nodiscard]] std::vector<Items> divide_among(const View& view, std::span<const UnitId> units,
                                              Items items, std::span<const CostModel* const> costs,
                                              BlockRule rule);

/// The units that are present.
[[nodiscard]] std::vector<UnitId> present_units(const View& view);

/// The cost of `unit` for a share of the current workload in sequential blocks under `rule`. `cost`
/// is the cost of one block, and must outlive the result.
[[nodiscard]] SequentialCost sequential_cost(const View& view, UnitId unit, const CostModel& cost,
                                             BlockRule rule);

/// Divides all items of an iteration when it starts and does not change the division. Each share is
/// handed out in equal blocks, the next one whenever the unit is idle. The work of a lost unit, and
/// work that is in no unit's plan, goes to idle units (see BlockPlan). A unit that was absent when
/// the iteration started gets only such work.
///
/// If the policy knows what each item costs, a share is that much work, whichever items it has in
/// the end. Copies are then taken to go by work, too, and memory by the items that the shares have
/// if units ask in their order.
class PlannedPolicy : public EventPolicy {
 protected:
  /// The costs of one phase (n), in the order of the units.
  using Costs = std::vector<const CostModel*>;

  /// `known` must outlive the policy. `cost_word` names the costs in the journal.
  PlannedPolicy(const KnownCosts& known, std::string cost_word, KnownWork work = {})
      : known_(known), cost_word_(std::move(cost_word)), work_(work), plan_(work) {}

  /// Returns the costs that the policy uses in a phase that begins; by default the known costs
  /// unchanged. The policy keeps them alive until the next call.
  virtual Costs read(const KnownCosts::Phase& known);
  /// The shares (n), in whole grains, of all items of the iteration, as if all were of mean work; 0
  /// for absent units.
  [[nodiscard]] virtual std::vector<Items> divide(const Costs& costs) const = 0;
  /// The number of blocks in which a share > 0 is handed out; by default as few as memory allows.
  [[nodiscard]] virtual Items count_blocks(const UnitState& unit, const CostModel& cost,
                                           Items share) const;

 private:
  void on_phase() final { costs_ = read(known_.phases[static_cast<std::size_t>(view().phase())]); }
  void on_iteration() final;
  void on_idle(UnitId unit) final { plan_.offer(view(), unit, decisions()); }
  void on_unit_lost(UnitId unit) final { plan_.drop(view(), unit, decisions()); }
  /// How many items (n) the shares have if they are cut in the order of the units.
  [[nodiscard]] std::vector<Items> items_in(const std::vector<Items>& shares) const;

  const KnownCosts& known_;
  std::string cost_word_;
  KnownWork work_;
  Costs costs_;
  BlockPlan plan_;
};

}  // namespace equipoise
