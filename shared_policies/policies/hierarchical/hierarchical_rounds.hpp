// The iterative procedure of hierarchical divisible load scheduling: plan, run, measure, plan anew.
#pragma once

#include <memory>
#include <vector>

#include "shared_policies/model/parameters.hpp"
#include "shared_policies/policies/hierarchical/hierarchical_plan.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// What one round processes.
enum class RoundMode {
  slices,  ///< the first iteration of a kernel: given shares of the items, then the rest
  repeat   ///< all items of an iteration, as in the paper
};

/// Whose times have to agree before a plan is kept.
enum class BalanceOf {
  units,  ///< of all units that had a share
  nodes   ///< of the nodes, as in the paper: never wrong for one node, or for equal ones
};

struct HierarchicalOptions {
  ShareRule rule;
  RoundMode mode = RoundMode::slices;
  std::vector<double> slice_shares;  ///< of the items; at least one
  double threshold = 0.05;  ///< epsilon: relative difference of times that counts as balanced
  OldTotals old_totals = OldTotals::replaced;
  BalanceOf balance = BalanceOf::units;
};

/// The parameters behind `mode`, `slice_shares`, `threshold` and `balance`, and reading them.
[[nodiscard]] std::vector<ParameterInfo> hierarchical_parameters();
[[nodiscard]] HierarchicalOptions read_hierarchical_options(const Parameters& read);

/// A policy that works in rounds: everything that a plan gives to a unit is handed out at once, and
/// when the last block is back, what was measured goes into the models and the next round is
/// planned. Source: hierarchical divisible load scheduling (2012), section 5.
[[nodiscard]] std::unique_ptr<Policy> make_hierarchical_rounds(HierarchicalOptions options);

}  // namespace equipoise
