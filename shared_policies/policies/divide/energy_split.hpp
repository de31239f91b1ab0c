// Dividing once for the least time, energy or energy-delay product: the parameter `objective`; if
// times are proportional to items, closed forms for two units and the prefix rule for n; otherwise,
// a search.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/run/view.hpp"
#include "shared_policies/specs/parameters.hpp"

namespace equipoise {

/// What a split minimises: the makespan, the energy, or their product (EDP).
enum class Objective : std::uint8_t { time, energy, edp };

/// A unit, or a group of units, whose time is proportional to its items.
struct PoweredUnit {
  double items_per_s = 0.0;  ///< speed S, including copies; 0: takes no part
  double static_w = 0.0;     ///< P^S: drawn during the whole run, by every unit
  double dynamic_w = 0.0;    ///< P^D >= 0: drawn in addition while the unit has work
};

/// The time and energy of a split.
struct SplitResult {
  double time_s = 0.0;
  double energy_j = 0.0;

  [[nodiscard]] double edp_js() const { return energy_j * time_s; }
  /// The value that `objective` minimises.
  [[nodiscard]] double of(Objective objective) const;
};

/// Time and energy of `items` items if unit p does the share a_p of them:
///
///     T = max_p a_p items / S_p,    E = T sum_p P^S_p + sum_p P^D_p a_p items / S_p
///
/// `shares` (n) add up to 1; a unit of speed 0 must have share 0. Source: energy paper (Euro-Par
/// 2017), eqs 1 and 2.
[[nodiscard]] SplitResult evaluate_split(std::span<const PoweredUnit> units,
                                         std::span<const double> shares, double items);

/// The share alpha of C in the best division between two units (or groups), C and G, in closed
/// form. With r = S_G/S_C, A = P^S_C + P^S_G + P^D_G and
/// B = P^S_C + P^S_G + P^D_C, in units of W/S_C, T = max(alpha, (1-alpha)/r) and
///
///     E = A (1-alpha)/r + P^D_C alpha    for alpha <= alpha_time, where G ends last,
///     E = B alpha + P^D_G (1-alpha)/r    for alpha >= alpha_time.
///
/// time: alpha_time = S_C / (S_C + S_G), where the branches meet.
///
/// energy: both branches are lines. The left one rises if r P^D_C > A: alpha = 0, G alone. The
/// right one falls if r B < P^D_G: alpha = 1, C alone. Otherwise the minimum is where they meet.
///
/// edp: the least of the values at 0, alpha_time and 1 (if equal: alpha_time first, then 0). On
/// each branch the EDP is a product of two affine functions of alpha. The left one is zero at
/// alpha = 1 and at (A/r) / (A/r - P^D_C). If it is convex, that is if A/r > P^D_C, the second zero
/// is greater than 1, and so is the vertex; if concave, the vertex is a maximum. The right branch
/// is the mirror image (its zeros are 0 and, if it is convex, a value that is not positive). So
/// neither vertex is ever a minimum inside its range.
///
/// A unit of speed 0 gets nothing; at least one speed must be positive. No formula divides by a
/// power.
///
/// Source: energy paper (Euro-Par 2017), section 2. Departures: the paper's text exchanges the
/// conditions of eqs 8 and 9 (its own list of cases and its slopes agree with the conditions here),
/// and its results exchange "left" and "right" of the range. The paper offers the vertices,
/// alpha_left and alpha_right, as candidates for the minimum.
[[nodiscard]] double solve_alpha(const PoweredUnit& c, const PoweredUnit& g, Objective objective);

/// The shares (n) of the best split among n units.
///
/// For any T, the energy that depends on the split is sum_p e_p x_p with e_p = P^D_p / S_p, under
/// x_p <= S_p T: the units with the least dynamic energy per item are filled first. If the first k
/// units of that order are full, T_k = W / sum_{p<=k} S_p. Between T_{k+1} and T_k only unit k+1 is
/// partly filled, E(T) = e_{k+1} W + b T with some b, and T E(T) is increasing for b >= 0 and
/// concave otherwise. So the least energy and the least EDP are at one of the n times T_k, where a
/// prefix of the order works and ends together:
///
///     E_k = (sum_all P^S + sum_{p<=k} P^D_p) T_k.
///
/// The least time is T_n. If energies per item are equal, the unit listed first comes first; if
/// values of the objective are equal, the larger prefix is chosen. Units of speed 0 get nothing; at
/// least one speed must be positive. O(n log n). Source: ours; for two units it equals
/// `solve_alpha`.
[[nodiscard]] std::vector<double> solve_prefix(std::span<const PoweredUnit> units,
                                               Objective objective);

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
/// grain, until no move helps. The best of them is improved further as long as another T helps, one
/// at which a unit would end with one or two grains more or less.
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
