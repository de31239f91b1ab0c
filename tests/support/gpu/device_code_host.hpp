// What our CUDA kernels need of the language, for the host's compiler, as
// real/cuda/device_code_nvcc.hpp gives it to nvcc: kernels run in tests on machines without a GPU.
//
// Blocks run one after another. The threads of a block are fibers that take turns: each runs until
// the next barrier of its block, or to its end.
#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "real/gpu/programs/grid.hpp"
#include "real/gpu/stream.hpp"

// Names of the CUDA language.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(...)

namespace equipoise {

/// The place of a thread in its block, or of a block in its grid.
struct Index3 {
  unsigned x = 0;
  unsigned y = 0;
  unsigned z = 0;
};

// Of the thread that runs.
extern Index3 threadIdx;
extern Index3 blockIdx;
extern Size3 blockDim;
extern Size3 gridDim;

/// A barrier. Stops the program if some threads of the block have ended and others have not.
void __syncthreads();
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

/// The shared memory of the present block whose size the launch chose. Every block finds other
/// bytes than 0 there.
[[nodiscard]] std::byte* dynamic_shared_bytes();
template <class T>
[[nodiscard]] T* dynamic_shared() {
  return reinterpret_cast<T*>(dynamic_shared_bytes());
}

/// The number of bits of `word` that are 1.
[[nodiscard]] inline int count_bits(std::uint64_t word) { return __builtin_popcountll(word); }

/// A clock in nanoseconds.
[[nodiscard]] inline std::uint64_t device_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
}

/// A counter of cycles, of which a nanosecond has one.
[[nodiscard]] inline std::uint64_t device_cycles() { return device_ns(); }

[[nodiscard]] inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
[[nodiscard]] inline double sinpi(double x) { return std::sin(3.14159265358979323846 * x); }

/// The second-level cache of the device that these kernels are thought to run on. A test may set
/// it.
[[nodiscard]] std::size_t imagined_cache_bytes();
[[nodiscard]] inline std::size_t second_level_cache_bytes() { return imagined_cache_bytes(); }
void set_second_level_cache_bytes(std::size_t bytes);

/// The thread of a block that runs now, and where it is.
struct RunningThread {
  unsigned number = 0;         ///< in its block
  std::uint64_t interval = 0;  ///< between which two barriers of all launches; begins with 1
  const std::byte* stack = nullptr;
  std::size_t stack_bytes = 0;
};

/// Has the interval 0 while no kernel runs.
[[nodiscard]] const RunningThread& running_thread();

/// Calls `thread` for every thread of every block. Stops the program if no GPU would take such a
/// launch.
void run_grid(Size3 grid, Size3 block, std::size_t shared_bytes,
              const std::function<void()>& thread);

/// Takes note that a kernel is loaded, or that it is launched.
void note_loading(const void* kernel);
void note_launch(const void* kernel);
/// How often a kernel was launched that was not loaded before: on a GPU, that may wait for all
/// queues.
[[nodiscard]] int launches_without_loading();

template <class... Kernels>
void load_code(Kernels... kernels) {
  (note_loading(reinterpret_cast<const void*>(kernels)), ...);
}

/// Runs `kernel` with `grid` blocks of `block` threads.
template <class... P, class... A>
void launch(void (*kernel)(P...), Size3 grid, Size3 block, std::size_t shared_bytes,
            const Stream& /*stream*/, A... arguments) {
  note_launch(reinterpret_cast<const void*>(kernel));
  run_grid(grid, block, shared_bytes, [&] { kernel(static_cast<P>(arguments)...); });
}

}  // namespace equipoise
