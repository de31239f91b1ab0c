// A platform file from what was checked to what SimGrid makes of it.
#pragma once

#include <functional>
#include <string>

#include "platforms/platform_file.hpp"
#include "shared_policies/model/platform.hpp"
#include "sim/platform_probe.hpp"

namespace equipoise {

/// A platform that was checked and that SimGrid has looked at.
struct LoadedPlatform {
  PlatformSource source;
  ProbedPlatform probed;
};

/// Warns of what a file that was checked has simulated in another way than usual, and asks for the
/// routes of the hosts that `wants_routes`. Shows progress unless `quiet`. Throws InputError, and
/// Interrupted when a stop was requested and is caught (`catch_stop_signals`).
[[nodiscard]] LoadedPlatform load_platform_file(
    PlatformFileFacts facts, const std::function<bool(const ProbedHost&)>& wants_routes,
    MissingRoutes missing, bool quiet);

}  // namespace equipoise
