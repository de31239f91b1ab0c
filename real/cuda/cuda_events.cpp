// Asks CUDA again and again, because its own waiting would keep a core busy.
#include "real/cuda/cuda_events.hpp"

#include <thread>

#include <fmt/format.h>

#include "real/cuda/cuda_call.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {

CudaEventPool::~CudaEventPool() {
  for (const cudaEvent_t event : all_) static_cast<void>(cudaEventDestroy(event));
}

cudaEvent_t CudaEventPool::take() {
  if (free_.empty()) {
    cudaEvent_t event = nullptr;
    check_cuda(cudaEventCreate(&event), "cudaEventCreate");
    all_.push_back(event);
    return event;
  }
  const cudaEvent_t event = free_.back();
  free_.pop_back();
  return event;
}

bool has_passed(cudaEvent_t event) {
  const cudaError_t answer = cudaEventQuery(event);
  if (answer == cudaErrorNotReady) return false;
  check_cuda(answer, "cudaEventQuery");
  return true;
}

void await(cudaEvent_t event) {
  const auto begin = std::chrono::steady_clock::now();
  while (!has_passed(event)) {
    if (std::chrono::steady_clock::now() - begin > gpu_patience) {
      throw BackendError(fmt::format("the GPU has not answered for {} s", gpu_patience.count()));
    }
    std::this_thread::sleep_for(gpu_poll);
  }
}

Seconds time_between(cudaEvent_t begin, cudaEvent_t end) {
  float ms = 0.0F;
  check_cuda(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
  return Seconds{static_cast<double>(ms) * 1e-3};
}

cudaError_t end_of(cudaStream_t stream, std::chrono::seconds patience) {
  const auto begin = std::chrono::steady_clock::now();
  cudaError_t answer = cudaErrorNotReady;
  while ((answer = cudaStreamQuery(stream)) == cudaErrorNotReady) {
    if (std::chrono::steady_clock::now() - begin > patience) break;
    std::this_thread::sleep_for(gpu_poll);
  }
  return answer;
}

}  // namespace equipoise
