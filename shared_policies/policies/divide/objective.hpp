// The parameter `objective` of policies that can divide for time, energy or EDP.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/parameters.hpp"
#include "shared_policies/policies/divide/energy_split.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// The parameter's row in a catalog, `time` by default.
[[nodiscard]] ParameterInfo objective_parameter();
[[nodiscard]] Objective objective_of(const Parameters& parameters);

/// For `PolicyInfo::check_units`: throws InputError, naming them, when units lack the watts that
/// the objective asks for; `policy` is whose parameters they are.
void check_objective(const Parameters& parameters, std::span<const Unit> units,
                     const std::string& policy);

/// The watts that `unit` draws while it computes beyond those it draws anyway. The unit has watts
/// (a bug otherwise; see `check_objective`).
[[nodiscard]] double dynamic_w(const Unit& unit);

/// Whole shares of all items of the iteration, (n), for the least energy or EDP of this iteration
/// by itself; 0 for units that are absent. `costs` (n) are of single blocks; shares are done in
/// blocks as BlockRule::cheapest has them. See `search_energy_split`.
[[nodiscard]] std::vector<Items> divide_for(Objective objective, const View& view,
                                            std::span<const CostModel* const> costs);

}  // namespace equipoise
