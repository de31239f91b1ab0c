// What a unit has of a GPU, for code that includes no header of CUDA.
#pragma once

#include <memory>

struct CUdevResourceDesc_st;

namespace equipoise {

/// A GPU, or some of its SMs.
struct GpuPart {
  int device = 0;                        ///< as CUDA numbers it
  int sms = 0;                           ///< how many the unit has
  CUdevResourceDesc_st* some = nullptr;  ///< which, for CUDA; null: all
};

class CudaContext;
class CudaPool;

/// Opens `part` for the calling thread, with the memory of `pool`; null: one of its own. Throws as
/// the constructor of CudaContext does.
[[nodiscard]] std::shared_ptr<const CudaContext> open_cuda_context(
    const GpuPart& part, std::shared_ptr<CudaPool> pool = nullptr);

}  // namespace equipoise
