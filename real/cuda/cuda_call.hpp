// Every call of CUDA is checked here.
#pragma once

#include <cuda_runtime_api.h>

namespace equipoise {

/// Returns if `error` is cudaSuccess. Otherwise throws std::bad_alloc if memory was too little,
/// BackendError if the device has failed for good, and BlockFailure if only this call has failed.
/// The messages name `call`. The error may be that of earlier work of the device.
void check_cuda(cudaError_t error, const char* call);

}  // namespace equipoise
