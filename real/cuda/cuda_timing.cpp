// Events before and after the work, in its stream.
#include "real/cuda/cuda_timing.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "real/cuda/cuda_call.hpp"
#include "real/cuda/cuda_context.hpp"
#include "real/cuda/cuda_moments.hpp"

namespace equipoise {
namespace {

constexpr int times = 5;
constexpr std::chrono::microseconds end_poll{50};

struct FreeOnDevice {
  void operator()(std::byte* memory) const { static_cast<void>(cudaFree(memory)); }
};

}  // namespace

Seconds time_on_device(int device, std::size_t bytes, const DeviceWork& enqueue) {
  const CudaContext context({device});
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc");
  const std::unique_ptr<std::byte, FreeOnDevice> owned(static_cast<std::byte*>(memory));
  CudaEventPool events;
  const cudaEvent_t begin = events.take();
  const cudaEvent_t end = events.take();
  const OwnedStream stream = context.make_stream();
  check_cuda(cudaMemsetAsync(memory, 0, bytes, stream.get()), "cudaMemsetAsync");
  std::vector<double> taken_s;
  for (int i = 0; i <= times; ++i) {
    check_cuda(cudaEventRecord(begin, stream.get()), "cudaEventRecord");
    enqueue(Stream{stream.get()}, owned.get());
    check_cuda(cudaEventRecord(end, stream.get()), "cudaEventRecord");
    cudaError_t answer = cudaErrorNotReady;
    while ((answer = cudaEventQuery(end)) == cudaErrorNotReady) {
      std::this_thread::sleep_for(end_poll);
    }
    check_cuda(answer, "cudaEventQuery");
    float ms = 0.0F;
    check_cuda(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
    if (i > 0) taken_s.push_back(static_cast<double>(ms) * 1e-3);
  }
  std::ranges::nth_element(taken_s, taken_s.begin() + times / 2);
  return Seconds{taken_s[times / 2]};
}

}  // namespace equipoise
