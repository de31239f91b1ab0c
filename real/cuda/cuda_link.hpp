// How fast a GPU copies from and to the host.
#pragma once

#include "real/devices/link_rates.hpp"

namespace equipoise {

/// Measures the copies of the GPU that CUDA numbers `device`, which the calling thread uses from then
/// on. No other work should go on there. Takes a fraction of a second. Throws as check_cuda does.
[[nodiscard]] LinkRates measure_cuda_link(int device, CopyPath path);

}  // namespace equipoise
