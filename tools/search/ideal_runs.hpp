// Simulates the ideal runs of a world for an objective, with mean block times.
#pragma once

#include <string>

#include "shared_policies/run/metrics.hpp"
#include "tools/runs/options.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/simulations/sim_world.hpp"

namespace equipoise {

/// Energy-delay product in joule seconds. The energy must be known.
[[nodiscard]] double edp_js(const RunNumbers& numbers);

/// What the objective ("time", "energy" or "edp") counts, which is to be least.
[[nodiscard]] double value_for(const std::string& objective, const RunNumbers& numbers);

/// The runs of the oracle.
struct IdealRuns {
  RunReport best;     ///< for the objective
  RunReport fastest;  ///< the same for the objective "time"
};

/// Simulates the schedule of `world`, which is the best one for time, and, for another objective of
/// `options`, the best split for that. The split ignores copies; if the schedule for time is better
/// for the objective, too, it is `best`. Throws BackendError if a run cannot be simulated, and
/// Interrupted if a stop is requested.
[[nodiscard]] IdealRuns ideal_runs(const SimWorld& world, const Options& options);

}  // namespace equipoise
