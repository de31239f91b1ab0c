// A platform under a scenario: link and route bandwidths as functions of time.
#pragma once

#include <cstdint>
#include <vector>

#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/machine/step_function.hpp"
#include "shared_policies/model/platform.hpp"

namespace equipoise {

/// A platform whose link bandwidths are changed by a scenario. Both must outlive this object.
struct DisturbedPlatform {
  const Platform& platform;
  const Scenario& scenario;
  std::vector<StepFunction> link_bytes_per_s;  ///< (links)

  DisturbedPlatform(const Platform& platform, const Scenario& scenario);

  /// The smallest bandwidth of `links` at each time, in bytes/s. 1 if `links` is empty: nothing is
  /// transferred then.
  [[nodiscard]] StepFunction bandwidth_of(const std::vector<std::uint32_t>& links) const;

  /// The bandwidth of `route` as a factor of its undisturbed bandwidth; exactly 1 wherever nothing
  /// changes it.
  [[nodiscard]] StepFunction rate_of(const Route& route) const;

  /// The rate of `unit`'s copies over `route`: the rate of the route, multiplied by the unit's own
  /// speed if the unit has no copy engine and copies by itself.
  [[nodiscard]] StepFunction copy_rate_of(const PlatformUnit& unit, const Route& route) const;
};

}  // namespace equipoise
