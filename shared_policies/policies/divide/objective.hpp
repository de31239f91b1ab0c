// The parameter `objective`, for policies that can divide for time, energy or EDP.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/policies/divide/energy_split.hpp"
#include "shared_policies/run/view.hpp"
#include "shared_policies/specs/parameters.hpp"

namespace equipoise {

/// The parameter's catalog row; the default is `time`.
[[nodiscard]] ParameterInfo objective_parameter();
[[nodiscard]] Objective objective_of(const Parameters& parameters);

/// For `PolicyInfo::check_units`: throws InputError, which names the units, if units lack the watts
/// that the objective needs; `policy` is the policy that has the parameters.
void check_objective(const Parameters& parameters, std::span<const Unit> units,
                     const std::string& policy);

/// The watts that `unit` draws while it computes, in addition to those it always draws. The unit
/// must have watts (see `check_objective`).
[[nodiscard]] double dynamic_w(const Unit& unit);

/// The shares (n), in whole grains, of all items of the iteration for the least energy or EDP of
/// this iteration alone; 0 for absent units. `costs` (n) are the costs of single blocks; shares are
/// done in blocks according to BlockRule::cheapest. See `search_energy_split`.
[[nodiscard]] std::vector<Items> divide_for(Objective objective, const View& view,
                                            std::span<const CostModel* const> costs);

}  // namespace equipoise
