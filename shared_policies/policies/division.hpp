// Dividing all items among units by known costs, once and for good.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// How large one block may be while a share is divided.
enum class BlockRule {
  as_large_as_fits,  ///< several blocks only where memory does not hold the share
  cheapest           ///< as many as take the least time in all
};

/// Whole shares of all items of the current iteration, one for each unit, 0 for absent ones.
///
///     minimise max_p E_p(x_p),  sum x_p = items,   x_p in grains,
///
/// where E_p is the cost of doing x_p in sequential blocks under `rule`. `costs` (n) has a cost for
/// every unit that is present. Source: de Camargo (WAMCA 2012); the min-max form is ours.
[[nodiscard]] std::vector<Items> divide_all(const View& view,
                                            std::span<const CostModel* const> costs,
                                            BlockRule rule);

}  // namespace equipoise
