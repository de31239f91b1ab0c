// A GPU as a device of ours, how fast it copies from and to the host, and loads that compete with a
// unit for its SMs.
#pragma once

#include <memory>
#include <vector>

#include "real/competing_load.hpp"
#include "real/cuda/cuda_memory.hpp"
#include "real/cuda/gpu_part.hpp"
#include "real/devices/device.hpp"
#include "real/devices/link_rates.hpp"
#include "real/threads/clock.hpp"

namespace equipoise {

/// Opens the GPU, or the part of one, that `context` has. The calling thread has made the context;
/// it alone uses the device, and ends it. `clock` is the run's. The threads that copy on the host,
/// CUDA's and two of the device, run on `waiting`; the two have priority there if `copies_first`.
/// Throws BackendError, BlockFailure or std::bad_alloc if that fails. Its events end before it.
///
/// The GPU copies large parts of fixed arrays from where they are, which it can because they are
/// registered. All other copies go through pinned memory of the host, of which there is as much as
/// of the GPU's: the host gathers a block's input there as soon as there is room, and scatters
/// results from there after the GPU's copy, unless the block is not wanted any more.
[[nodiscard]] std::unique_ptr<Device> open_cuda_device(
    const std::shared_ptr<const CudaContext>& context, const std::vector<int>& waiting,
    std::shared_ptr<const Clock> clock, bool copies_first = false);

/// Measures the copies of the GPU of `pool`, which the calling thread uses from then on. No other
/// work should go on there. Takes a fraction of a second. Throws as check_cuda does.
[[nodiscard]] LinkRates measure_cuda_link(const std::shared_ptr<CudaPool>& pool, CopyPath path);

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
