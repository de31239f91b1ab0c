// The best schedule known: a search among schedules, each evaluated in the simulator itself.
#pragma once

#include <cstddef>
#include <functional>

#include "shared_policies/policies/catalog.hpp"
#include "tools/options.hpp"
#include "tools/sim_world.hpp"

namespace equipoise {

/// What a search found.
struct BestKnown {
  BlockLists schedule;   ///< for `SimWorld::schedule`: the policy `optimum` keeps to it
  double seconds = 0.0;  ///< its makespan with mean block times
  std::size_t evaluated = 0;
};

/// Searches for the schedule that ends first with mean block times, under the world's scenario.
///
/// A schedule is a list of blocks for each unit and phase, all handed out when an iteration starts,
/// so that blocks of a unit overlap where it can and transfers share links as they do. It begins
/// with the clairvoyant division of `optimum` and with the shares of the lower bound, cut into 1,
/// 2, 4, ... equal blocks; moves items from units that end late to those that end early; then tries
/// other numbers of blocks, smaller first and last blocks, and leaving units out, for units alike
/// (same node, kind and model) at once, and keeps what helps. It stops where nothing does, at the
/// lower bound, or after an effort that depends on the platform's size alone. Each phase is
/// searched by itself, as if it began the run.
///
/// Evaluations run in processes of their own on all cores; the result does not depend on how many.
/// `lower_bound_s` is where nothing is left to find. Throws BackendError when the clairvoyant
/// division itself cannot be simulated, Interrupted when a stop is requested.
[[nodiscard]] BestKnown search_schedule(const SimWorld& world, const Options& options);

/// Searches and keeps what was found in the world.
void know_best_schedule(SimWorld& world, const Options& options);

}  // namespace equipoise
