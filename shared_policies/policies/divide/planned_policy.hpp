// What the policies have in common that divide the work once, by costs known before the run.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/policies/block_plan.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// Divides all items of an iteration when it starts and keeps to that. Each share is handed out in
/// equal blocks, the next one whenever the unit is idle. What a lost unit leaves, and what was
/// planned for nobody, goes to whoever is idle (see BlockPlan); a unit that was absent when the
/// iteration started takes part in that only.
class PlannedPolicy : public Policy {
 public:
  void decide(const View& view, const Event& event, Decisions& decisions) final;

 protected:
  /// Costs of one phase, (n), in the order of the units.
  using Costs = std::vector<const CostModel*>;

  /// `known` must outlive the policy. `cost_word` names the costs in the journal.
  PlannedPolicy(const KnownCosts& known, std::string cost_word)
      : known_(known), cost_word_(std::move(cost_word)) {}

  /// How the policy reads what is known of a phase that begins; what it keeps for that lives until
  /// the next call. By default as it is.
  virtual Costs read(const View& view, const KnownCosts::Phase& known);
  /// Whole shares of all items of the iteration, (n); 0 for absent units.
  [[nodiscard]] virtual std::vector<Items> divide(const View& view, const Costs& costs) const = 0;
  /// In how many blocks a share > 0 is handed out; by default as few as memory allows.
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
