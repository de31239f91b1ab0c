// The time of work on a GPU, for benchmarks.
#pragma once

#include <cstddef>
#include <functional>

#include "real/gpu/stream.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Work that is put into a stream of a GPU and uses `memory` there, which is 0 at first.
using DeviceWork = std::function<void(const Stream& stream, std::byte* memory)>;

/// Calls `enqueue` some times with `bytes` of memory on the GPU that CUDA numbers `device`, which
/// the calling thread uses from then on. Returns the median of the times that the work takes there,
/// of which the first does not count. Throws as check_cuda does.
[[nodiscard]] Seconds time_on_device(int device, std::size_t bytes, const DeviceWork& enqueue);

}  // namespace equipoise
