// How many blocks policies will make, as far as it is known before a run.
#pragma once

#include <span>
#include <string>

#include "shared_policies/model/workload.hpp"
#include "tools/runs/run_plan.hpp"

namespace equipoise {

/// A run of more blocks takes long, and so does everything that reads its file.
inline constexpr double many_blocks = 1e6;

/// The blocks of a run of `policy`, over all phases and iterations, if its parameters alone say how
/// large they are (`ss`, and `greedy` with `pieces` or `initial_block_items` given); else 0.
[[nodiscard]] double blocks_beforehand(const PolicyChoice& policy,
                                       std::span<const Workload> phases);

/// A sentence for the policy with the most blocks, if these are more than `many_blocks`: how many
/// there are, and which parameter makes fewer; else empty.
[[nodiscard]] std::string many_blocks_text(std::span<const PolicyChoice> policies,
                                           std::span<const Workload> phases);

}  // namespace equipoise
