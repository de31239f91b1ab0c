// How the devices of this machine are connected with the host: measured, and written to platforms.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "platforms/platform_file.hpp"
#include "real/devices/link_rates.hpp"
#include "real/gpu/gpu.hpp"
#include "real/unit_spec.hpp"

namespace equipoise {

/// How fast devices copy, by Unit::device.
using DeviceLinks = std::map<std::string, LinkRates>;

/// Measures the devices of `specs` that can be measured, a fraction of a second each: of a device
/// with one unit, copies as blocks make them (CopyPath::staged); of one with several, what these
/// share (CopyPath::pinned). No unit should work there. A device that fails is left out, with a
/// warning.
[[nodiscard]] DeviceLinks measure_links(std::span<const UnitSpec> specs);

/// The names of the links that copies of a device cross, in one direction.
struct LinksOfDevice {
  std::vector<std::string> in;
  std::vector<std::string> out;
};

/// If the two directions of `device` have less together than alone, adds the link `DEVICE-both` for
/// what they reach together, and returns its name.
[[nodiscard]] std::optional<std::string> add_link_of_both(PlatformDescription& platform,
                                                          const std::string& device,
                                                          const LinkRates& rates);

/// Adds to `platform` a link for each direction of `device`, and if the two have less together than
/// alone, a third one that both cross. All are shared by the device's units.
[[nodiscard]] LinksOfDevice add_device_links(PlatformDescription& platform,
                                             const std::string& device, const LinkRates& rates);

/// Appends what computes on a unit's GPU: the properties `sms` and `clock_hz`, as far as known.
void describe_gpu(HostDescription& host, const Gpu& gpu);

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

}  // namespace equipoise
