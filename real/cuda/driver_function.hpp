// Functions of NVIDIA's driver. They are asked for at run time, so that the program starts without
// a driver.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <fmt/format.h>

#include "real/cuda/cuda_call.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {

/// The driver's function `name`, as CUDA `version` (such as 12040) has it; null if the driver has
/// none. Throws as check_cuda does.
[[nodiscard]] void* driver_entry(const char* name, unsigned version);

/// Sets `function` to the driver's function `name`, as CUDA `version` has it. Throws BackendError
/// if the driver has none.
template <class Function>
void find_driver_function(const char* name, unsigned version, Function& function) {
  void* const found = driver_entry(name, version);
  if (found == nullptr) throw BackendError(fmt::format("the NVIDIA driver here has no {}", name));
  function = reinterpret_cast<Function>(found);
}

/// As check_cuda: the numbers of the driver's errors are those of the runtime.
inline void check_driver(CUresult result, const char* call) {
  check_cuda(static_cast<cudaError_t>(result), call);
}

}  // namespace equipoise
