// What computes a kernel's blocks on GPUs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "real/gpu/stream.hpp"
#include "real/kernels/kernel.hpp"
#include "real/kernels/staged_block.hpp"

namespace equipoise {

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

}  // namespace equipoise
