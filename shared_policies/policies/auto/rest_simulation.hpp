// The rest of an iteration, simulated ahead with a policy's own code on a model of the units.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "shared_policies/model/decision.hpp"
#include "shared_policies/policies/auto/learned_loop.hpp"
#include "shared_policies/run/policy.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Lets `policy`, which is new, begin in the middle of an iteration: it is told of the beginning of
/// the run, the phase and the iteration, and then of `past` blocks, which others may have handed
/// out. What it asks for meanwhile is not done. The View is that of now throughout.
void begin_midway(Policy& policy, const View& view, std::span<const Event> past);

/// What a simulation starts from. All references outlive it.
struct RestOfLoop {
  const View& view;
  const LearnedLoop& loop;
  const LoopModel& model;
  const CostsAhead& costs;
  std::span<const Event> past;  ///< for policies that learn
};

/// A prediction, and what it cost.
struct SimulatedRest {
  double seconds = 0.0;    ///< from now to the end of the last block; infinite beyond `limit_s`
  double longest_s = 0.0;  ///< how long a unit is busy with a block at most
  std::int64_t blocks = 0;
};

/// Simulates the rest of the iteration with `policy`, which is new.
///
/// Every unit does its blocks one after the other. A block that the master hands out at T, of items
/// that cost C seconds on a unit of mean speed, ends on unit p at
///
///     max(T + latency_p, end of the block before) + fixed_p + C slowness_p,
///
/// and the master needs `master_s` for each, in the order in which units ask. Blocks that are out
/// end when they should for items of mean cost; if that is past, after as long again as they are
/// overdue. Units stay as they are: none is lost or joins. Blocks are cut from the ranges
/// that remain; their costs are those of as many items that would lie together at the loop's end.
///
/// It ends after `blocks_most` blocks. The other items are then expected to cost what the simulated
/// ones did: time passed since now, relative to the costs of items.
[[nodiscard]] SimulatedRest simulate_rest(const RestOfLoop& rest, Policy& policy,
                                          std::int64_t blocks_most, double limit_s);

}  // namespace equipoise
