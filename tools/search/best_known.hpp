// The makespan with which those of policies are compared: what can be reached under the same noise.
#pragma once

#include <optional>

#include "tools/runs/options.hpp"
#include "tools/simulations/sim_world.hpp"
#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// Simulates, with the noise, the repetitions and the draws of `options`, policies that know the
/// mean times: `optimum`, which keeps to the world's schedule, and `optimum:reacts=true` with
/// several sizes of blocks; and, with at most 100 units, our own, which knows nothing beforehand.
/// Their thinking takes no time. Those that are 5 % behind another one in both of the first two
/// repetitions are dropped then. Returns the least mean makespan; nullopt if none of them completes
/// every repetition. Throws Interrupted if a stop is requested.
[[nodiscard]] std::optional<BestReached> best_reached(const SimWorld& world,
                                                      const Options& options);

}  // namespace equipoise
