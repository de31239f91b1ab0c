// Tells whether pairs of regulators are what an exhaustive search must find.
#pragma once

#include <cstddef>
#include <span>

#include "real/kernels/grn/pair_search.hpp"
#include "real/kernels/kernel.hpp"

namespace equipoise {

/// The mean conditional entropy in bits of a gene, given two regulators, over `samples` samples: by
/// the frequencies of their four states and of the gene's two.
[[nodiscard]] double mean_conditional_entropy(Samples first, Samples second, Samples gene,
                                              std::size_t samples);

/// Looks for a gene without a pair, with one whose entropy is not the claimed one, or with one that
/// a better pair beats. Of every gene, all pairs that share a regulator with the claimed pair are
/// tried; of one gene in 40, and of three at least, evenly spread, all pairs. Which of several
/// equally good pairs was found is not looked at. `candidates` (candidates), `genes` and `found`
/// (genes). O(genes candidates samples), and O(candidates^2) for the genes of the sample.
[[nodiscard]] Verification check_pairs(std::span<const Samples> candidates, std::size_t samples,
                                       std::span<const Samples> genes,
                                       std::span<const BestPair> found);

}  // namespace equipoise
