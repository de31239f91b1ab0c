// Events of CUDA, and how the host waits for them and for streams.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// How often a thread looks at a GPU for which it waits.
inline constexpr std::chrono::microseconds gpu_poll{100};

/// How long a thread waits for a GPU that does not answer, before a run and at its end.
inline constexpr std::chrono::seconds gpu_patience{60};

/// CUDA events with times, which are used again and again.
class CudaEventPool {
 public:
  CudaEventPool() = default;
  CudaEventPool(const CudaEventPool&) = delete;
  CudaEventPool& operator=(const CudaEventPool&) = delete;
  ~CudaEventPool();

  /// Throws as check_cuda does.
  [[nodiscard]] cudaEvent_t take();
  void give_back(cudaEvent_t event) { free_.push_back(event); }

 private:
  std::vector<cudaEvent_t> all_;
  std::vector<cudaEvent_t> free_;
};

/// Whether all work before `event` has ended; true if it was never recorded. Throws as check_cuda
/// does.
[[nodiscard]] bool has_passed(cudaEvent_t event);

/// Sleeps until `event` has passed. Throws BackendError if it has not within `gpu_patience`, and as
/// check_cuda does.
void await(cudaEvent_t event);

/// From `begin` to `end`, which have passed. Throws as check_cuda does.
[[nodiscard]] Seconds time_between(cudaEvent_t begin, cudaEvent_t end);

/// Sleeps until all work of `stream` has ended. Returns cudaSuccess, the device's error if it has
/// failed, or cudaErrorNotReady if `patience` was too short.
[[nodiscard]] cudaError_t end_of(cudaStream_t stream, std::chrono::seconds patience = gpu_patience);

}  // namespace equipoise
