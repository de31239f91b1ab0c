// Plans: a load divided over nodes, over the units of a node, and over the blocks of a unit.
#pragma once

#include <vector>

#include "shared_policies/policies/hierarchical/block_groups.hpp"
#include "shared_policies/policies/hierarchical/performance_models.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// How the groups of an accelerator's share are found.
enum class GammaRule {
  steps,  ///< `plan_six_steps`: the paper
  search  ///< `plan_groups`: ours
};

/// How a unit does its share.
struct ShareRule {
  /// If true, an accelerator does a share of any size, in groups of blocks that overlap. If false,
  /// it gets a single block, at most what its memory holds, and the other units get the rest.
  bool in_groups = true;
  /// The part of a unit's memory that the blocks of a group may use together, above 0.
  double memory_share = 1.0;
  GammaRule gamma = GammaRule::steps;
};

/// The blocks of every unit, in order.
struct HierarchicalPlan {
  std::vector<BlockGroups> units;  ///< (n)

  /// All items planned for one unit.
  [[nodiscard]] Items share(UnitId unit) const;
};

/// Units, by node.
using Nodes = std::vector<std::vector<UnitId>>;

/// The present units. Units keep their order; nodes are in the order of their first units.
[[nodiscard]] Nodes present_nodes(const View& view);

/// The plan when no unit has been measured: every node gets the same share, and every unit of a
/// node the same. Indivisible remainders go to the first nodes and, in a node, to accelerators
/// first. Accelerators do their shares in halving blocks. `items` > 0 is rounded up to whole
/// grains. If a unit's memory limits its share, the rest goes to other units; if the memory of all
/// units is too small, the plan holds less than `items`. Source: hierarchical divisible load
/// scheduling (2012), section 5.
[[nodiscard]] HierarchicalPlan initial_plan(const View& view, Items items, const ShareRule& rule);

/// The plan from the models; `models` must know at least one unit.
///
///     alpha_i / Psi_i(alpha_i) equal for all nodes i,       sum alpha_i = items          (eq. 1)
///     beta_ij / psi_ij(beta_ij) equal for units of a node,  sum_j beta_ij = alpha_i      (eq. 2)
///
/// in grains, using the monotone envelope of the times; then groups of blocks for accelerators
/// (`ShareRule::gamma`, step 3). A CPU's share is one block, or as many equal blocks as memory
/// requires.
/// Ours: a node whose present units were never measured together is modelled from its units, and a
/// unit without measurements is assumed to be as slow as the slowest measured unit.
[[nodiscard]] HierarchicalPlan learned_plan(const View& view, const PerformanceModels& models,
                                            Items items, const ShareRule& rule);

}  // namespace equipoise
