// The best schedule known: a search among schedules, each evaluated in the simulator itself.
#pragma once

#include <cstddef>

#include "shared_policies/policies/catalog.hpp"
#include "tools/commands/options.hpp"
#include "tools/worlds/sim_world.hpp"

namespace equipoise {

/// What a search found.
struct BestKnown {
  /// For `SimWorld::schedule`: the policy `optimum` keeps to it. Empty where nothing was found that
  /// beats its own division.
  BlockLists schedule;
  /// The least makespan with mean block times that was seen: the schedule's, or, where it was
  /// ahead, that of the policy `equipoise`, which can answer to losses.
  double seconds = 0.0;
  std::size_t evaluated = 0;  ///< schedules simulated
};

/// Searches for the schedule that ends first with mean block times, under the world's scenario.
///
/// A schedule is a list of blocks for each unit and phase, all handed out when an iteration starts,
/// so that blocks of a unit overlap where it can and transfers share links as they do. The search
/// begins with the clairvoyant division of `optimum` and with the shares of the lower bound, each
/// in the division's number of equal blocks a unit, and, where units have routes, in 2, 4, ... 32
/// times as many; moves items from units that end late to those that end early; then tries other
/// numbers of blocks, smaller first and last blocks, and leaving units out, for units alike (same
/// node, kind and model) at once, and keeps what helps. It stops where nothing does, at the lower
/// bound, or after an effort that depends on the platform's size alone.
///
/// Phases are searched in turn, each behind those before it and their schedules, so that it meets
/// the scenario when it will; the first that is best for itself need not be best for what follows.
/// Iterations of a phase share one schedule.
///
/// Evaluations run in processes of their own on all cores; the result does not depend on how many.
/// Throws BackendError when the clairvoyant division cannot be simulated and when no schedule that
/// was tried does all items (too many units fail), Interrupted when a stop is requested.
[[nodiscard]] BestKnown search_schedule(const SimWorld& world, const Options& options);

/// Searches and keeps what was found in the world; warns where no schedule completes, and leaves
/// the world without one.
void know_best_schedule(SimWorld& world, const Options& options);

}  // namespace equipoise
