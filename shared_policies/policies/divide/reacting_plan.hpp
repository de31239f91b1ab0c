// optimum:reacts=true: an oracle that knows the mean times, as `optimum` does, and reacts to what
// happens.
#pragma once

#include <memory>

#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// Hands out the shares of the best known schedule (or, if there is none, of the division by known
/// costs) piece by piece. A unit that asks gets
///
///     x_p = part s_p / sum_q(s_q) R
///
/// of the R items that remain, where s_q are the shares of the units that are present, so that luck
/// with block times is made up for by the pieces that follow. x_p is kept between the least and the
/// greatest size at which an item costs at most (1 + dearer) times the unit's least cost; the
/// setup, which is paid once, does not count. A block raised to the least size is given only if the
/// others would end later without it, as list scheduling does; otherwise half of it is tried, and
/// so on. A unit whose blocks spend time on copies has two blocks at least.
///
/// `known` must outlive the policy. 0 < part <= 1, dearer >= 0. O(n) for each of the last blocks,
/// else O(1). Source: guided and factoring self-scheduling; the weights and sizes are ours.
[[nodiscard]] std::unique_ptr<Policy> make_reacting_plan(const KnownCosts& known, double part,
                                                         double dearer);

}  // namespace equipoise
