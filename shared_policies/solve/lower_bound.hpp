// The time that no run without noise is under.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/platform.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// A bound and what is behind it.
struct LowerBound {
  double seconds = 0.0;             ///< of the whole phase, all its iterations, from its start
  std::vector<double> share_items;  ///< (units), shares of one iteration that would reach it
  std::string binding;              ///< "compute", "copies" or the name of the link that binds most
};

/// The least T such that, for some shares, every unit's compute, every unit's copies in and out,
/// and every link's bytes over its bandwidth each fit into T.
///
///     minimise T   subject to
///       C_p(x_p) <= T,  I_p(x_p) <= T,  O_p(x_p) <= T          for every unit p
///       sum_p x_p (in + out bytes per item over l) <= T B_l    for every link l
///       sum_p x_p = items
///
/// C_p(x) is the least mean time of x items in any number of blocks, each from a grain to the
/// largest that fits (one may be the partial last grain): x min{ mean(y) / y : y <= x }, which no
/// way of cutting x undercuts (CheapestBlocks). I_p and O_p are the same of latency plus bytes over
/// the route's narrowest link, the unit's resident bytes added; a unit with one copy engine has I_p
/// + O_p <= T in their place, and one that copies by itself has its copies in C_p. Links that only
/// one unit uses are covered by these; shared ones are rows of a linear program in the shares,
/// solved for every trial T (Clp), in which resident bytes count in proportion to the share of what
/// the unit could do. A link on a unit's way in and on its way out takes both. Links that are not
/// shared (`Link::shared`) bind no sum.
///
/// Under a scenario T is no longer the same room for everyone: compute has the integral of the
/// unit's speed while it is there, copies and links that of their bandwidth (UnitNeeds has the
/// inequalities and why they hold). All of these grow with T, so that the least T is found by
/// bisection as before; without a scenario each is T again, times the link's bandwidth for links.
///
/// It is a bound: a block that was accepted was copied and computed while its unit was there, at
/// the speeds and bandwidths of that time; lost blocks, waiting, dispatch and first-use costs only
/// take time away from that. A later iteration or phase begins behind a barrier, at an actual time
/// not before the bound of the one before, and the bound's end F(start) = start + T never falls as
/// `start` grows, since every integral from `start` to a fixed end shrinks: bounds may be chained.
///
/// Several iterations: the first with resident bytes, every other without, each from the bound of
/// the one before. Phases: pass the sum of the bounds of the phases before as `start`. Bytes of a
/// block are the trace's where it has them, else the workload's. Dispatch costs, noise and waiting
/// are left out.
///
/// `timings` (n) in the order of `platform.units`; null: the unit takes no part. At least one unit
/// takes part and holds a grain (a bug otherwise). Infinite where all units go for good before the
/// work can be done. Exact to 1e-9, from below. Source: ours.
[[nodiscard]] LowerBound lower_bound(const Platform& platform, const Workload& workload,
                                     std::span<const BlockTiming* const> timings,
                                     const Scenario& scenario = {}, Seconds start = {});

}  // namespace equipoise
