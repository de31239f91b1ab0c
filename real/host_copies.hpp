// Copies between a kernel's data and a block in memory that the host's cores can reach.
#pragma once

#include <cstdint>
#include <vector>

#include "real/kernels/kernel_data.hpp"
#include "real/kernels/staged_block.hpp"
#include "shared_policies/model/block.hpp"

namespace equipoise {

/// Copies the resident data to `staged` whose version differs from that in `versions` (resident
/// arrays; 0: not there), which it updates. Returns whether there was any.
bool copy_resident(const KernelData& data, const StagedBlock& staged,
                   std::vector<std::uint64_t>& versions);
/// Copies the input of `block` to `staged`.
void copy_in(const KernelData& data, const Block& block, const StagedBlock& staged);
/// Copies the results of `block` back.
void copy_out(const KernelData& data, const Block& block, const StagedBlock& staged);

}  // namespace equipoise
