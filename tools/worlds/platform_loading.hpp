// Loads a checked platform file with SimGrid.
#pragma once

#include "platforms/platform_file.hpp"
#include "shared_policies/model/platform.hpp"
#include "sim/platform_probe.hpp"
#include "tools/simulations/simulations.hpp"

namespace equipoise {

/// A checked platform, and what SimGrid reported about it.
struct LoadedPlatform {
  PlatformSource source;
  ProbedPlatform probed;
};

/// Warns about features that the checked file makes SimGrid simulate in an unusual way, and queries
/// the routes of the hosts that are `wanted`. Shows progress unless `quiet`. Throws
/// InputError, and Interrupted if a stop was requested after `catch_stop_signals`.
[[nodiscard]] LoadedPlatform load_platform_file(PlatformFileFacts facts, RoutesOf wanted,
                                                MissingRoutes missing, bool quiet);

}  // namespace equipoise
