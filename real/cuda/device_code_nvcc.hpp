// What our CUDA kernels need of the language, for nvcc. tests/support/gpu/device_code_host.hpp
// gives the same to the host's compiler. CMake chooses (real/gpu/device_code.hpp).
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "real/cuda/cuda_call.hpp"
#include "real/gpu/programs/grid.hpp"
#include "real/gpu/stream.hpp"

namespace equipoise {

/// The shared memory of a block whose size the launch says, aligned for every number.
template <class T>
__device__ inline T* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char bytes_of_the_launch[];
  return reinterpret_cast<T*>(bytes_of_the_launch);
}

/// How many bits are 1.
__device__ inline int count_bits(std::uint64_t bits) { return __popcll(bits); }

/// A clock of the GPU in nanoseconds; many count whole microseconds.
__device__ inline std::uint64_t device_ns() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

/// A counter of the cycles of the SM, which costs nothing to read.
__device__ inline std::uint64_t device_cycles() { return static_cast<std::uint64_t>(clock64()); }

/// The bytes of the current device's second-level cache. Throws as check_cuda does.
inline std::size_t second_level_cache_bytes() {
  int device = 0;
  int bytes = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device),
             "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(bytes);
}

/// Loads `kernels` onto the current device. CUDA, when it loads lazily, would do that at their
/// first launch, and wait for all queues. Throws as check_cuda does.
template <class... Kernels>
void load_code(Kernels... kernels) {
  cudaFuncAttributes attributes{};
  (check_cuda(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernels)),
              "cudaFuncGetAttributes"),
   ...);
}

/// Enqueues `kernel` on `stream` with `shared_bytes` of dynamic shared memory for each block.
/// Throws as check_cuda does.
template <class... P, class... A>
void launch(void (*kernel)(P...), Size3 grid, Size3 block, std::size_t shared_bytes,
            const Stream& stream, A... arguments) {
  static_assert(sizeof...(P) == sizeof...(A), "one argument for each parameter");
  constexpr std::size_t granted_bytes = 48 << 10;  // more than that is to be asked for
  const void* const function = reinterpret_cast<const void*>(kernel);
  if (shared_bytes > granted_bytes) {
    check_cuda(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared_bytes)),
               "cudaFuncSetAttribute");
  }
  std::tuple<P...> values(static_cast<P>(arguments)...);
  std::apply(
      [&](auto&... value) {
        void* pointers[] = {&value..., nullptr};
        check_cuda(cudaLaunchKernel(function, dim3(grid.x, grid.y, grid.z),
                                    dim3(block.x, block.y, block.z), pointers, shared_bytes,
                                    static_cast<cudaStream_t>(stream.handle)),
                   "cudaLaunchKernel");
      },
      values);
}

}  // namespace equipoise
