// Matrix multiplication on GPUs, by a library of their maker.
#pragma once

#include <memory>
#include <string>

#include "real/gpu/programs.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Makes the program for products of n by n matrices on the current device. Opens the library and
/// makes its handle now, which takes long. Throws BackendError if there is no library, BlockFailure
/// if it does not work, and std::bad_alloc if it has too little memory.
[[nodiscard]] std::unique_ptr<GpuProgram> make_gpu_matmul(Items n);

/// Whether the library is here: library_line (real/cuda/library.hpp).
[[nodiscard]] std::string matmul_library_line();

}  // namespace equipoise
