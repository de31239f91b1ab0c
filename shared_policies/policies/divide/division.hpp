// Divides all items among units by known costs, once, without later correction.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/policies/divide/sequential_cost.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

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

}  // namespace equipoise
