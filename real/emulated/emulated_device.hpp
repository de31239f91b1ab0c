// An accelerator made of this machine's cores.
#pragma once

#include <memory>
#include <vector>

#include "real/devices/device.hpp"
#include "real/emulated/emulated_engines.hpp"
#include "real/threads/clock.hpp"

namespace equipoise {

/// Opens a device whose compute queue runs the kernels' CPU programs on `cores`, and whose copies
/// take latency + bytes / bandwidth, or as long as the host's memory needs if that is longer.
/// Copies follow one another without gaps, however late a thread wakes up. Other devices may have
/// the same `engines`. Throws BackendError if a thread cannot be started.
[[nodiscard]] std::unique_ptr<Device> open_emulated_device(std::shared_ptr<EmulatedEngines> engines,
                                                           const std::vector<int>& cores);

}  // namespace equipoise
