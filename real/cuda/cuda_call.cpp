// Makes exceptions of CUDA's errors.
#include "real/cuda/cuda_call.hpp"

#include <new>

#include <fmt/format.h>

#include "real/worker.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

constexpr int error_contained = 226;  // cudaErrorContained, which the headers of CUDA 12.4 lack

/// Whether a device that returned `error` does no more work for this process.
bool is_for_good(cudaError_t error) {
  if (error == error_contained) return true;
  switch (error) {
    case cudaErrorInitializationError:
    case cudaErrorCudartUnloading:
    case cudaErrorInsufficientDriver:
    case cudaErrorDevicesUnavailable:
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorMpsRpcFailure:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

}  // namespace

void check_cuda(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // so that libraries do not take it for theirs
  if (error == cudaErrorMemoryAllocation) throw std::bad_alloc();
  const std::string text =
      fmt::format("{}: {} ({})", call, cudaGetErrorString(error), cudaGetErrorName(error));
  if (is_for_good(error)) throw BackendError(text);
  throw BlockFailure(text);
}

}  // namespace equipoise
