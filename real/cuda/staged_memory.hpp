// Memory of a GPU with as much pinned memory of the host, through which copies go.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "real/cuda/cuda_memory.hpp"
#include "real/devices/device.hpp"

namespace equipoise {

/// The memory of a unit on a GPU: every byte there has one in pinned memory.
class StagedMemory {
 public:
  /// `pool` outlives it.
  explicit StagedMemory(CudaPool& pool) : pool_(pool) {}

  /// Memory of the GPU. Throws as check_cuda does.
  [[nodiscard]] std::byte* allocate(std::size_t bytes);
  /// Releases what `allocate` returned.
  void release(std::byte* memory) { areas_.erase(memory); }

  /// Puts the pinned memory in the place of the GPU's in `parts`, copies to the GPU or from there.
  /// Returns the transfers between the two: one for all parts that follow one another with nothing but
  /// padding between them.
  [[nodiscard]] std::vector<CopyPart> stage(std::vector<CopyPart>& parts, bool is_in) const;

 private:
  struct Area {
    Area(CudaPool& pool, std::size_t size)
        : bytes(size), on_device(pool, size), pinned(pool.host(), size) {}

    std::size_t bytes;
    GpuMemory on_device;
    PinnedMemory pinned;
  };

  [[nodiscard]] std::byte* pinned(const std::byte* on_device) const;

  CudaPool& pool_;
  std::map<std::byte*, Area> areas_;  ///< by where they begin on the GPU
};

}  // namespace equipoise
