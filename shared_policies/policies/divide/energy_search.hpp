// Searches the best split for energy or EDP if times are not proportional to items.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/policies/divide/energy_split.hpp"

namespace equipoise {

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

}  // namespace equipoise
