// A GPU as a device of ours.
#pragma once

#include <memory>
#include <vector>

#include "real/cuda/gpu_part.hpp"
#include "real/devices/device.hpp"
#include "real/threads/clock.hpp"

namespace equipoise {

/// Opens the GPU of `context`, or the part of it that this has, for the calling thread, which made
/// the context, is the only one to use the device, and ends it. `clock` is the run's. The threads
/// that copy on the host, CUDA's and two of the device, run on `waiting`, the two before what else
/// runs there if `copies_first`. Throws BackendError, BlockFailure or std::bad_alloc if that fails.
/// Its events end before it.
///
/// The GPU copies large parts of fixed arrays from where they are, which it can because they are
/// registered. All other copies go through pinned memory of the host, of which there is as much as
/// of the GPU's: the host gathers a block's input there as soon as there is room, and scatters
/// results from there after the GPU's copy, unless the block is not wanted any more.
[[nodiscard]] std::unique_ptr<Device> open_cuda_device(
    const std::shared_ptr<const CudaContext>& context, const std::vector<int>& waiting,
    std::shared_ptr<const Clock> clock, bool copies_first = false);

}  // namespace equipoise
