// Tests of gene network inference: genes worked out by hand, and wrong pairs that the check must
// find.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/kernels/grn/pair_search.hpp"
#include "real/kernels/seeded.hpp"
#include "tests/support/computed_blocks.hpp"

namespace equipoise::grn_test {
namespace {

using Genes = std::vector<SampleBits>;

Genes scattered(std::size_t count, std::size_t samples, std::uint64_t seed) {
  Genes genes(count, 0);
  for (std::size_t i = 0; i < count * samples; ++i) {
    const bool active = seeded_number(seed, i, 0.0, 1.0) < 0.5;
    genes[i / samples] |= SampleBits{active} << i % samples;
  }
  return genes;
}

std::vector<BestPair> found(const Genes& candidates, std::size_t samples, const Genes& genes) {
  const Regulators regulators(candidates, samples);
  std::vector<BestPair> best(genes.size());
  find_best_pairs(regulators.tables(), genes.data(), genes.size(), best.data());
  return best;
}

/// The mean conditional entropy of a gene in bits, given two regulators, over `samples` samples:
/// from how often the gene is active in each of the regulators' four states.
double mean_conditional_entropy(SampleBits first, SampleBits second, SampleBits gene,
                                std::size_t samples) {
  std::array<double, 4> times{};
  std::array<double, 4> active{};
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t state = (first >> i & 1U) * 2 + (second >> i & 1U);
    times[state] += 1.0;
    active[state] += static_cast<double>(gene >> i & 1U);
  }
  double bits = 0.0;
  for (std::size_t state = 0; state < 4; ++state) {
    for (const double n : {active[state], times[state] - active[state]}) {
      if (n > 0.0) bits -= n * std::log2(n / times[state]);
    }
  }
  return bits / static_cast<double>(samples);
}

/// The first of the best pairs, found by trying all pairs in order.
BestPair tried(const Genes& candidates, std::size_t samples, SampleBits gene) {
  BestPair best;
  double least_bits = 1e9;
  for (std::size_t a = 0; a < candidates.size(); ++a) {
    for (std::size_t b = a + 1; b < candidates.size(); ++b) {
      const double bits = mean_conditional_entropy(candidates[a], candidates[b], gene, samples);
      if (bits > least_bits - 1e-7) continue;
      least_bits = bits;
      best.first = static_cast<std::int32_t>(a);
      best.second = static_cast<std::int32_t>(b);
    }
  }
  return best;
}

/// The entropy of `gene` over all samples in bits, given the only two regulators.
double entropy_bits(SampleBits first, SampleBits second, SampleBits gene, std::size_t samples) {
  const Genes pair = {first, second};
  const std::vector<BestPair> best = found(pair, samples, {gene});
  const Verification check = check_pairs(pair, samples, Genes{gene}, best);
  EXPECT_TRUE(check.passed) << check.what;
  return best[0].entropy * entropy_unit_bits;
}

TEST(Grn, KnowsTheEntropyOfAGeneByHand) {
  // The four states of (A, B) occur in two samples each. Y follows A in three of them. In the
  // fourth, Y is active once, which is one bit in each of two samples.
  EXPECT_NEAR(entropy_bits(0b11110000, 0b11001100, 0b11010000, 8), 2.0, 1e-6);
  // In one state, which has four samples, Y is active in one of four: h(1/4). In the other state Y
  // is certain.
  EXPECT_NEAR(entropy_bits(0b11110000, 0b11110000, 0b00010000, 8), 4.0 * 0.8112781244591328, 1e-6);
  EXPECT_EQ(entropy_bits(0b0011, 0b0101, 0b0110, 4), 0.0);  // exclusive or
  EXPECT_NEAR(entropy_bits(0b0011, 0b0011, 0b0101, 4), 4.0, 1e-6);
}

TEST(Grn, FindsTheTwoThatTogetherTellEverything) {
  // Y = C1 xor C3. C0 alone agrees with Y in seven of eight samples, C1 and C3 alone in four.
  const Genes candidates = {0b01101101, 0b00110011, 0b11111111, 0b01011010};
  const std::vector<BestPair> best =
      found(candidates, 8, {SampleBits{0b00110011} ^ SampleBits{0b01011010}});
  EXPECT_EQ(best[0].first, 1);
  EXPECT_EQ(best[0].second, 3);
  EXPECT_EQ(best[0].entropy, 0);
}

TEST(Grn, TakesTheFirstOfEquallyGoodPairs) {
  const Genes candidates(150, 0b1010);  // more than two strips of 64 candidates, all equal
  const std::vector<BestPair> best = found(candidates, 4, {0b1010, 0b1100});
  for (const BestPair& pair : best) {
    EXPECT_EQ(pair.first, 0);
    EXPECT_EQ(pair.second, 1);
  }
  EXPECT_EQ(best[0].entropy, 0);
  EXPECT_EQ(best[1].entropy * entropy_unit_bits, 4.0);  // one bit in each of four samples
}

TEST(Grn, FindsWhatTryingEveryPairFinds) {
  for (const std::size_t samples : {1, 2, 7, 20, 64}) {
    for (const std::size_t candidates : {2, 3, 64, 65, 130}) {
      const Genes regulators = scattered(candidates, samples, 1);
      const Genes genes = scattered(5, samples, 2);
      const std::vector<BestPair> best = found(regulators, samples, genes);
      for (std::size_t g = 0; g < genes.size(); ++g) {
        const BestPair expected = tried(regulators, samples, genes[g]);
        EXPECT_EQ(best[g].first, expected.first) << samples << " samples, " << candidates;
        EXPECT_EQ(best[g].second, expected.second) << samples << " samples, " << candidates;
      }
      const Verification check = check_pairs(regulators, samples, genes, best);
      EXPECT_TRUE(check.passed) << check.what;
    }
  }
}

/// A hundred random genes and their best pairs.
struct Predicted {
  Genes candidates = scattered(40, 12, 1);
  Genes genes = scattered(100, 12, 2);
  std::vector<BestPair> pairs = found(candidates, 12, genes);

