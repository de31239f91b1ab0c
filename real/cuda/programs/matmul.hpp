// Matrix multiplication on CUDA devices, by cuBLAS.
#pragma once

#include <memory>
#include <string>

#include "real/cuda/programs.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Makes the program for products of n by n matrices on the current device. Opens cuBLAS and makes
/// its handle now, which takes long. Throws BackendError if there is no cuBLAS, BlockFailure
/// if it does not work, and std::bad_alloc if it has too little memory.
[[nodiscard]] std::unique_ptr<CudaProgram> make_cuda_matmul(Items n);

/// library_line of cuBLAS.
[[nodiscard]] std::string cublas_line();

}  // namespace equipoise
