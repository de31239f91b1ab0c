// The functions of the driver that divide the SMs of the fake GPU. The first padding byte of a
// resource says what it is: the number of a group, counted from 1, or 0 for all SMs.
#include <cuda.h>
#include <cudaTypedefs.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/gpu/fake_cuda.hpp"
#include "tests/support/gpu/fake_cuda_driver.hpp"

/// Some SMs of the GPU.
struct CUdevResourceDesc_st {
  std::set<int> sms;
};

struct CUgreenCtx_st {
  std::set<int> sms;
};

namespace {

/// All parts that were opened.
std::mutex parts_mutex;
std::vector<std::set<int>> opened_parts;

CUresult get_device(CUdevice* device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult get_resource(CUdevice /*device*/, CUdevResource* result, CUdevResourceType type) {
  *result = {};
  result->type = type;
  result->sm.smCount = equipoise::fake_sms;
  return CUDA_SUCCESS;
}

CUresult split(CUdevResource* result, unsigned* count, const CUdevResource* input,
               CUdevResource* /*remaining*/, unsigned /*flags*/, unsigned least) {
  const bool is_whole = input->_internal_padding[0] == 0;
  if (!is_whole || least > input->sm.smCount) return CUDA_ERROR_INVALID_VALUE;
  const unsigned group =
      equipoise::fake_group_sms *
      std::max(1u, (least + equipoise::fake_group_sms - 1) / equipoise::fake_group_sms);
  const unsigned most = input->sm.smCount / group;
  *count = result == nullptr ? most : std::min(*count, most);
  for (unsigned i = 0; result != nullptr && i < *count; ++i) {
    result[i] = *input;
    result[i].sm.smCount = group;
    result[i]._internal_padding[0] = static_cast<unsigned char>(i + 1);
  }
  return CUDA_SUCCESS;
}

/// CUDA has no call that ends a description.
CUresult describe(CUdevResourceDesc* description, CUdevResource* resources, unsigned count) {
  static auto& all = *new std::vector<std::unique_ptr<CUdevResourceDesc_st>>;
  auto joined = std::make_unique<CUdevResourceDesc_st>();
  for (unsigned i = 0; i < count; ++i) {
    const int group = resources[i]._internal_padding[0] - 1;
    for (int sm = 0; sm < equipoise::fake_group_sms; ++sm) {
      joined->sms.insert(group * equipoise::fake_group_sms + sm);
    }
  }
  *description = joined.get();
  all.push_back(std::move(joined));
  return CUDA_SUCCESS;
}

CUresult open_part(CUgreenCtx* part, CUdevResourceDesc description, CUdevice /*device*/,
                   unsigned flags) {
  if (flags != CU_GREEN_CTX_DEFAULT_STREAM) return CUDA_ERROR_INVALID_VALUE;
  *part = new CUgreenCtx_st{description->sms};
  const std::lock_guard<std::mutex> lock(parts_mutex);
  opened_parts.push_back(description->sms);
  return CUDA_SUCCESS;
}

CUresult end_part(CUgreenCtx part) {
  delete part;
  return CUDA_SUCCESS;
}

CUresult convert(CUcontext* context, CUgreenCtx part) {
  *context = reinterpret_cast<CUcontext>(part);
  return CUDA_SUCCESS;
}

CUresult set_current(CUcontext context) {
  equipoise::fake_current() = {0, context};
  return CUDA_SUCCESS;
}

CUresult make_stream_of_part(CUstream* stream, CUgreenCtx part, unsigned flags, int /*priority*/) {
  if (part == nullptr || flags != CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  *stream = new CUstream_st({0, part});
  return CUDA_SUCCESS;
}

}  // namespace

namespace equipoise {

std::vector<std::set<int>> take_opened_parts() {
  const std::lock_guard<std::mutex> lock(parts_mutex);
  return std::exchange(opened_parts, {});
}

void* find_fake_part_function(const std::string& name) {
  const std::map<std::string, void*> all = {
      {"cuDeviceGet", reinterpret_cast<void*>(get_device)},
      {"cuDeviceGetDevResource", reinterpret_cast<void*>(get_resource)},
      {"cuDevSmResourceSplitByCount", reinterpret_cast<void*>(split)},
      {"cuDevResourceGenerateDesc", reinterpret_cast<void*>(describe)},
      {"cuGreenCtxCreate", reinterpret_cast<void*>(open_part)},
      {"cuGreenCtxDestroy", reinterpret_cast<void*>(end_part)},
      {"cuCtxFromGreenCtx", reinterpret_cast<void*>(convert)},
      {"cuCtxSetCurrent", reinterpret_cast<void*>(set_current)},
      {"cuGreenCtxStreamCreate", reinterpret_cast<void*>(make_stream_of_part)}};
  const auto found = all.find(name);
  return found == all.end() ? nullptr : found->second;
}

}  // namespace equipoise
