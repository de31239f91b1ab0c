// Checked platforms as SimGrid has them, and generated files, which our own readers read back
// before they are written.
#pragma once

#include <string>

#include "platforms/platform_file.hpp"
#include "shared_policies/machine/trace.hpp"
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

/// The text of the trace file. Throws InputError at `where`, the source of the trace, if the trace
/// reader refuses it.
[[nodiscard]] std::string readable_trace_text(const Trace& trace, const std::string& where);

/// The text of the platform file. Throws InputError at `where` if SimGrid or our own checks refuse
/// it; without SimGrid, only our own checks are made. Writes no file: SimGrid reads the text from
/// memory.
[[nodiscard]] std::string readable_platform_xml(const PlatformDescription& platform,
                                                const std::string& where);

}  // namespace equipoise
