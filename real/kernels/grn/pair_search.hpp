// Which pair of regulators predicts a gene best: exhaustive search over binarised expression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "real/kernels/buffer.hpp"

namespace equipoise {

/// A gene is measured at most so often.
inline constexpr std::size_t samples_max = 64;
/// Pairs of regulators are numbered in 32 bits.
inline constexpr std::size_t candidates_max = 32768;

/// The samples in which a gene is active, one bit each, from the lowest.
using Samples = std::uint64_t;

/// The first `count` samples, 1 to `samples_max`.
constexpr Samples all_samples(std::size_t count) { return ~Samples{0} >> (samples_max - count); }

/// The pair of regulators that predicts a gene best, first < second, and how well.
struct BestPair {
  std::int32_t first = -1;
  std::int32_t second = -1;
  /// Samples times the mean conditional entropy of the gene, given the pair, in units of 2^-24 bit.
  std::int32_t entropy = -1;
};
inline constexpr double entropy_unit_bits = 0x1p-24;

/// What a search needs to know of the regulators, in the shapes in which the loop reads it.
class Regulators {
 public:
  Regulators() = default;
  /// Room for so many candidates (2 to `candidates_max`) and samples (1 to `samples_max`).
  Regulators(std::size_t candidates, std::size_t samples);
  /// Memory of one such object.
  [[nodiscard]] static double bytes(std::size_t candidates, std::size_t samples);

  /// Takes in what each candidate (candidates) did, and makes the table. O(samples^4).
  void set(std::span<const Samples> candidates);
  /// Takes over all that `other`, of the same size, holds.
  void copy_from(const Regulators& other);

 private:
  friend void find_best_pairs(const Regulators& regulators, const Samples* genes, std::size_t count,
                              BestPair* best);

  std::size_t candidates_ = 0;
  std::size_t samples_ = 0;
  BufferOf<Samples> active_;       ///< (candidates)
  BufferOf<std::uint8_t> planes_;  ///< (samples, candidates rounded up to 64): 1 where active
  BufferOf<std::int32_t> begins_;  ///< (65, 65): where the table of a kind of half begins
  BufferOf<std::int32_t> table_;   ///< see pair_search.cpp
};

/// For each gene, tries all pairs of candidates and keeps the one with the least mean conditional
/// entropy; of equally good ones, the first in the order of (first, second).
///
///     H(Y | A, B) = sum over the four states x of (A, B) of  n_x / n  h(ones_x / n_x),
///     h(p) = -p log2 p - (1 - p) log2 (1 - p)
///
/// `genes` (count) are the activities of the genes to be predicted, in the same samples. At least
/// two candidates. A gene's result depends on it and the regulators alone; every CPU gives the
/// same. O(count candidates^2 samples / 64) byte vectors and O(count candidates^2) look-ups.
///
/// Source: Martins-Jr, Cesar, Dougherty, Barrera (2008); Borelli et al. (2013), who search pairs on
/// GPUs. States that were never seen get no penalty here.
void find_best_pairs(const Regulators& regulators, const Samples* genes, std::size_t count,
                     BestPair* best);

}  // namespace equipoise
