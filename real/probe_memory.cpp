// Gets memory in powers of two, so that growing leaves at most as much behind as is used.
#include "real/probe_memory.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "real/worker.hpp"

namespace equipoise {
namespace {

constexpr std::size_t area_bytes_max = std::size_t{64} << 20;
/// Probes that are divided into smaller parts would be slowed down by their number.
constexpr std::size_t area_bytes_enough = std::size_t{4} << 20;

std::size_t copied_bytes(double probe_bytes) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(probe_bytes));
}

/// Calls `add(bytes)` for each part of a copy through an area.
template <class Add>
void for_each_part(double probe_bytes, std::size_t area_bytes, Add&& add) {
  for (std::size_t left = copied_bytes(probe_bytes); left > 0;) {
    const std::size_t bytes = std::min(left, area_bytes);
    add(bytes);
    left -= bytes;
  }
}

}  // namespace

void ProbeMemory::grow(Area& area, double probe_bytes) {
  const std::size_t wanted = std::bit_ceil(std::min(copied_bytes(probe_bytes), area_bytes_max));
  const std::size_t least = std::min(wanted, area_bytes_enough);
  for (std::size_t bytes = wanted; area.can_grow && bytes > area.bytes && bytes >= least;
       bytes /= 2) {
    try {
      auto on_host = std::make_shared<BufferOf<std::byte>>(bytes);
      area = {bytes, allocate_(bytes), std::move(on_host), bytes == wanted};
      return;
    } catch (const std::bad_alloc&) {  // a part may do
    }
  }
  if (area.bytes < least) throw BlockFailure("there is too little memory for a probe");
}

ProbeCopies ProbeMemory::copies_of(const Probe& probe) {
  ProbeCopies copies;
  grow(there_, probe.there_bytes);
  for_each_part(probe.there_bytes, there_.bytes, [&](std::size_t bytes) {
    copies.there.push_back({there_.on_unit, there_.on_host->data(), bytes});
  });
  if (probe.back_bytes) {
    grow(back_, *probe.back_bytes);
    for_each_part(*probe.back_bytes, back_.bytes, [&](std::size_t bytes) {
      copies.back.push_back({back_.on_host->data(), back_.on_unit, bytes});
    });
  }
  copies.host = std::make_shared<std::pair<HostMemory, HostMemory>>(there_.on_host, back_.on_host);
  return copies;
}

}  // namespace equipoise
