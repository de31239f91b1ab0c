// How fast a GPU copies from and to the host.
#pragma once

#include <memory>

#include "real/cuda/cuda_memory.hpp"
#include "real/devices/link_rates.hpp"

namespace equipoise {

/// Measures the copies of the GPU of `pool`, which the calling thread uses from then on. No other
/// work should go on there. Takes a fraction of a second. Throws as check_cuda does.
[[nodiscard]] LinkRates measure_cuda_link(const std::shared_ptr<CudaPool>& pool, CopyPath path);

}  // namespace equipoise
