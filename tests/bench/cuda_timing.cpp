// Events before and after the work, in its stream.
#include "tests/bench/cuda_timing.hpp"

#include <algorithm>
#include <vector>

#include "real/cuda/cuda_call.hpp"
#include "real/cuda/cuda_context.hpp"
#include "real/cuda/cuda_events.hpp"
#include "real/cuda/cuda_memory.hpp"

namespace equipoise {
namespace {

constexpr int times = 5;

}  // namespace

Seconds time_on_device(int device, std::size_t bytes, const DeviceWork& enqueue) {
  const CudaContext context({device}, make_cuda_pool(device));
  const GpuMemory memory(*context.pool(), bytes);
  CudaEventPool events;
  const cudaEvent_t begin = events.take();
  const cudaEvent_t end = events.take();
  const OwnedStream stream = context.make_stream();
  check_cuda(cudaMemsetAsync(memory.begin(), 0, bytes, stream.get()), "cudaMemsetAsync");
  std::vector<double> taken_s;
  for (int i = 0; i <= times; ++i) {
    check_cuda(cudaEventRecord(begin, stream.get()), "cudaEventRecord");
    enqueue(Stream{stream.get()}, memory.begin());
    check_cuda(cudaEventRecord(end, stream.get()), "cudaEventRecord");
    await(end);
    if (i > 0) taken_s.push_back(time_between(begin, end).value);
  }
  std::ranges::nth_element(taken_s, taken_s.begin() + times / 2);
  return Seconds{taken_s[times / 2]};
}

}  // namespace equipoise
