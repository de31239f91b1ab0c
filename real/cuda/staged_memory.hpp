// Memory of a GPU with as much pinned memory of the host, through which copies go; and pinned
// memory that programs read where it is.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "real/cuda/cuda_memory.hpp"
#include "real/devices/device.hpp"

namespace equipoise {

/// The memory of a unit: on a GPU, where every byte has one in pinned memory, or in pinned memory
/// alone, where programs read it. All addresses are the GPU's.
class StagedMemory {
 public:
  /// `pool` outlives it.
  explicit StagedMemory(CudaPool& pool) : pool_(pool) {}

  /// Memory of the GPU. Throws as check_cuda does.
  [[nodiscard]] std::byte* allocate(std::size_t bytes);
  /// Pinned memory, which programs read over the bus. Throws as check_cuda does.
  [[nodiscard]] std::byte* allocate_on_host(std::size_t bytes);
  /// Releases what one of these returned.
  void release(std::byte* memory) { areas_.erase(memory); }
  /// Whether `memory` is of `allocate_on_host`.
  [[nodiscard]] bool is_on_host(const std::byte* memory) const;

  /// Puts the pinned memory in the place of the GPU's addresses in `parts`, copies to there or from
  /// there. Returns the transfers between it and memory of the GPU: one for all parts that follow
  /// one another with nothing but padding between them.
  [[nodiscard]] std::vector<CopyPart> stage(std::vector<CopyPart>& parts, bool is_in) const;

 private:
  struct Area {
    std::size_t bytes;
    std::optional<GpuMemory> on_device;  ///< none: the GPU reads the pinned memory
    PinnedMemory pinned;
  };
  using Areas = std::map<std::byte*, Area>;

  [[nodiscard]] const Areas::value_type& area_of(const std::byte* address) const;

  CudaPool& pool_;
  Areas areas_;  ///< by where the GPU sees their begins
};

}  // namespace equipoise
