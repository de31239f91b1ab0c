// The layout of a unit's memory: resident data, and blocks that are copied in, computed and copied
// out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "real/kernels/kernel_data.hpp"
#include "shared_policies/machine/block_room.hpp"
#include "shared_policies/model/block.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// The items of all blocks of a phase that `unit` holds at a time.
[[nodiscard]] inline Items room_items(const Unit& unit, const Workload& workload) {
  return std::min(items_in_memory(unit, workload), workload.items);
}

/// The memory for `items` items of `workload` and its resident data in bytes, as the workload
/// counts them.
[[nodiscard]] inline double staged_bytes(const Workload& workload, Items items) {
  return workload.bytes_kept() + workload.memory_bytes_per_item * static_cast<double>(items);
}

/// Places the arrays of one phase in the memory of a unit. Reads and writes none of it: it may be
/// the memory of a device.
///
/// Blocks get room by the same rule as in simulation (BlockRoom), and in a contiguous range: a
/// block may also have to wait where free memory is in pieces. Blocks of the same size never meet
/// that.
class UnitMemory {
 public:
  /// The bytes of the resident data.
  [[nodiscard]] static std::size_t resident_bytes(const KernelData& data);
  /// The bytes that suffice for the resident data and one block of at most `items`.
  [[nodiscard]] static std::size_t bytes_for_one(const KernelData& data, Items items);
  /// The bytes that suffice, beside the resident data, for as many blocks as a worker has at a
  /// time, which hold `room_items` items together. If their arrays have further rows, the bytes
  /// suffice for two blocks, and others wait.
  [[nodiscard]] static std::size_t bytes_for_several(const KernelData& data, Items room_items);

  /// Begins a phase in memory of `bytes` at `begin` (a multiple of `array_alignment`), whose blocks
  /// hold at most `room_items` items together. The resident data lie at `begin` or, if that is not
  /// null, at `resident_begin`. Forgets all blocks.
  void begin_phase(const KernelData& data, std::byte* begin, std::size_t bytes, Items room_items,
                   std::byte* resident_begin = nullptr);
  /// The places of the phase's resident arrays.
  [[nodiscard]] const std::vector<std::byte*>& resident() const { return resident_; }

  /// Gives `block` room and fills `staged`. Returns false if it has to wait until another block is
  /// released, or, with no block here, if it does not fit at all.
  [[nodiscard]] bool place(const Block& block, StagedBlock& staged);
  /// Releases `block`, which was placed. `is_last` says whether it was the last block of its group
  /// on the unit.
  void release(const Block& block, bool is_last);

 private:
  /// The memory of a block.
  struct Range {
    std::byte* begin;
    std::byte* end;
    std::uint64_t block;
    std::uint32_t group;
    bool is_over = false;  ///< the block has ended, its group has not
  };

  const KernelData* data_ = nullptr;
  std::byte* blocks_begin_ = nullptr;  ///< behind the resident data, if these are there
  std::byte* end_ = nullptr;
  Items room_items_ = 0;
  std::vector<std::byte*> resident_;
  std::vector<Range> ranges_;  ///< ascending
  std::size_t in_flight_ = 0;
  BlockRoom room_;
};

}  // namespace equipoise
