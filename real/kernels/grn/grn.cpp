// Inference of gene regulatory networks: for every gene, an exhaustive search for the two
// regulators that predict it best.
//
// One item is one target gene and stands for all pairs of the `candidates` regulators as its
// predictors: candidates (candidates - 1) / 2 gene sets. Expression is binarised. The regulators'
// states at one time predict the target's state at the next time, in `samples` pairs of times.
// Regulators stay on the unit. A target's samples (one bit each, 8 bytes) are copied to the unit;
// the best pair and its mean conditional entropy (12 bytes) are copied back.
//
// Source: Borelli, de Camargo, Martins-Jr, Rozante (2013), whose program PLB-HeC, PLB-HAC and
// DLB-GPU divide gene by gene. These three papers give 60,000 to 2,000,000 genes and times that
// grow no faster than the number of genes, so each gene must be searched among a fixed number of
// candidates. They state neither the number of candidates nor the number of samples.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/kernels/grn/pair_search.hpp"
#include "real/kernels/seeded.hpp"

namespace equipoise {
namespace {

constexpr std::size_t searched_share = 40;  ///< one gene in 40 is searched again
constexpr std::size_t searched_min = 3;
/// The computed entropy is a sum of four rounded numbers.
constexpr double tolerance_bits = 3.0 * entropy_unit_bits;

std::size_t count(SampleBits set) { return static_cast<std::size_t>(std::popcount(set)); }

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
  GeneCheck(std::span<const SampleBits> candidates, std::span<const double> entropies,
            SampleBits gene, std::size_t samples)
      : candidates_(candidates), entropies_(entropies), gene_(gene), samples_(samples) {}

  [[nodiscard]] double entropy(std::size_t first, std::size_t second) const {
    const SampleBits a = candidates_[first];
    const SampleBits b = candidates_[second];
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

  std::span<const SampleBits> candidates_;
  std::span<const double> entropies_;  ///< (65, 65) weighted_entropy at [n][ones]
  SampleBits gene_;
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

Verification check_pairs(std::span<const SampleBits> candidates, std::size_t samples,
                         std::span<const SampleBits> genes, std::span<const BestPair> found) {
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

namespace {

struct GrnSize {
  std::size_t genes;
  std::size_t candidates;
  std::size_t samples;
};

class Grn final : public Kernel {
 public:
  explicit Grn(const Parameters& parameters)
      : Kernel("grn", "gene", parameters.items("genes", 0), parameters),
        size_{count(), static_cast<std::size_t>(parameters.items("candidates", 2, candidates_max)),
              static_cast<std::size_t>(parameters.items("samples", 1, samples_max))} {
    const auto candidates = static_cast<double>(size_.candidates);
    const auto samples = static_cast<double>(size_.samples);
    set_bytes(sizeof(SampleBits), sizeof(BestPair),
              Regulators::bytes(size_.candidates, size_.samples), candidates * sizeof(SampleBits));
    // Integer operations; there are no others. For each pair: an addition for every sample in which
    // the first regulator is active, which is half of them; two multiplications and four additions
    // and subtractions to find the places in the table; adding the entries, and comparing.
    workload_.flop_per_item = 0.5 * candidates * (candidates - 1.0) * (0.5 * samples + 8.0);
    set_problem("genes", {{"candidates", candidates}, {"samples", samples}});
  }

  void allocate(std::uint64_t seed) override {
    candidates_ = BufferOf<SampleBits>(size_.candidates);
    genes_ = BufferOf<SampleBits>(size_.genes);
    found_ = BufferOf<BestPair>(size_.genes);
    const SampleBits every = all_samples(size_.samples);
    for (std::size_t c = 0; c < size_.candidates; ++c) {
      candidates_.data()[c] = seeded_bits(seed, c) & every;
    }
    regulators_ = Regulators(candidates_.span(), size_.samples);
    for (std::size_t g = 0; g < size_.genes; ++g) {
      genes_.data()[g] = regulated_gene(seed, g) & every;
    }
    data_ = {{input_rows(genes_.data())},
             {result_rows(found_.data())},
             regulators_.resident(),
             regulators_.fixed()};
    data_.fixed.push_back(genes_.fixed());
    clear_results();
  }

  void clear_results() override { std::ranges::fill(found_.span(), BestPair{}); }

  CpuProgram make_cpu_program() const override {
    return [size = size_](const StagedBlock& block, std::size_t first, std::size_t items) {
      find_best_pairs(regulator_tables(block, size.candidates, size.samples),
                      block.input<SampleBits>(0) + first, items, block.result<BestPair>(0) + first);
    };
  }

  Verification verify() const override {
    return check_pairs(candidates_.span(), size_.samples, genes_.span(), found_.span());
  }

 private:
  static SampleBits seeded_bits(std::uint64_t seed, std::uint64_t position) {
    constexpr double half = 0x1p32;
    const auto low = static_cast<SampleBits>(seeded_number(seed, 2 * position, 0.0, half));
    const auto high = static_cast<SampleBits>(seeded_number(seed, 2 * position + 1, 0.0, half));
    return high << 32 | low;
  }

  /// A Boolean function of two candidates that is wrong in one sample of eight.
  [[nodiscard]] SampleBits regulated_gene(std::uint64_t seed, std::uint64_t gene) const {
    const std::uint64_t position = (std::uint64_t{1} << 60) + 8 * gene;
    const auto draw = [&](std::uint64_t offset, double below) {
      return static_cast<std::size_t>(seeded_number(seed, position + offset, 0.0, below));
    };
    const SampleBits a = candidates_.data()[draw(0, static_cast<double>(size_.candidates))];
    const SampleBits b = candidates_.data()[draw(1, static_cast<double>(size_.candidates))];
    const std::size_t truth = draw(2, 16.0);
    const SampleBits states[] = {~a & ~b, a & ~b, ~a & b, a & b};
    SampleBits active = 0;
    for (std::size_t state = 0; state < 4; ++state) {
      if ((truth >> state & 1) != 0) active |= states[state];
    }
    const std::uint64_t noise = 4 * gene + (std::uint64_t{1} << 58);
    return active ^
           (seeded_bits(seed, noise) & seeded_bits(seed, noise + 1) & seeded_bits(seed, noise + 2));
  }

  GrnSize size_;
  BufferOf<SampleBits> candidates_;  ///< (candidates)
  Regulators regulators_;            ///< computed from the candidates
  BufferOf<SampleBits> genes_;       ///< (genes)
  BufferOf<BestPair> found_;         ///< (genes)
};

}  // namespace

std::unique_ptr<Kernel> make_grn(const Parameters& parameters) {
  return std::make_unique<Grn>(parameters);
}

}  // namespace equipoise
