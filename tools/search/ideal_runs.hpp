// Simulates the ideal runs of a world for an objective, with mean block times.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shared_policies/run/metrics.hpp"
#include "tools/runs/options.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/simulations/sim_world.hpp"

namespace equipoise {

/// Energy-delay product in joule seconds. The energy must be known.
[[nodiscard]] double edp_js(const RunNumbers& numbers);

/// What the objective ("time", "energy" or "edp") counts, which is to be least.
[[nodiscard]] double value_for(const std::string& objective, const RunNumbers& numbers);

/// The verified run with the least value among those that are allowed; null if there is none.
[[nodiscard]] const RunReport* least_of(const std::vector<RunReport>& runs,
                                        const std::string& objective,
                                        const std::function<bool(const RunNumbers&)>& is_allowed);

/// The runs of the oracle.
struct IdealRuns {
  RunReport best;     ///< for the objective
  RunReport fastest;  ///< the schedule of the world, which is the best one found for time
  /// All that were simulated. For energy and for EDP they are the same, so that neither has a run
  /// that is better for the other than the other's own.
  std::vector<RunReport> tried;
};

/// Simulates the schedule of `world`, which is the best one for time. For another objective of
/// `options`, energy or EDP, also the divisions of the oracle for time, energy and EDP, which
/// ignore links that units share, and the schedules that `search_schedule_for` finds for energy and
/// for EDP; the best of all these is `best`. Throws BackendError if a run cannot be simulated, and
/// Interrupted if a stop is requested.
[[nodiscard]] IdealRuns ideal_runs(const SimWorld& world, const Options& options);

}  // namespace equipoise
