// The copies between a kernel's data on the host and a block in a unit's memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "real/devices/device.hpp"
#include "real/kernels/kernel_data.hpp"
#include "shared_policies/model/block.hpp"

namespace equipoise {

/// Calls `copy(to, from, bytes)` for the resident data whose version differs from that in
/// `versions` (resident arrays; 0: not there), which it updates.
template <class Copy>
void for_each_new_resident(const KernelData& data, const StagedBlock& staged,
                           std::vector<std::uint64_t>& versions, Copy&& copy) {
  for (std::size_t i = 0; i < data.resident.size(); ++i) {
    const ResidentArray& resident = data.resident[i];
    if (std::exchange(versions[i], resident.version) == resident.version) continue;
    copy(staged.resident[i], resident.data, resident.bytes);
  }
}

/// Calls `copy(to, from, bytes)` for each contiguous part of the input of `block`.
template <class Copy>
void for_each_input(const KernelData& data, const Block& block, const StagedBlock& staged,
                    Copy&& copy) {
  for (std::size_t i = 0; i < data.inputs.size(); ++i) {
    std::byte* to = staged.inputs[i];
    for_each_segment(data.inputs[i], block, [&](const std::byte* from, std::size_t bytes) {
      copy(to, from, bytes);
      to += bytes;
    });
  }
}

/// Calls `copy(to, from, bytes)` for each contiguous part of the results of `block`.
template <class Copy>
void for_each_result(const KernelData& data, const Block& block, const StagedBlock& staged,
                     Copy&& copy) {
  for (std::size_t i = 0; i < data.results.size(); ++i) {
    const std::byte* from = staged.results[i];
    for_each_segment(data.results[i], block, [&](std::byte* to, std::size_t bytes) {
      copy(to, from, bytes);
      from += bytes;
    });
  }
}

/// Copies the resident data to `staged`, in memory that the host's cores can reach, whose version
/// differs from that in `versions` (resident arrays; 0: not there), which it updates. Returns
/// whether there was any.
inline bool copy_resident(const KernelData& data, const StagedBlock& staged,
                          std::vector<std::uint64_t>& versions) {
  bool has_copied = false;
  for_each_new_resident(data, staged, versions,
                        [&](std::byte* to, const std::byte* from, std::size_t bytes) {
                          std::memcpy(to, from, bytes);
                          has_copied = true;
                        });
  return has_copied;
}
/// Copies the input of `block` to `staged`, in such memory.
inline void copy_in(const KernelData& data, const Block& block, const StagedBlock& staged) {
  for_each_input(data, block, staged, std::memcpy);
}
/// Copies the results of `block` back from such memory.
inline void copy_out(const KernelData& data, const Block& block, const StagedBlock& staged) {
  for_each_result(data, block, staged, std::memcpy);
}

/// Makes all of `parts` with the calling thread, which gives way to others of its priority, such as
/// the controller, after every 256 KiB.
inline void copy_on_host(const std::vector<CopyPart>& parts) {
  constexpr std::size_t copied_at_once = std::size_t{256} << 10;
  for (const CopyPart& part : parts) {
    for (std::size_t at = 0; at < part.bytes; at += copied_at_once) {
      std::memcpy(part.to + at, part.from + at, std::min(copied_at_once, part.bytes - at));
      if (part.bytes > copied_at_once) std::this_thread::yield();
    }
  }
}

/// The bytes of all of `parts`.
[[nodiscard]] inline std::size_t bytes_of(const std::vector<CopyPart>& parts) {
  std::size_t bytes = 0;
  for (const CopyPart& part : parts) bytes += part.bytes;
  return bytes;
}

}  // namespace equipoise
