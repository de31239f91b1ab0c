// The functions of CUDA that builds with its version 12.4 call to find functions of the driver.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <string>

#include "tests/support/gpu/fake_cuda.hpp"

namespace {

CUresult search(const char* symbol, void** function, int version, cuuint64_t /*flags*/,
                CUdriverProcAddressQueryResult* result) {
  int driver = 0;
  static_cast<void>(cudaDriverGetVersion(&driver));
  if (version > driver) return CUDA_ERROR_INVALID_VALUE;
  *function = equipoise::find_fake_function(symbol);
  *result =
      *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return CUDA_SUCCESS;
}

}  // namespace

/// It finds none that is newer than the runtime, so nothing else is asked of it.
cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function,
                                    unsigned long long /*flags*/,
                                    cudaDriverEntryPointQueryResult* result) {
  const bool is_known = std::string(symbol) == "cuGetProcAddress";
  *function = is_known ? reinterpret_cast<void*>(search) : nullptr;
  *result = is_known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
