// The driver's functions, in builds with CUDA 12.4. Its runtime finds none that is newer than
// itself, but the driver's own function that does.
#include "real/cuda/driver_function.hpp"

namespace equipoise {
namespace {

PFN_cuGetProcAddress_v12000 find_search() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check_cuda(cudaGetDriverEntryPoint("cuGetProcAddress", &found, cudaEnableDefault, &result),
             "cudaGetDriverEntryPoint");
  if (result != cudaDriverEntryPointSuccess || found == nullptr) {
    throw BackendError("the NVIDIA driver here has no cuGetProcAddress");
  }
  return reinterpret_cast<PFN_cuGetProcAddress_v12000>(found);
}

}  // namespace

void* driver_entry(const char* name, unsigned version) {
  static const PFN_cuGetProcAddress_v12000 search = find_search();
  void* found = nullptr;
  CUdriverProcAddressQueryResult result{};
  const CUresult searched =
      search(name, &found, static_cast<int>(version), CU_GET_PROC_ADDRESS_DEFAULT, &result);
  // It takes versions newer than the driver for invalid values.
  return searched == CUDA_SUCCESS && result == CU_GET_PROC_ADDRESS_SUCCESS ? found : nullptr;
}

}  // namespace equipoise
