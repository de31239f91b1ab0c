// A GPU as a device of ours.
#pragma once

#include <memory>
#include <vector>

#include "real/cuda/gpu_part.hpp"
#include "real/devices/device.hpp"
#include "real/threads/clock.hpp"

namespace equipoise {

/// Opens the GPU of `context`, or the part of it that this has, for the calling thread, which made
/// the context, is the only one to use the device, and ends it. `clock` is the run's. The threads that
/// copy on the host, CUDA's and two of the device, run on `waiting`. Throws BackendError, BlockFailure
/// or std::bad_alloc if that fails. Its events end before it.
///
/// A copy goes through pinned memory of the host, of which there is as much as of the GPU's: the host
/// gathers all parts of a copy there, or scatters them from there, between copies that the GPU makes
/// by itself.
[[nodiscard]] std::unique_ptr<Device> open_cuda_device(std::shared_ptr<const CudaContext> context,
                                                       const std::vector<int>& waiting,
                                                       std::shared_ptr<const Clock> clock);

}  // namespace equipoise
