// The common part of the policies that divide the work once, by costs known before the run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "shared_policies/policies/block_plan.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// Divides all items of an iteration when it starts and does not change the division. Each share is
/// handed out in equal blocks, the next one whenever the unit is idle. The work of a lost unit, and
/// work that is in no unit's plan, goes to idle units (see BlockPlan). A unit that was absent when
/// the iteration started gets only such work.
class PlannedPolicy : public Policy {
 public:
  void decide(const View& view, const Event& event, Decisions& decisions) final;

 protected:
  /// The costs of one phase (n), in the order of the units.
  using Costs = std::vector<const CostModel*>;

  /// `known` must outlive the policy. `cost_word` names the costs in the journal.
  PlannedPolicy(const KnownCosts& known, std::string cost_word)
      : known_(known), cost_word_(std::move(cost_word)) {}

  /// Returns the costs that the policy uses in a phase that begins; by default the known costs
  /// unchanged. The policy keeps them alive until the next call.
  virtual Costs read(const View& view, const KnownCosts::Phase& known);
  /// The shares (n), in whole grains, of all items of the iteration; 0 for absent units.
  [[nodiscard]] virtual std::vector<Items> divide(const View& view, const Costs& costs) const = 0;
  /// The number of blocks in which a share > 0 is handed out; by default as few as memory allows.
  [[nodiscard]] virtual Items count_blocks(const View& view, const UnitState& unit,
                                           const CostModel& cost, Items share) const;

 private:
  void plan_iteration(const View& view, Decisions& decisions);

  const KnownCosts& known_;
  std::string cost_word_;
  Costs costs_;
  BlockPlan plan_;
};

}  // namespace equipoise
