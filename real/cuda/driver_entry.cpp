// The driver's functions, in builds with CUDA 12.5 and newer, whose runtime finds them by version.
#include "real/cuda/driver_function.hpp"

namespace equipoise {

void* driver_entry(const char* name, unsigned version) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check_cuda(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result),
             "cudaGetDriverEntryPointByVersion");
  return result == cudaDriverEntryPointSuccess ? found : nullptr;
}

}  // namespace equipoise
