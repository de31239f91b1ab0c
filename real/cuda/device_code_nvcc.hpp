// What our CUDA kernels need of the language, for nvcc. tests/support/device_code_host.hpp gives
// the same to the host's compiler. CMake chooses (real/cuda/device_code.hpp).
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "real/cuda/stream.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {

/// The extent of a grid or of a block of threads.
struct Size3 {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
};

/// The shared memory whose size the launch chose.
template <class T>
__device__ T* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  return reinterpret_cast<T*>(shared_bytes);
}

/// The number of bits of `word` that are 1.
__device__ inline int count_bits(std::uint64_t word) { return __popcll(word); }

/// Enqueues `kernel` with `grid` blocks of `block` threads on `stream`. Throws if it cannot be
/// launched.
template <class... P, class... A>
void launch(void (*kernel)(P...), Size3 grid, Size3 block, std::size_t shared_bytes,
            const Stream& stream, A... arguments) {
  std::tuple<P...> values(static_cast<P>(arguments)...);
  const cudaError_t failure = std::apply(
      [&](auto&... value) {
        void* pointers[] = {&value...};
        return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(grid.x, grid.y, grid.z),
                                dim3(block.x, block.y, block.z), pointers, shared_bytes,
                                static_cast<cudaStream_t>(stream.handle));
      },
      values);
  if (failure != cudaSuccess) throw BackendError(cudaGetErrorString(failure));
}

}  // namespace equipoise
