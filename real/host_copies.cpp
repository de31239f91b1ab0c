// Copies segment by segment.
#include "real/host_copies.hpp"

#include <cstddef>
#include <cstring>
#include <utility>

namespace equipoise {

bool copy_resident(const KernelData& data, const StagedBlock& staged,
                   std::vector<std::uint64_t>& versions) {
  bool has_copied = false;
  for (std::size_t i = 0; i < data.resident.size(); ++i) {
    const ResidentArray& resident = data.resident[i];
    if (std::exchange(versions[i], resident.version) == resident.version) continue;
    std::memcpy(staged.resident[i], resident.data, resident.bytes);
    has_copied = true;
  }
  return has_copied;
}

void copy_in(const KernelData& data, const Block& block, const StagedBlock& staged) {
  for (std::size_t i = 0; i < data.inputs.size(); ++i) {
    std::byte* to = staged.inputs[i];
    for_each_segment(data.inputs[i], block, [&](const std::byte* from, std::size_t bytes) {
      std::memcpy(to, from, bytes);
      to += bytes;
    });
  }
}

void copy_out(const KernelData& data, const Block& block, const StagedBlock& staged) {
  for (std::size_t i = 0; i < data.results.size(); ++i) {
    const std::byte* from = staged.results[i];
    for_each_segment(data.results[i], block, [&](std::byte* to, std::size_t bytes) {
      std::memcpy(to, from, bytes);
      from += bytes;
    });
  }
}

}  // namespace equipoise
