// The memory of a device, and of the host beside it, for one phase at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "real/devices/device.hpp"
#include "real/unit_memory.hpp"
#include "real/worker.hpp"
#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// Memory of a device for blocks and resident data. Resident data that the unit's memory does not
/// hold (`streamed_data`) lie in the host's, and programs read them there.
class PhaseMemory {
 public:
  /// `device` outlives it, as do the kernels of `phases`, which are allocated.
  PhaseMemory(Device& device, const Unit& unit, const std::vector<WorkerPhase>& phases);

  /// Gets memory for all phases beforehand. If there is not enough, the first block of a phase
  /// makes do with less.
  void reserve();
  /// Begins `phase`, for fewer items at a time if there is not enough memory, but not for fewer
  /// than `items`: then it throws std::bad_alloc. Nothing may be in flight.
  void begin_phase(int phase, Items items);
  /// How many items are in memory at a time.
  [[nodiscard]] Items room_items(int phase) const { return at(phase).room_items; }
  /// How many bytes of the resident data are read with a block; 0 if the unit's memory holds them.
  [[nodiscard]] std::size_t streamed_bytes(const Block& block) const;
  /// Where the present phase's arrays lie.
  [[nodiscard]] UnitMemory& places() { return places_; }

 private:
  struct Phase {
    const KernelData* data;
    Items room_items;
    std::optional<StreamedData> streamed;
  };
  /// A piece of memory; null: none.
  struct Piece {
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
  };
  using Allocate = std::byte* (Device::*)(std::size_t);

  [[nodiscard]] Phase& at(int phase) { return phases_[static_cast<std::size_t>(phase)]; }
  [[nodiscard]] const Phase& at(int phase) const {
    return phases_[static_cast<std::size_t>(phase)];
  }
  void grow(Piece& piece, Allocate allocate, std::size_t bytes);

  Device& device_;
  std::vector<Phase> phases_;
  Piece on_device_;
  Piece on_host_;  ///< for resident data that the unit's memory does not hold
  UnitMemory places_;
};

}  // namespace equipoise
