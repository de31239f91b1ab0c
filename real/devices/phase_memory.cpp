// Gets the most that a phase needs at its begin, and keeps it for later phases.
#include "real/devices/phase_memory.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace equipoise {
namespace {

/// The device's memory for a phase in which `room_items` items are there at a time.
std::size_t device_bytes(const KernelData& data, Items room_items, bool holds_resident) {
  return UnitMemory::bytes_for_several(data, room_items) +
         (holds_resident ? UnitMemory::resident_bytes(data) : 0);
}

}  // namespace

PhaseMemory::PhaseMemory(Device& device, const Unit& unit, const std::vector<WorkerPhase>& phases)
    : device_(device) {
  for (const WorkerPhase& phase : phases) {
    phases_.push_back({&phase.kernel->data(), equipoise::room_items(unit, *phase.workload),
                       streamed_data(unit, *phase.workload)});
  }
}

void PhaseMemory::grow(Piece& piece, Allocate allocate, std::size_t bytes) {
  if (bytes <= piece.bytes) return;
  if (const Piece old = std::exchange(piece, {}); old.begin != nullptr) device_.release(old.begin);
  piece = {(device_.*allocate)(bytes), bytes};
}

void PhaseMemory::reserve() {
  std::size_t most = 0;
  std::size_t most_on_host = 0;
  for (const Phase& phase : phases_) {
    most = std::max(most, device_bytes(*phase.data, phase.room_items, !phase.streamed));
    if (!phase.streamed) continue;
    most_on_host = std::max(most_on_host, UnitMemory::resident_bytes(*phase.data));
  }
  const auto try_to_grow = [this](Piece& piece, Allocate allocate, std::size_t bytes) {
    try {
      grow(piece, allocate, bytes);
    } catch (const std::bad_alloc&) {
    }
  };
  try_to_grow(on_device_, &Device::allocate, most);
  try_to_grow(on_host_, &Device::allocate_on_host, most_on_host);
}

void PhaseMemory::begin_phase(int phase, Items items) {
  Phase& next = at(phase);
  if (next.streamed) {
    grow(on_host_, &Device::allocate_on_host, UnitMemory::resident_bytes(*next.data));
  }
  for (;;) {
    try {
      grow(on_device_, &Device::allocate,
           device_bytes(*next.data, next.room_items, !next.streamed));
      break;
    } catch (const std::bad_alloc&) {
      if (next.room_items <= items) throw;
      next.room_items = std::max(items, next.room_items / 2);
    }
  }
  places_.begin_phase(*next.data, on_device_.begin, on_device_.bytes, next.room_items,
                      next.streamed ? on_host_.begin : nullptr);
}

std::size_t PhaseMemory::streamed_bytes(const Block& block) const {
  const std::optional<StreamedData>& streamed = at(block.phase).streamed;
  return streamed ? static_cast<std::size_t>(streamed->bytes(static_cast<double>(block.items))) : 0;
}

}  // namespace equipoise
