// A platform under a scenario: the bandwidths of links and routes as they change.
#pragma once

#include <cstdint>
#include <vector>

#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/machine/step_function.hpp"
#include "shared_policies/model/platform.hpp"

namespace equipoise {

/// A platform whose links' bandwidths a scenario changes. Both outlive it.
struct DisturbedPlatform {
  const Platform& platform;
  const Scenario& scenario;
  std::vector<StepFunction> link_bytes_per_s;  ///< (links)

  DisturbedPlatform(const Platform& platform, const Scenario& scenario);

  /// The least bandwidth on a route, in bytes/s; 1 for a route without links, which moves nothing.
  [[nodiscard]] StepFunction bandwidth_of(const std::vector<std::uint32_t>& links) const;

  /// The same as a factor of the undisturbed route's; exactly 1 wherever nothing changes it.
  [[nodiscard]] StepFunction rate_of(const Route& route) const;

  /// The rate of `unit`'s copies over `route`: the route's. A unit that copies by itself does that
  /// at its own speed, too.
  [[nodiscard]] StepFunction copy_rate_of(const PlatformUnit& unit, const Route& route) const;
};

}  // namespace equipoise
