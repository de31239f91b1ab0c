// A platform file from its name to what SimGrid makes of it.
#pragma once

#include <functional>
#include <string>

#include "shared_policies/model/platform.hpp"
#include "sim/platform_probe.hpp"

namespace equipoise {

/// A platform that was checked and that SimGrid has looked at.
struct LoadedPlatform {
  PlatformSource source;
  ProbedPlatform probed;
};

/// Reads and checks `file`, warns of what it has simulated in another way than usual, and asks for
/// the routes of the hosts that `wants_routes`. Shows progress unless `quiet`. Throws InputError, and
/// Interrupted when a stop was requested and is caught (`catch_stop_signals`).
[[nodiscard]] LoadedPlatform load_platform_file(
    const std::string& file, const std::function<bool(const ProbedHost&)>& wants_routes,
    MissingRoutes missing, bool quiet);

}  // namespace equipoise
