// What computes a kernel's blocks on GPUs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "real/gpu/stream.hpp"
#include "real/kernels/fft2d/fourier_transform.hpp"
#include "real/kernels/kernel.hpp"
#include "real/kernels/kernel_data.hpp"

namespace equipoise {

/// CUDA is reported to make its caller wait while about 1,000 commands are in a queue. The driver
/// of a unit must not wait there: there may be a stop before them, whose end would come late.
inline constexpr std::uint64_t commands_max = 960;
/// What a program may put into a queue for one block.
inline constexpr std::uint64_t block_commands_max = 600;
/// What else a block may need in a queue: waits, records, calls, stops, and copies of arrays.
inline constexpr std::uint64_t other_commands_max = 60;
/// With more commands in a queue, there is no room for another block.
inline constexpr std::uint64_t commands_full =
    commands_max - block_commands_max - other_commands_max;

/// Enqueues the computation of blocks of one kernel on a GPU. It needs nothing of the
/// kernel, which may be destroyed before it.
class GpuProgram {
 public:
  GpuProgram() = default;
  GpuProgram(const GpuProgram&) = delete;
  GpuProgram& operator=(const GpuProgram&) = delete;
  virtual ~GpuProgram() = default;

  /// Enqueues the computation of `block`, which is in the device's memory, on `stream`.
  virtual void enqueue(const StagedBlock& block, const Stream& stream) = 0;
  /// Loads the code onto the current device. Otherwise that happens at the first launch, which then
  /// waits for all queues.
  virtual void load_code() const {}
  /// The most commands that a block of `items` puts into a queue; at most `block_commands_max`.
  [[nodiscard]] virtual std::uint64_t commands(Items /*items*/) const { return 8; }
  /// Whether the first blocks of some sizes take longer, because a library prepares itself.
  [[nodiscard]] virtual bool prepares_at_first_use() const { return false; }
};

/// Whether GPUs can compute `kernel`.
[[nodiscard]] bool has_gpu_program(const std::string& kernel);

/// Whether the libraries are here that some programs need, a line each.
[[nodiscard]] std::vector<std::string> gpu_library_lines();

/// The program for `kernel`, which is allocated and has one. Made on the unit's thread with the
/// device current. Throws BackendError, or std::bad_alloc if the device has too little memory.
[[nodiscard]] std::unique_ptr<GpuProgram> make_gpu_program(const Kernel& kernel);

/// Makes the program for blocks of up to `transforms` transforms of `shape` on the current device.
/// Opens the library and makes all plans now, which takes long. Throws BackendError if there is
/// none, BlockFailure if it does not work, and std::bad_alloc if it has too little memory.
[[nodiscard]] std::unique_ptr<GpuProgram> make_gpu_fft2d(const FourierShape& shape,
                                                         std::size_t transforms);

/// Whether the library is here: library_line (real/cuda/library.hpp).
[[nodiscard]] std::string fft2d_library_line();

/// Makes the program for products of n by n matrices on the current device. Opens the library and
/// makes its handle now, which takes long. Throws BackendError if there is no library, BlockFailure
/// if it does not work, and std::bad_alloc if it has too little memory.
[[nodiscard]] std::unique_ptr<GpuProgram> make_gpu_matmul(Items n);

/// Whether the library is here: library_line (real/cuda/library.hpp).
[[nodiscard]] std::string matmul_library_line();

}  // namespace equipoise
