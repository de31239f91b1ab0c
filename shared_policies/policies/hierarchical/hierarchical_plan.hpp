// A load divided over nodes, over the units of a node, and over the blocks of a unit.
#pragma once

#include <vector>

#include "shared_policies/policies/hierarchical/block_groups.hpp"
#include "shared_policies/policies/hierarchical/performance_models.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// How a unit does its share.
struct ShareRule {
  /// An accelerator does a share of any size, in groups of blocks that overlap; otherwise it gets a
  /// single block, never more than its memory holds, and others get the rest.
  bool in_groups = true;
  /// The part of a unit's memory that the blocks of a group may hold together, above 0.
  double memory_share = 1.0;
};

/// The blocks of every unit, in order.
struct HierarchicalPlan {
  std::vector<BlockGroups> units;  ///< (n)

  /// All that one unit is to do.
  [[nodiscard]] Items share(UnitId unit) const;
};

/// The units that are present, by node, in the order of the units; nodes in the order of their
/// first.
[[nodiscard]] std::vector<std::vector<UnitId>> present_nodes(const View& view);

/// The plan for units of which nothing is known: every node gets the same, every unit of a node the
/// same, what cannot be divided goes to the first nodes and to accelerators first; accelerators do
/// their shares in halving blocks. `items` > 0 are counted in grains, a partial one whole. Units
/// whose memory limits their share to less leave the rest to others; where all do, the plan holds
/// less than `items`. Source: hierarchical divisible load scheduling (2012), section 5.
[[nodiscard]] HierarchicalPlan initial_plan(const View& view, Items items, const ShareRule& rule);

/// The plan by what was learned; `models` knows at least one unit.
///
///     alpha_i / Psi_i(alpha_i) equal for all nodes i,       sum alpha_i = items          (eq. 1)
///     beta_ij / psi_ij(beta_ij) equal for units of a node,  sum_j beta_ij = alpha_i      (eq. 2)
///
/// in grains, by the monotone envelope of the times; then groups of blocks for accelerators
/// (`plan_groups`, step 3). A CPU's share is one block, or as many equal ones as memory demands.
/// Ours: a node whose present units were never measured together is modelled by its units, and a
/// unit that was never measured is taken to be as slow as the slowest that was.
[[nodiscard]] HierarchicalPlan learned_plan(const View& view, const PerformanceModels& models,
                                            Items items, const ShareRule& rule);

}  // namespace equipoise
