// How the devices of this machine are connected with the host, and other nodes with the master:
// measured, and written to platforms; and the platform for a recording.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "platforms/platform_file.hpp"
#include "real/devices/link_rates.hpp"
#include "real/nodes/network.hpp"
#include "real/recording/recorder.hpp"
#include "real/unit_spec.hpp"
#include "tools/worlds/real_machine.hpp"

namespace equipoise {

/// How fast devices copy, by Unit::device.
using DeviceLinks = std::map<std::string, LinkRates>;

/// Measures the devices of `specs` that can be measured, a fraction of a second each: of a device
/// with one unit, copies as blocks make them (CopyPath::staged); of one with several, what these
/// share (CopyPath::pinned). No unit should work there. A device that fails is left out, with a
/// warning.
[[nodiscard]] DeviceLinks measure_links(std::span<const UnitSpec> specs);

/// The GPU of a unit in a line: model, SMs and clock, copy engines, memory and place, as far as
/// known.
[[nodiscard]] std::string gpu_line(const UnitSpec& spec);

/// gpu_line of each GPU of this machine, or why it cannot be used.
[[nodiscard]] std::vector<std::string> gpu_lines();

/// A GPU of this machine.
struct MeasuredGpu {
  UnitSpec spec;
  LinkRates link;  ///< of pinned memory
};

/// All GPUs of this machine that can be used, measured. Those that cannot are left out, with a
/// warning.
[[nodiscard]] std::vector<MeasuredGpu> measure_gpus();

/// Adds `gpus` to `platform`, whose master is `RAM`. Their links are those of pinned memory; the
/// comment says so.
void add_gpus(PlatformDescription& platform, std::span<const MeasuredGpu> gpus);

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

/// Adds units of other nodes, which are reached over the links of `network`: those of their node,
/// in either direction, and if all nodes together get, or give, less than the sum of what each does
/// alone, a link of the master's, which all of their transfers share. What their copies take beyond
/// that, on their node, is a link of the unit's own; a CPU has none.
void add_nodes(PlatformDescription& platform, const std::vector<RecordedUnit>& units,
               const MeasuredNetwork& network);

/// The platform of a recording that has just been made on `machine`, whose links it measures.
[[nodiscard]] PlatformDescription measured_platform(const RealMachine& machine,
                                                    const Recording& recording,
                                                    const std::string& trace_file);

}  // namespace equipoise
