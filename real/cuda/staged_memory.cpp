// An address on the GPU and its pinned byte have the same distance from the begin of their areas.
#include "real/cuda/staged_memory.hpp"

#include <algorithm>
#include <utility>

#include "real/unit_memory.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// Makes `last` end where `next` ends. Returns false if `next` is not just behind it. Arrays begin
/// at multiples of `array_alignment`, so less than that is padding.
bool extend(CopyPart& last, const CopyPart& next) {
  const std::ptrdiff_t gap = next.to - (last.to + last.bytes);
  const bool is_behind = gap >= 0 && gap < static_cast<std::ptrdiff_t>(array_alignment) &&
                         next.to - last.to == next.from - last.from;
  if (is_behind) last.bytes += static_cast<std::size_t>(gap) + next.bytes;
  return is_behind;
}

}  // namespace

std::byte* StagedMemory::allocate(std::size_t bytes) {
  GpuMemory on_device(pool_, bytes);
  std::byte* const begin = on_device.begin();
  areas_.emplace(begin, Area{bytes, std::move(on_device), PinnedMemory(pool_.host(), bytes)});
  return begin;
}

std::byte* StagedMemory::allocate_on_host(std::size_t bytes) {
  PinnedMemory pinned(pool_.host(), bytes);
  std::byte* const begin = pinned.on_device();
  areas_.emplace(begin, Area{bytes, std::nullopt, std::move(pinned)});
  return begin;
}

bool StagedMemory::is_on_host(const std::byte* memory) const {
  return !area_of(memory).second.on_device;
}

const StagedMemory::Areas::value_type& StagedMemory::area_of(const std::byte* address) const {
  const auto found = std::ranges::find_if(areas_, [&](const auto& entry) {
    const std::ptrdiff_t offset = address - entry.first;
    return offset >= 0 && static_cast<std::size_t>(offset) < entry.second.bytes;
  });
  EQ_CHECK(found != areas_.end(), "copies are to and from memory of the device");
  return *found;
}

std::vector<CopyPart> StagedMemory::stage(std::vector<CopyPart>& parts, bool is_in) const {
  std::vector<CopyPart> transfers;
  for (CopyPart& part : parts) {
    const std::byte* const address = is_in ? part.to : part.from;
    const auto& [begin, area] = area_of(address);
    std::byte* const on_host = area.pinned.begin() + (address - begin);
    CopyPart transfer = part;
    (is_in ? transfer.from : part.from) = on_host;
    (is_in ? part.to : transfer.to) = on_host;
    if (!area.on_device) continue;
    if (transfers.empty() || !extend(transfers.back(), transfer)) transfers.push_back(transfer);
  }
  return transfers;
}

}  // namespace equipoise
