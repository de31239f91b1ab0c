// How fast a GPU copies from and to the host.
#pragma once

#include "real/device_facts.hpp"

namespace equipoise {

/// Measures the copies of the GPU that CUDA numbers `device`, which the calling thread uses from then
/// on. No other work should go on there. Takes about half a second. Throws as check_cuda does.
[[nodiscard]] DeviceLink measure_cuda_link(int device);

}  // namespace equipoise
