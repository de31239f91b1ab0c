// Checks that pairs of regulators are those that an exhaustive search must find.
#pragma once

#include <cstddef>
#include <span>

#include "real/kernels/grn/pair_search.hpp"
#include "real/kernels/kernel.hpp"

namespace equipoise {

/// Checks that every gene has a pair, that the pair has the stated entropy, and that no better pair
/// exists. For every gene, tries all pairs that share a regulator with the pair found; for one gene
/// in 40 and at least three genes, evenly spread, tries all pairs. Accepts any of several equally
/// good pairs. `candidates` (candidates), `genes` and `found` (genes). O(genes candidates samples),
/// and O(candidates^2) for each gene whose pairs are all tried.
[[nodiscard]] Verification check_pairs(std::span<const Samples> candidates, std::size_t samples,
                                       std::span<const Samples> genes,
                                       std::span<const BestPair> found);

}  // namespace equipoise
