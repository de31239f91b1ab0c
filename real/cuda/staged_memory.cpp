// An address on the GPU and its pinned byte have the same distance from the begin of their areas.
#include "real/cuda/staged_memory.hpp"

#include <utility>

#include "real/unit_memory.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// Makes `last` end where `next` ends. Returns false if `next` is not just behind it. Arrays begin at
/// multiples of `array_alignment`, so less than that is padding.
bool extend(CopyPart& last, const CopyPart& next) {
  const std::ptrdiff_t gap = next.to - (last.to + last.bytes);
  const bool is_behind = gap >= 0 && gap < static_cast<std::ptrdiff_t>(array_alignment) &&
                         next.to - last.to == next.from - last.from;
  if (is_behind) last.bytes += static_cast<std::size_t>(gap) + next.bytes;
  return is_behind;
}

}  // namespace

std::byte* StagedMemory::allocate(std::size_t bytes) {
  Area area(pool_, bytes);
  std::byte* const begin = area.on_device.begin();
  areas_.emplace(begin, std::move(area));
  return begin;
}

std::byte* StagedMemory::pinned(const std::byte* on_device) const {
  for (const auto& [begin, area] : areas_) {
    const std::ptrdiff_t offset = on_device - begin;
    if (offset >= 0 && static_cast<std::size_t>(offset) < area.bytes) {
      return area.pinned.begin() + offset;
    }
  }
  EQ_CHECK(false, "copies are to and from memory of the device");
  return nullptr;
}

std::vector<CopyPart> StagedMemory::stage(std::vector<CopyPart>& parts, bool is_in) const {
  std::vector<CopyPart> transfers;
  for (CopyPart& part : parts) {
    std::byte* const on_host = pinned(is_in ? part.to : part.from);
    CopyPart transfer = part;
    (is_in ? transfer.from : part.from) = on_host;
    (is_in ? part.to : transfer.to) = on_host;
    if (transfers.empty() || !extend(transfers.back(), transfer)) transfers.push_back(transfer);
  }
  return transfers;
}

}  // namespace equipoise
