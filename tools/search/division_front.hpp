// The divisions of a machine's workload that no other one beats in both time and energy, and what
// they take in the simulator.
#pragma once

#include <optional>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/policies/divide/energy_split.hpp"
#include "shared_policies/policies/divide/piece_division.hpp"
#include "tools/runs/options.hpp"
#include "tools/simulations/sim_machine.hpp"

namespace equipoise {

/// One division. Times and energies are those of the whole run: all iterations.
struct DivisionPoint {
  SplitResult model;         ///< mean block times, links that nothing else uses, no scenario
  double dynamic_j = 0.0;    ///< the part of its energy that idle units would not draw
  std::vector<Items> items;  ///< (units), in each iteration
  /// Another division takes less time and less energy in all; this one has less dynamic energy.
  bool is_beaten_in_all = false;
  std::optional<SplitResult> simulated;  ///< without noise; none: the run was not complete
};

/// All divisions of whole pieces that none beats in time and dynamic energy, the fastest first.
struct DivisionFront {
  Pieces pieces;
  double static_w = 0.0;  ///< idle watts of all units
  std::vector<DivisionPoint> points;

  /// The point with the least time, energy or EDP in the model.
  [[nodiscard]] const DivisionPoint& least(Objective objective) const;
};

/// The front of a machine with one workload, for units that are all present and have watts, and its
/// simulations, without noise, by the policy `fixed`. `wanted`: the number of pieces. See
/// `pareto_front`. Throws BackendError if a run cannot be simulated, and
/// Interrupted if a stop is requested.
[[nodiscard]] DivisionFront division_front(const SimMachine& machine, const RunOptions& options,
                                           Items wanted);

}  // namespace equipoise
