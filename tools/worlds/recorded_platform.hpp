// The platform that matches a recording.
#pragma once

#include <string>
#include <vector>

#include "platforms/platform_file.hpp"
#include "real/recorder.hpp"

namespace equipoise {

/// This machine's memory as the master, RAM, and the units around it, each with a link of its own
/// in either direction, as fast as the recorded copies of `kernel` in `trace_file` were; links that
/// cost nothing where nothing was copied.
[[nodiscard]] PlatformDescription recorded_platform(const std::vector<RecordedUnit>& units,
                                                    const std::string& kernel,
                                                    const std::string& trace_file);

}  // namespace equipoise
