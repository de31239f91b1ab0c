// What computes the blocks of our kernels on GPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "real/gpu/stream.hpp"
#include "real/kernels/fft2d/fourier_transform.hpp"
#include "real/kernels/kernel_data.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

class Kernel;

/// CUDA is reported to make its caller wait while about 1,000 commands are in a queue. The driver
/// of a unit must not wait there: there may be a stop before them, whose end would come late.
inline constexpr std::uint64_t commands_max = 960;
/// What a program may put into a queue for one block.
inline constexpr std::uint64_t block_commands_max = 600;
/// What the body of a loop of the user's program may put there.
inline constexpr std::uint64_t loop_commands_max = 32;
/// What else a block may need in a queue: waits, records, calls, stops, and copies of arrays.
inline constexpr std::uint64_t other_commands_max = 60;
/// With more commands in a queue, there is no room for another block.
inline constexpr std::uint64_t commands_full =
    commands_max - block_commands_max - other_commands_max;

/// What computes the blocks of one kernel on a GPU. It needs nothing of the kernel, which may be
/// destroyed before it. `load` and `launch` throw as check_cuda does.
struct GpuProgram {
  /// Loads the code onto the current device. Otherwise that happens at the first launch, which then
  /// waits for all queues.
  std::function<void()> load;
  /// Enqueues the computation of `block`, which has an item and lies in the device's memory.
  std::function<void(const Stream& stream, const StagedBlock& block)> launch;
  /// The most commands that a block of `items` puts into a queue; at most `block_commands_max`.
  std::function<std::uint64_t(Items items)> commands = [](Items /*items*/) { return 8; };
  /// Whether the first blocks of some sizes take longer, because a library prepares itself.
  bool prepares_at_first_use = false;
};

/// Whether GPUs can compute `kernel`.
[[nodiscard]] bool has_gpu_program(const Kernel& kernel);

/// For each library that some programs need, a line that says whether it is here.
[[nodiscard]] std::vector<std::string> gpu_library_lines();

/// The program for `kernel`, which is allocated and has one. Made on the unit's thread with the
/// device current. Throws BackendError, or std::bad_alloc if the device has too little memory.
[[nodiscard]] GpuProgram make_gpu_program(const Kernel& kernel);

/// Workload::parameters of a kernel.
using KernelParameters = std::map<std::string, double>;

/// The parameter `name`, which is a whole number.
[[nodiscard]] inline std::size_t whole(const KernelParameters& parameters, const char* name) {
  return static_cast<std::size_t>(parameters.at(name));
}

[[nodiscard]] inline std::size_t items_of(const StagedBlock& block) {
  return static_cast<std::size_t>(block.items);
}

// The programs, each of which computes what the CPU's does. Where nothing else is said, the last
// bits may differ.
[[nodiscard]] GpuProgram gpu_binomial(const KernelParameters& parameters);
[[nodiscard]] GpuProgram gpu_blackscholes(const KernelParameters& parameters);
/// Opens the library and makes all plans now, which takes long. Throws BackendError if there is no
/// library, BlockFailure if it does not work, and std::bad_alloc if it has too little memory.
[[nodiscard]] GpuProgram gpu_fft2d(const KernelParameters& parameters);
/// Terms are added in another order.
[[nodiscard]] GpuProgram gpu_gaussian(const KernelParameters& parameters);
/// Finds the pairs and the entropies that the CPU finds.
[[nodiscard]] GpuProgram gpu_grn(const KernelParameters& parameters);
/// Finds the labels that the CPU finds, to the last point.
[[nodiscard]] GpuProgram gpu_kmeans(const KernelParameters& parameters);
/// Counts the steps that the CPU counts.
[[nodiscard]] GpuProgram gpu_mandelbrot(const KernelParameters& parameters);
/// Opens the library and makes its handle now, which takes long. Throws as `gpu_fft2d` does.
[[nodiscard]] GpuProgram gpu_matmul(const KernelParameters& parameters);
/// Attractions are added in another order.
[[nodiscard]] GpuProgram gpu_nbody(const KernelParameters& parameters);
/// Finds the sums that the CPU finds.
[[nodiscard]] GpuProgram gpu_synthetic(const KernelParameters& parameters);
[[nodiscard]] GpuProgram gpu_taylor(const KernelParameters& parameters);

// Lines that say whether the libraries are here, as `library_line` (real/cuda/library.hpp).
[[nodiscard]] std::string fft2d_library_line();
[[nodiscard]] std::string matmul_library_line();

// Parts of programs, each with what loads its code. `launch_...` enqueues; arrays are in the
// device's memory. All throw as check_cuda does.

void load_fourier_filter();
/// The multiplication of `count` transforms of `shape`, pairs of doubles, by the filter of
/// FourierTransform.
void launch_fourier_filter(const Stream& stream, const FourierShape& shape, double* transforms,
                           std::size_t count);
/// The bytes of the current device's second-level cache.
[[nodiscard]] std::size_t fft2d_cache_bytes();

/// The points of a block and the centroids, as in real/kernels/kmeans/nearest.hpp.
struct NearestSearch {
  const double* points;  ///< (count, dimensions)
  std::size_t count;
  std::size_t dimensions;
  const double* table;  ///< as `make_nearest_table` writes it
  std::size_t clusters;
  std::int32_t* labels;  ///< (count)
};
/// The label of a point for which fused multiply-adds cannot tell the nearest centroid.
inline constexpr std::int32_t undecided_label = -2;
void load_kmeans_undecided();
/// The second kernel of k-means, which replaces every `undecided_label`: where two centroids are as
/// near as rounding can tell, it repeats the CPU's arithmetic.
void launch_kmeans_undecided(const Stream& stream, const NearestSearch& search);

/// What a competing load does, and what it shares with the host: memory of the host that the GPU
/// sees, too.
struct CompetingBlocks {
  unsigned count = 1;            ///< blocks, each of which keeps one SM busy
  std::size_t shared_bytes = 0;  ///< all that a block can have, so that an SM has room for one only
  std::uint64_t span_ns = 0;     ///< how long each is busy
  const volatile std::uint64_t* stops = nullptr;  ///< all end soon after this is not 0
  volatile std::uint64_t* busy_ns = nullptr;      ///< (blocks) how long each was busy is added here
};
void load_compete();
/// A load. One that finds `stops` set when it begins ends at once.
void launch_compete(const Stream& stream, const CompetingBlocks& blocks);

}  // namespace equipoise
