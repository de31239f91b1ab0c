// Copies segment by segment.
#include "real/block_copies.hpp"

#include <cstddef>
#include <cstring>

namespace equipoise {
namespace {

void copy(std::byte* to, const std::byte* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

}  // namespace

bool copy_resident(const KernelData& data, const StagedBlock& staged,
                   std::vector<std::uint64_t>& versions) {
  bool has_copied = false;
  for_each_new_resident(data, staged, versions,
                        [&](std::byte* to, const std::byte* from, std::size_t bytes) {
                          copy(to, from, bytes);
                          has_copied = true;
                        });
  return has_copied;
}

void copy_in(const KernelData& data, const Block& block, const StagedBlock& staged) {
  for_each_input(data, block, staged, copy);
}

void copy_out(const KernelData& data, const Block& block, const StagedBlock& staged) {
  for_each_result(data, block, staged, copy);
}

}  // namespace equipoise
