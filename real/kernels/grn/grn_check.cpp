// Computes entropies from frequencies in sets of samples.
#include "real/kernels/grn/grn_check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace equipoise {
namespace {

constexpr std::size_t searched_share = 40;  ///< one gene in 40 is searched again
constexpr std::size_t searched_min = 3;
/// The computed entropy is a sum of four rounded numbers.
constexpr double tolerance_bits = 3.0 * entropy_unit_bits;

std::size_t count(Samples set) { return static_cast<std::size_t>(std::popcount(set)); }

/// The entropy in bits of an event with this frequency.
double binary_entropy(double frequency) {
  if (frequency <= 0.0 || frequency >= 1.0) return 0.0;
  return -frequency * std::log2(frequency) - (1.0 - frequency) * std::log2(1.0 - frequency);
}

/// The contribution of `n` samples, with the gene active in `ones` of them: n h(ones / n).
double weighted_entropy(std::size_t ones, std::size_t n) {
  if (n == 0) return 0.0;
  return static_cast<double>(n) *
         binary_entropy(static_cast<double>(ones) / static_cast<double>(n));
}

/// All pairs of candidates for one gene. Entropies are multiplied by the number of samples.
class GeneCheck {
 public:
  GeneCheck(std::span<const Samples> candidates, std::span<const double> entropies, Samples gene,
            std::size_t samples)
      : candidates_(candidates), entropies_(entropies), gene_(gene), samples_(samples) {}

  [[nodiscard]] double entropy(std::size_t first, std::size_t second) const {
    const Samples a = candidates_[first];
    const Samples b = candidates_[second];
    const std::size_t sizes[] = {count(a & b), count(a), count(b), samples_};
    const std::size_t ones[] = {count(a & b & gene_), count(a & gene_), count(b & gene_),
                                count(gene_)};
    return of(ones[0], sizes[0]) + of(ones[1] - ones[0], sizes[1] - sizes[0]) +
           of(ones[2] - ones[0], sizes[2] - sizes[0]) +
           of(ones[3] - ones[1] - ones[2] + ones[0], sizes[3] - sizes[1] - sizes[2] + sizes[0]);
  }

  /// The partner that predicts best together with `candidate`. Returns `candidate` itself if no
  /// pair has an entropy below `least`; otherwise lowers `least` to the entropy found.
  std::size_t better_partner(std::size_t candidate, std::size_t from, double& least) const {
    std::size_t partner = candidate;
    for (std::size_t other = from; other < candidates_.size(); ++other) {
      if (other == candidate) continue;
      const double found = entropy(candidate, other);
      if (found >= least) continue;
      least = found;
      partner = other;
    }
    return partner;
  }

 private:
  [[nodiscard]] double of(std::size_t ones, std::size_t n) const {
    return entropies_[n * (samples_max + 1) + ones];
  }

  std::span<const Samples> candidates_;
  std::span<const double> entropies_;  ///< (65, 65) weighted_entropy at [n][ones]
  Samples gene_;
  std::size_t samples_;
};

/// A description of the error in the pair, or empty if none. Tries all pairs, or only those that
/// share a regulator with `claimed`.
std::string fault_of(const GeneCheck& check, const BestPair& claimed, std::size_t candidates,
                     bool tries_all) {
  if (claimed.first < 0 || claimed.second <= claimed.first ||
      static_cast<std::size_t>(claimed.second) >= candidates) {
    return fmt::format("has no pair of regulators, but ({}, {})", claimed.first, claimed.second);
  }
  const auto first = static_cast<std::size_t>(claimed.first);
  const auto second = static_cast<std::size_t>(claimed.second);
  const double entropy_bits = claimed.entropy * entropy_unit_bits;
  const double expected_bits = check.entropy(first, second);
  if (std::abs(entropy_bits - expected_bits) > tolerance_bits) {
    return fmt::format(
        "has {:.17g} bits of conditional entropy with its pair ({}, {}), not {:.17g}",
        expected_bits, first, second, entropy_bits);
  }
  std::vector<std::size_t> tried = {first, second};
  if (tries_all) {
    for (std::size_t c = 0; c < candidates; ++c) tried.push_back(c);
  }
  for (std::size_t i = 0; i < tried.size(); ++i) {
    double least = expected_bits - tolerance_bits;
    const std::size_t partner = check.better_partner(tried[i], i < 2 ? 0 : tried[i] + 1, least);
    if (partner == tried[i]) continue;
    return fmt::format(
        "has {:.17g} bits of conditional entropy with its pair ({}, {}), but {:.17g} by ({}, {})",
        expected_bits, first, second, least, tried[i], partner);
  }
  return {};
}

}  // namespace

Verification check_pairs(std::span<const Samples> candidates, std::size_t samples,
                         std::span<const Samples> genes, std::span<const BestPair> found) {
  std::vector<double> entropies((samples_max + 1) * (samples_max + 1), 0.0);
  for (std::size_t n = 0; n <= samples; ++n) {
    for (std::size_t ones = 0; ones <= n; ++ones) {
      entropies[n * (samples_max + 1) + ones] = weighted_entropy(ones, n);
    }
  }
  const std::size_t searched = genes.size() / searched_share + searched_min;
  const std::size_t step = std::max<std::size_t>(genes.size() / searched, 1);
  for (std::size_t g = 0; g < genes.size(); ++g) {
    const GeneCheck check(candidates, entropies, genes[g], samples);
    const std::string fault = fault_of(check, found[g], candidates.size(), g % step == 0);
    if (!fault.empty()) return {false, fmt::format("gene {} {}", g, fault)};
  }
  return {true, fmt::format("the pairs of {} genes have the entropy that was claimed, and no "
                            "better one among those that were searched again",
                            genes.size())};
}

}  // namespace equipoise
