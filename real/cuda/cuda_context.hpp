// Where a unit's work takes place: a GPU, or a part of its SMs.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

#include "real/cuda/cuda_memory.hpp"
#include "real/cuda/gpu_part.hpp"

namespace equipoise {

/// Destroys a stream of CUDA.
struct DestroyStream {
  void operator()(cudaStream_t stream) const { static_cast<void>(cudaStreamDestroy(stream)); }
};
using OwnedStream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, DestroyStream>;

/// Makes the whole GPU current again and ends the context of a part of it.
struct EndGreenContext {
  int device = 0;
  PFN_cuGreenCtxDestroy_v12040 destroy = nullptr;
  void operator()(CUgreenCtx green) const;
};

/// The context of a unit, or of a load that competes with it; for one thread alone. Memory, events
/// and kernels are those of the GPU, whichever SMs compute; work runs on the unit's SMs if it is in
/// a stream that this object made.
class CudaContext {
 public:
  /// Makes the context current for the calling thread, where libraries ask for it. Throws
  /// BackendError if the driver knows no parts of GPUs, and as check_cuda does.
  CudaContext(const GpuPart& part, std::shared_ptr<CudaPool> pool);
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  [[nodiscard]] const GpuPart& part() const { return part_; }
  [[nodiscard]] const std::shared_ptr<CudaPool>& pool() const { return pool_; }
  /// Makes the context current for the calling thread, as before it ends.
  void make_current() const;
  /// A stream that does not wait for others. All streams end before the context. Throws as
  /// check_cuda does.
  [[nodiscard]] OwnedStream make_stream() const;

 private:
  GpuPart part_;
  std::shared_ptr<CudaPool> pool_;
  CUcontext converted_ = nullptr;
  PFN_cuCtxSetCurrent_v4000 set_current_ = nullptr;
  std::unique_ptr<std::remove_pointer_t<CUgreenCtx>, EndGreenContext>
      green_;  ///< null for a whole GPU
};

}  // namespace equipoise