  [[nodiscard]] Verification check() const { return check_pairs(candidates, 12, genes, pairs); }
  /// The claim that this pair is the best one, with the pair's true entropy.
  [[nodiscard]] BestPair claim(std::int32_t first, std::int32_t second, std::size_t gene) const {
    const double bits = 12.0 * mean_conditional_entropy(
                                   candidates[static_cast<std::size_t>(first)],
                                   candidates[static_cast<std::size_t>(second)], genes[gene], 12);
    return {first, second, static_cast<std::int32_t>(std::lround(bits / entropy_unit_bits))};
  }
};

TEST(Grn, NoticesAWrongPairWhereverItIs) {
  for (const std::size_t at : {0, 47, 99}) {
    Predicted predicted;
    const BestPair right = predicted.pairs[at];
    BestPair worse = predicted.claim(5, 39, at);
    EXPECT_GT(worse.entropy, right.entropy);
    for (const BestPair& wrong : {worse, BestPair{right.first, right.second, right.entropy + 4},
                                  BestPair{right.first, right.second, right.entropy - 1'000'000},
                                  BestPair{right.second, right.first, right.entropy},
                                  BestPair{right.first, right.first, right.entropy},
                                  BestPair{0, 40, right.entropy}, BestPair{}}) {
      predicted.pairs[at] = wrong;
      const Verification check = predicted.check();
      EXPECT_FALSE(check.passed);
      EXPECT_TRUE(check.what.starts_with("gene " + std::to_string(at) + " has ")) << check.what;
    }
    predicted.pairs[at] = right;
    EXPECT_TRUE(predicted.check().passed) << predicted.check().what;
  }
}

TEST(Grn, NoticesThatOneRegulatorShouldBeAnother) {
  Predicted predicted;
  for (const std::size_t at : {1, 50, 98}) {
    const BestPair right = predicted.pairs[at];
    const std::int32_t other = right.second == 39 ? 38 : 39;
    const BestPair wrong =
        predicted.claim(std::min(right.first, other), std::max(right.first, other), at);
    if (wrong.entropy == right.entropy || right.first == other) continue;
    predicted.pairs[at] = wrong;
    const Verification check = predicted.check();
    EXPECT_FALSE(check.passed);
    EXPECT_TRUE(check.what.starts_with("gene " + std::to_string(at) + " has ")) << check.what;
    predicted.pairs[at] = right;
  }
}

TEST(Grn, DescribesItsWorkload) {
  const auto kernel = make_kernel(
      "grn", {{"genes", "2e6"}, {"candidates", "100"}, {"samples", "16"}}, "--workload");
  const Workload& workload = kernel->workload();
  EXPECT_EQ(workload.items, 2'000'000);
  EXPECT_EQ(workload.in_bytes_per_item, 8.0);
  EXPECT_EQ(workload.out_bytes_per_item, 12.0);
  EXPECT_EQ(workload.memory_bytes_per_item, 20.0);
  // 100 sets of samples, 16 rows of 128 bytes, tables of 65^2 offsets and (20 over 4) entropies.
  EXPECT_EQ(workload.resident_bytes, 800.0 + 16.0 * 128.0 + 4.0 * (4225.0 + 4845.0));
  EXPECT_EQ(workload.flop_per_item, 4950.0 * 16.0);
  EXPECT_EQ(kernel->workload().problem,
            (std::map<std::string, double>{{"candidates", 100.0}, {"samples", 16.0}}));
  EXPECT_GE(kernel->host_bytes(), 2e6 * 20.0);
}

TEST(Grn, RefusesWhatIsOutOfRange) {
  EXPECT_EQ(refusal_of_kernel("grn", {{"genes", "140000"}}), "not refused");
  EXPECT_NE(refusal_of_kernel("grn", {{"genes", "0"}}).find("at least one item"),
            std::string::npos);
  EXPECT_NE(refusal_of_kernel("grn", {{"candidates", "1"}}).find("candidates"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("grn", {{"candidates", "32769"}}).find("candidates"),
            std::string::npos);
  EXPECT_NE(refusal_of_kernel("grn", {{"samples", "0"}}).find("samples"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("grn", {{"samples", "65"}}).find("samples"), std::string::npos);
  EXPECT_NE(
      refusal_of_kernel("grn", {{"genes", "5e15"}, {"candidates", "32768"}}).find("overflows"),
      std::string::npos);
}

}  // namespace
}  // namespace equipoise::grn_test
