// Groups that have been joined cannot be divided again, so the smallest groups are made first.
#include "real/cuda/sm_groups.hpp"

#include <cuda.h>

#include <cstddef>
#include <vector>

#include "real/cuda/driver_function.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {

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
