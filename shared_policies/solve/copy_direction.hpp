// The copies of a unit through one copy engine, for the lower bound.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "shared_policies/machine/disturbed_platform.hpp"
#include "shared_policies/machine/step_function.hpp"
#include "shared_policies/solve/cheapest_blocks.hpp"

namespace equipoise {

/// The copies of a unit in one direction, or in both directions through one copy engine, as
/// functions of a block's items that are linear between `sizes`.
struct CopyDirection {
  StepFunction rate;  ///< r(t): the route's bandwidth over the undisturbed one
  std::function<double(double)> latency_s;
  std::function<double(double)> moving_s;  ///< at the undisturbed bandwidth
  double setup = 0.0;                      ///< seconds for each setup byte
  std::vector<double> sizes;

  /// c L + bytes/B of any number of blocks.
  [[nodiscard]] CheapestBlocks takes(double c) const;
  /// What the copies are offered while the unit is there, see UnitNeeds: max(c, r) * `present`.
  [[nodiscard]] StepFunction offered(double c, const StepFunction& present) const;
};

/// The copies over `route`. `copies_alone`: the unit copies by itself, and no other unit uses its
/// links; then latencies count as moving.
[[nodiscard]] CopyDirection direction_of(const DisturbedPlatform& world, const PlatformUnit& unit,
                                         const Route& route,
                                         const std::function<double(double)>& bytes,
                                         bool copies_alone);

/// All copies of a unit with one engine.
[[nodiscard]] CopyDirection both_of(const CopyDirection& in, const CopyDirection& out);

/// A lower bound on what `takes` of a block adds up to, over any number of blocks.
[[nodiscard]] CheapestBlocks cheapest(const std::vector<double>& sizes,
                                      const std::function<double(double)>& takes);

/// The greatest of the rates.
[[nodiscard]] double greatest(std::span<const double> values);

/// The smallest and the largest value; a single value if they are equal.
[[nodiscard]] std::vector<double> extremes(const StepFunction& rate);

}  // namespace equipoise
