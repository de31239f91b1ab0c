// Dividing all items among units by known costs, once and for good.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/policies/divide/sequential_cost.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// How large one block may be while a share is divided.
enum class BlockRule {
  as_large_as_fits,  ///< several blocks only where memory does not hold the share
  cheapest           ///< as many as take the least time in all
};

/// Whole shares of `items`, one for each unit of the run; 0 for those that are not among `units`.
///
///     minimise max_p E_p(x_p),  sum x_p = items,   x_p in grains,
///
/// where E_p is the cost of doing x_p in sequential blocks under `rule`. `units` are present and
/// `costs` (n) has a cost for each of them; without units nobody gets anything. Source: de Camargo
/// (WAMCA 2012); the min-max form is ours.
[[nodiscard]] std::vector<Items> divide_among(const View& view, std::span<const UnitId> units,
                                              Items items, std::span<const CostModel* const> costs,
                                              BlockRule rule);

/// The units that are there.
[[nodiscard]] std::vector<UnitId> present_units(const View& view);

/// What `unit` needs for a share of the current workload in sequential blocks under `rule`. `cost`
/// is of one block, and must outlive the answer.
[[nodiscard]] SequentialCost sequential_cost(const View& view, UnitId unit, const CostModel& cost,
                                             BlockRule rule);

}  // namespace equipoise
