// Parts of a GPU are green contexts of the driver.
#include "real/cuda/cuda_context.hpp"

#include <utility>

#include "real/cuda/cuda_call.hpp"
#include "real/cuda/driver_function.hpp"

/// The headers of CUDA 12.4 lack it; the compiler compares it with that of newer ones.
using PFN_cuGreenCtxStreamCreate_v12050 = CUresult(CUDAAPI*)(CUstream*, CUgreenCtx, unsigned, int);

namespace equipoise {

CudaContext::CudaContext(const GpuPart& part, std::shared_ptr<CudaPool> pool)
    : part_(part), pool_(std::move(pool)) {
  check_cuda(cudaSetDevice(part.device), "cudaSetDevice");
  if (part.some == nullptr) return;
  PFN_cuDeviceGet_v2000 device_get = nullptr;
  PFN_cuGreenCtxCreate_v12040 create = nullptr;
  PFN_cuCtxFromGreenCtx_v12040 convert = nullptr;
  EndGreenContext end{part.device};
  find_driver_function("cuDeviceGet", 2000, device_get);
  find_driver_function("cuGreenCtxCreate", 12040, create);
  find_driver_function("cuGreenCtxDestroy", 12040, end.destroy);
  find_driver_function("cuCtxFromGreenCtx", 12040, convert);
  find_driver_function("cuCtxSetCurrent", 4000, set_current_);
  CUdevice handle = 0;
  CUgreenCtx green = nullptr;
  check_driver(device_get(&handle, part.device), "cuDeviceGet");
  check_driver(create(&green, part.some, handle, CU_GREEN_CTX_DEFAULT_STREAM), "cuGreenCtxCreate");
  green_ = {green, end};
  check_driver(convert(&converted_, green), "cuCtxFromGreenCtx");
  check_driver(set_current_(converted_), "cuCtxSetCurrent");
}

void CudaContext::make_current() const {
  static_cast<void>(cudaSetDevice(part_.device));
  if (green_) static_cast<void>(set_current_(converted_));
}

void EndGreenContext::operator()(CUgreenCtx green) const {
  static_cast<void>(cudaSetDevice(device));
  static_cast<void>(destroy(green));
}

std::shared_ptr<const CudaContext> open_cuda_context(const GpuPart& part,
                                                     std::shared_ptr<CudaPool> pool) {
  if (!pool) pool = make_cuda_pool(part.device);
  return std::make_shared<const CudaContext>(part, std::move(pool));
}

OwnedStream CudaContext::make_stream() const {
  cudaStream_t stream = nullptr;
  if (!green_) {
    check_cuda(cudaSetDevice(part_.device), "cudaSetDevice");
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
               "cudaStreamCreateWithFlags");
    return OwnedStream(stream);
  }
  PFN_cuGreenCtxStreamCreate_v12050 create = nullptr;
  find_driver_function("cuGreenCtxStreamCreate", 12050, create);
  check_driver(create(&stream, green_.get(), CU_STREAM_NON_BLOCKING, 0), "cuGreenCtxStreamCreate");
  return OwnedStream(stream);
}

}  // namespace equipoise
