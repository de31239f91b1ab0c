// A lower bound on the makespan of all runs without noise.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/item_costs.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/platform.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// A lower bound, with the shares and the bottleneck behind it.
struct LowerBound {
  double seconds = 0.0;  ///< for the whole phase, including all its iterations, from its
                         ///< start
  std::vector<double>
      share_items;      ///< (units), shares of one iteration that would reach the bound;
                        ///< of items that differ, in items of mean cost if the bound is
                        ///< one on work
  std::string binding;  ///< the bottleneck: "compute", "copies" or the name of a link
};

/// The least T for which there are shares such that every unit's compute time, the times of its
/// copies in and out, and the bytes of every link over its bandwidth each fit into T:
///
///     minimise T   subject to
///       C_p(x_p) <= T,  I_p(x_p) <= T,  O_p(x_p) <= T          for every unit p
///       sum_p x_p (in + out bytes per item over l) <= T B_l    for every link l
///       sum_p x_p (seconds of an engine per item)  <= T        for every shared copy engine
///       sum_p x_p = items
///
/// C_p(x) is a lower bound on the mean time of x items in any number of blocks, each from one grain
/// to the largest that fits (one may be the partial last grain): x min{ mean(y) / y : y <= x }, see
/// CheapestBlocks. I_p and O_p are computed in the same way from latency plus bytes over the
/// smallest bandwidth of the route; I_p includes the bytes of the unit's setup. A unit with one
/// copy engine has I_p + O_p <= T instead; a unit that copies by itself has its copies in C_p.
/// These constraints cover links that only one unit uses. Shared links and the copy engines of
/// devices that several units share (SharedResource) are rows of a linear program in the shares,
/// solved for every trial T (Clp), in which setup bytes are counted in proportion to x_p over the
/// items that the unit could do in T. A link that is on a unit's route in and on its route out
/// carries the bytes of both. Links that are not shared (`Link::shared`) have no such constraint.
///
/// Resident data that a node's units share (RemoteNode) count only on the links of its trunk, 1/n
/// of them for each of its n units, and as time that passes before the units' copies in.
///
/// Resident data that a unit reads with each block (ResidentStream) count as computation and as
/// copies in, see UnitNeeds.
///
/// Under a scenario, T on the right-hand side is replaced: compute gets the integral of the unit's
/// speed while the unit is present, copies and links get that of their bandwidth (UnitNeeds has the
/// inequalities and their proofs). All these integrals grow with T, so bisection still finds the
/// least T. Without a scenario each integral equals T, or T B_l for links.
///
/// Why it is a bound: every accepted block was copied and computed while its unit was present, at
/// the speeds and bandwidths of that time. Lost blocks, waiting, dispatch and first use only take
/// time away from this. A later iteration or phase begins after a barrier, at a time not before the
/// bound of the one before. The end F(start) = start + T of a bound never falls as `start` grows,
/// because every integral from `start` to a fixed end shrinks. So bounds can be chained.
///
/// Several iterations: the setup bytes of the first are those that are sent before a first block
/// (`Workload::first_bytes`), those of the others the iteration bytes; each starts `merge` after
/// the bound of the one before, because nothing is handed out while results are merged. (A unit
/// that has its first block of the phase in a later iteration, or after it was lost, gets no less.)
/// Phases: pass the sum of the bounds of the earlier phases as `start`. The bytes of a block are
/// those of the trace if it has them, else those of the workload. Dispatch times, noise and waiting
/// are not included.
///
/// Items that differ (`costs`; null: all alike): the greater of two such bounds, one in which the
/// x_p are work, in items of mean cost, and one in which they are items and computing takes no time
/// (ShareMeasure). Neither is reached if light items go where copies are slow.
///
/// `timings` (n) is in the order of `platform.units`; null: the unit takes no part. At least one
/// unit must take part and hold a grain (otherwise a bug). The bound is infinite if all units leave
/// and do not come back before the work can be done. Exact to 1e-9, rounded down. Source: ours.
[[nodiscard]] LowerBound lower_bound(const Platform& platform, const Workload& workload,
                                     std::span<const BlockTiming* const> timings,
                                     const Scenario& scenario = {}, Seconds start = {},
                                     Seconds merge = {}, const ItemCosts* costs = nullptr);

}  // namespace equipoise
