// The parameter `objective`, for policies that can divide for time, energy or EDP, and the search
// for the best division where times are not proportional to items.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/measures.hpp"
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

/// Units with known costs and powers, and items to divide among them.
struct EnergyProblem {
  std::span<const CostModel* const> costs;  ///< (n) cost of a unit's whole share, in any blocks
  std::span<const double> dynamic_w;        ///< (n) >= 0, drawn while the unit computes
  double static_w = 0.0;                    ///< sum over all units of the run
  Items items = 0;                          ///< > 0
  Items grain_items = 1;                    ///< at most one share is not a multiple of it
};

/// Time and energy of a split:
///
///     T = max_p cost_p(x_p) over x_p > 0,
///     E = static_w T + sum_p dynamic_w_p computing_p(x_p)
///
/// where computing_p is the part of cost_p in which the unit computes. `share_items` (n).
[[nodiscard]] SplitResult evaluate_split(const EnergyProblem& problem,
                                         std::span<const Items> share_items);

/// The best split found: shares (n) in whole grains.
///
/// The starts, as in `solve_prefix`, are splits with equal finish times of prefixes in the order of
/// dynamic energy per item, here taken at the shares themselves; and, for about a hundred values of
/// T, splits that fill the units in that order with the items they can do within T. The best few
/// starts are improved: items are moved between pairs of units, in ever smaller amounts down to a
/// grain, until no move helps.
///
/// If times are proportional to items, the result is exact up to rounding; otherwise it is a
/// search. For splits of 24 to 60 items among 2 to 4 units with fixed costs and speeds that rise or
/// fall with size, it found the optimum in each of 6000 random cases
/// (tests/shared_policies/divide/energy_search_test.cpp requires less: always within 2 %, the
/// optimum in 95 % of the cases). A partial last grain may end up on another unit than would be
/// best. For `Objective::time` use `solve_equal_finish`, which is exact. Source: ours. Cost: about
/// n^2 log(items / grain) evaluations.
[[nodiscard]] std::vector<Items> search_energy_split(const EnergyProblem& problem,
                                                     Objective objective);

/// The shares (n), in whole grains, of all items of the iteration for the least energy or EDP of
/// this iteration alone; 0 for absent units. `costs` (n) are the costs of single blocks; shares are
/// done in blocks according to BlockRule::cheapest. See `search_energy_split`.
[[nodiscard]] std::vector<Items> divide_for(Objective objective, const View& view,
                                            std::span<const CostModel* const> costs);

}  // namespace equipoise
