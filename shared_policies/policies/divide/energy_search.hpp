// The best split for energy or EDP where times are not in proportion to items.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/policies/divide/energy_split.hpp"

namespace equipoise {

/// Units with known costs and powers, and items to divide among them.
struct EnergyProblem {
  std::span<const CostModel* const> costs;  ///< (n) of a unit's whole share, however it is cut
  std::span<const double> dynamic_w;        ///< (n) >= 0, drawn while the unit computes
  double static_w = 0.0;                    ///< of all units of the run together
  Items items = 0;                          ///< > 0
  Items grain_items = 1;                    ///< one share at most is not a multiple of it
};

/// Time and energy of a split:
///
///     T = max_p cost_p(x_p) over x_p > 0,
///     E = static_w T + sum_p dynamic_w_p computing_p(x_p)
///
/// where computing_p is the part of cost_p in which the unit computes. `share_items` (n).
[[nodiscard]] SplitWorth worth_of(const EnergyProblem& problem, std::span<const Items> share_items);

/// The best split found, (n) whole shares.
///
/// Starts are, as in `solve_prefix`, equal finishes of prefixes in the order of dynamic energy per
/// item, here at the shares themselves, and for some hundred times T the units filled in that order
/// with what they do within T. The best few are improved by moving items between pairs of units,
/// ever fewer, down to a grain, until no move helps.
///
/// Exact where times are in proportion, up to rounding; a search otherwise. Of all splits of 24 to
/// 60 items among 2 to 4 units with fixed costs and with speeds that rise or fall with size it
/// found the best in each of 6000 random cases (tests/shared_policies/divide/energy_search_test.cpp asks less:
/// always within 2 %, the best in 95 % of them); a last grain that is not whole may end up on
/// another unit than would be best. For `Objective::time` use `solve_equal_finish`,
/// which is exact. Cost: about n^2 log(items / grain) evaluations. Source: ours.
[[nodiscard]] std::vector<Items> search_energy_split(const EnergyProblem& problem,
                                                     Objective objective);

}  // namespace equipoise
