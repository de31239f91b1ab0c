// Groups that have been joined cannot be divided again, so the smallest groups are made first.
#include "real/cuda/sm_groups.hpp"

#include "real/cuda/driver_function.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {

SmGroups::SmGroups(int device) {
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
  const unsigned smallest = all.sm.minSmPartitionSize;
  unsigned count = 0;
  check_driver(split(nullptr, &count, &all, nullptr, 0, smallest), "cuDevSmResourceSplitByCount");
  groups_.resize(count);
  check_driver(split(groups_.data(), &count, &all, nullptr, 0, smallest),
               "cuDevSmResourceSplitByCount");
  groups_.resize(count);
  if (groups_.empty()) throw BackendError("its SMs cannot be divided");
}

CUdevResourceDesc SmGroups::take(int count) {
  const auto groups = static_cast<std::size_t>(count);
  EQ_CHECK(groups >= 1 && taken_ + groups <= groups_.size(), "units get groups that are left");
  PFN_cuDevResourceGenerateDesc_v12040 join = nullptr;
  find_driver_function("cuDevResourceGenerateDesc", 12040, join);
  CUdevResourceDesc joined = nullptr;
  check_driver(join(&joined, groups_.data() + taken_, static_cast<unsigned>(count)),
               "cuDevResourceGenerateDesc");
  taken_ += groups;
  return joined;
}

}  // namespace equipoise
