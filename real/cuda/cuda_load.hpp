// A load that really competes with a unit for the SMs of a GPU.
#pragma once

#include <memory>

#include "real/competing_load.hpp"
#include "real/cuda/cuda_memory.hpp"
#include "real/cuda/gpu_part.hpp"
#include "real/threads/clock.hpp"

namespace equipoise {

/// Starts a load that keeps `share` (above 0, at most `competing_share_max`) of the SMs of `part`
/// busy from `at` until `until`, times of `clock`: the nearest whole number of SMs, at least one,
/// and never all. Each of these SMs has a block of threads of the load and nothing else. The load
/// has the priority of the unit's kernels, so it gets an SM when no block of an earlier kernel
/// waits for it: at the latest when the kernel that runs at `at` has handed out its last block. It
/// then keeps the SM for up to a tenth of a second and asks for it anew. `share` of the load says
/// what it really had.
///
/// Does not wait for the GPU, and ends within milliseconds. It ends early if the GPU fails or
/// refuses a launch; its share is less then. Throws BackendError if there is no thread for it.
[[nodiscard]] std::unique_ptr<CompetingLoad> start_cuda_load(const GpuPart& part,
                                                             const Clock& clock, Seconds at,
                                                             Seconds until, double share,
                                                             std::shared_ptr<CudaPool> pool);

}  // namespace equipoise
