// An accelerator made of this machine's cores.
#pragma once

#include <memory>
#include <vector>

#include "real/clock.hpp"
#include "real/device.hpp"

namespace equipoise {

/// The figures of an emulated accelerator.
struct EmulatedFigures {
  double in_bytes_per_s = 2e9;   ///< of copies to the device
  double out_bytes_per_s = 2e9;  ///< of copies back
  Seconds latency{1e-5};         ///< of every copy
  int copy_engines = 2;          ///< 1: one copy at a time, and copies back go first
};

/// Opens a device whose compute queue runs the kernels' CPU programs on `cores`, and whose copies
/// take latency + bytes / bandwidth, or as long as the host's memory needs if that is longer. Copies
/// follow one another without gaps, however late a thread wakes up. The threads that copy run on
/// `waiting`. Throws BackendError if a thread cannot be started.
[[nodiscard]] std::unique_ptr<Device> open_emulated_device(const EmulatedFigures& figures,
                                                           const std::vector<int>& cores,
                                                           const std::vector<int>& waiting,
                                                           std::shared_ptr<Clock> clock);

}  // namespace equipoise
