// The platform for a recording.
#pragma once

#include <string>
#include <vector>

#include "platforms/platform_file.hpp"
#include "real/recording/recorder.hpp"
#include "tools/worlds/device_links.hpp"

namespace equipoise {

/// A platform with this machine's memory as the master, RAM, and the units around it. Each unit has
/// its own link in either direction, or that of its device, as fast as the recorded copies of
/// `kernel` in `trace_file`; a direction without copies has a link without cost. If the directions
/// of a device in `devices` have less together than alone, the copies of its units cross a link
/// `DEVICE-both` without latency, too, which limits what they reach together.
///
/// Several units of a device in `devices` do not wait for one another's copies: each has threads of
/// its own that copy on the host, which takes most of the time of copies out. They share nothing
/// but its bus. So each has links of its own, as fast as its recorded copies, and then crosses the
/// links of the device, as fast as `devices` says and without latency; its host names no device,
/// because its copies wait for no engine.
[[nodiscard]] PlatformDescription recorded_platform(const std::vector<RecordedUnit>& units,
                                                    const DeviceLinks& devices,
                                                    const std::string& kernel,
                                                    const std::string& trace_file);

}  // namespace equipoise
