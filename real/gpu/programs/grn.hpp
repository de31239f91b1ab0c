// Inference of gene regulatory networks on GPUs: the best pair of regulators of each gene.
#pragma once

#include <cstddef>

#include "real/gpu/stream.hpp"
#include "real/kernels/grn/pair_search.hpp"

namespace equipoise {

/// Loads the kernels onto the current device, so that no launch waits for that. Throws as
/// check_cuda does.
void load_grn();
/// Enqueues the search for the best pairs of `count` genes on `stream`. `regulators`, `genes` and
/// `best` are in the device's memory. Finds the pairs and the entropies that `find_best_pairs`
/// finds.
void launch_grn(const Stream& stream, const RegulatorTables& regulators, const Samples* genes,
                std::size_t count, BestPair* best);

}  // namespace equipoise
