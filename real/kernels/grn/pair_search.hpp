// Finds the pair of regulators that predicts a gene best, by exhaustive search over binarised
// expression, and checks that pairs are those that such a search must find.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "real/kernels/buffer.hpp"
#include "real/kernels/kernel_data.hpp"

namespace equipoise {

/// The most samples of a gene.
inline constexpr std::size_t samples_max = 64;
/// Pairs of regulators are numbered in 32 bits, which limits the number of candidates.
inline constexpr std::size_t candidates_max = 32768;

/// The set of samples in which a gene is active, one bit per sample, starting at the lowest bit.
using SampleBits = std::uint64_t;

/// The first `count` samples, 1 to `samples_max`.
constexpr SampleBits all_samples(std::size_t count) {
  return ~SampleBits{0} >> (samples_max - count);
}

/// The pair of regulators that predicts a gene best, first < second, and its entropy.
struct BestPair {
  std::int32_t first = -1;
  std::int32_t second = -1;
  /// Number of samples times the mean conditional entropy of the gene, given the pair, in units of
  /// 2^-24 bit.
  std::int32_t entropy = -1;
};
inline constexpr double entropy_unit_bits = 0x1p-24;

/// The entries of `RegulatorTables::table` for `n` samples: one for each way to divide up to n
/// samples into four, (n + 4 over 4).
constexpr std::size_t table_entries(std::size_t n) {
  return (n + 1) * (n + 2) / 2 * (n + 3) / 3 * (n + 4) / 4;
}

/// What a search needs to know about the regulators, in the layouts that the loop reads.
struct RegulatorTables {
  const SampleBits* active;    ///< (candidates)
  const std::uint8_t* planes;  ///< (samples, candidates rounded up to 64): 1 where active
  const std::int32_t* begins;  ///< (65, 65) where the table for a kind of half begins
  const std::int32_t* table;   ///< see pair_search.cpp
  std::size_t candidates;
  std::size_t samples;
};

/// Those of a block, which are its resident data.
[[nodiscard]] inline RegulatorTables regulator_tables(const StagedBlock& block,
                                                      std::size_t candidates, std::size_t samples) {
  return {block.kept<SampleBits>(0),
          block.kept<std::uint8_t>(1),
          block.kept<std::int32_t>(2),
          block.kept<std::int32_t>(3),
          candidates,
          samples};
}

/// The arrays of RegulatorTables.
class Regulators {
 public:
  Regulators() = default;
  /// Makes them from the activity of each candidate (2 to `candidates_max`) in 1 to `samples_max`
  /// samples. O(samples^4).
  Regulators(std::span<const SampleBits> candidates, std::size_t samples);
  /// The memory of such an object in bytes.
  [[nodiscard]] static double bytes(std::size_t candidates, std::size_t samples);

  [[nodiscard]] RegulatorTables tables() const {
    return {active_.data(), planes_.data(), begins_.data(), table_.data(), candidates_, samples_};
  }
  /// The arrays in that order.
  [[nodiscard]] std::vector<ResidentArray> resident() const {
    return {resident_array(active_.span()), resident_array(planes_.span()),
            resident_array(begins_.span()), resident_array(table_.span())};
  }
  [[nodiscard]] std::vector<FixedArray> fixed() const {
    return {active_.fixed(), planes_.fixed(), begins_.fixed(), table_.fixed()};
  }

 private:
  std::size_t candidates_ = 0;
  std::size_t samples_ = 0;
  BufferOf<SampleBits> active_;
  BufferOf<std::uint8_t> planes_;
  BufferOf<std::int32_t> begins_;
  BufferOf<std::int32_t> table_;
};

/// Tries all pairs of candidates for each gene and keeps the pair with the least mean conditional
/// entropy; of equally good pairs, the first in the order of (first, second).
///
///     H(Y | A, B) = sum over the four states x of (A, B) of  n_x / n  h(ones_x / n_x),
///     h(p) = -p log2 p - (1 - p) log2 (1 - p)
///
/// `genes` (count) are the activities of the genes to be predicted, in the same samples. There are
/// at least two candidates. The result for a gene depends only on the gene and the regulators, and
/// is the same on every CPU. O(count candidates^2 samples / 64) operations on byte vectors and
/// O(count candidates^2) look-ups.
///
/// Source: Martins-Jr, Cesar, Dougherty, Barrera (2008); Borelli et al. (2013), who search pairs on
/// GPUs. Here, states that were never observed get no penalty.
void find_best_pairs(const RegulatorTables& regulators, const SampleBits* genes, std::size_t count,
                     BestPair* best);

/// Checks that every gene has a pair, that the pair has the stated entropy, and that no better pair
/// exists. For every gene, tries all pairs that share a regulator with the pair found; for one gene
/// in 40 and at least three genes, evenly spread, tries all pairs. Accepts any of several equally
/// good pairs. `candidates` (candidates), `genes` and `found` (genes). O(genes candidates samples),
/// and O(candidates^2) for each gene whose pairs are all tried.
[[nodiscard]] Verification check_pairs(std::span<const SampleBits> candidates, std::size_t samples,
                                       std::span<const SampleBits> genes,
                                       std::span<const BestPair> found);

}  // namespace equipoise
