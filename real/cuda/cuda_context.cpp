// Parts of a GPU are green contexts of the driver.
#include "real/cuda/cuda_context.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "real/cuda/cuda_call.hpp"
#include "real/cuda/driver_function.hpp"
#include "shared_policies/model/failure.hpp"

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

struct SmGroups::Groups {
  std::vector<CUdevResource> all;
  std::size_t taken = 0;
};

SmGroups::SmGroups(int device) : device_(device), groups_(std::make_unique<Groups>()) {
  PFN_cuDeviceGet_v2000 device_get = nullptr;
  PFN_cuDeviceGetDevResource_v12040 resource_of = nullptr;
  PFN_cuDevSmResourceSplitByCount_v12040 split = nullptr;
  find_driver_function("cuDeviceGet", 2000, device_get);
  find_driver_function("cuDeviceGetDevResource", 12040, resource_of);
  find_driver_function("cuDevSmResourceSplitByCount", 12040, split);
  CUdevice handle = 0;
  check_driver(device_get(&handle, device), "cuDeviceGet");
  CUdevResource all{};
  check_driver(resource_of(handle, &all, CU_DEV_RESOURCE_TYPE_SM), "cuDeviceGetDevResource");
  constexpr unsigned least = 1;  // which the driver rounds up to the smallest group
  unsigned count = 0;
  check_driver(split(nullptr, &count, &all, nullptr, 0, least), "cuDevSmResourceSplitByCount");
  std::vector<CUdevResource>& groups = groups_->all;
  groups.resize(count);
  check_driver(split(groups.data(), &count, &all, nullptr, 0, least),
               "cuDevSmResourceSplitByCount");
  groups.resize(count);
  if (groups.empty()) throw BackendError("its SMs cannot be divided");
}

SmGroups::~SmGroups() = default;

int SmGroups::sms_of_group() const { return static_cast<int>(groups_->all.front().sm.smCount); }

int SmGroups::count() const { return static_cast<int>(groups_->all.size()); }

GpuPart SmGroups::take(int count) {
  auto& [all, taken] = *groups_;
  EQ_CHECK(count >= 1 && taken + static_cast<std::size_t>(count) <= all.size(),
           "units get groups that are left");
  PFN_cuDevResourceGenerateDesc_v12040 join = nullptr;
  find_driver_function("cuDevResourceGenerateDesc", 12040, join);
  GpuPart part{device_, count * sms_of_group()};
  check_driver(join(&part.some, all.data() + taken, static_cast<unsigned>(count)),
               "cuDevResourceGenerateDesc");
  taken += static_cast<std::size_t>(count);
  return part;
}

}  // namespace equipoise
