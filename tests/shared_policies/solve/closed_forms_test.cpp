// Tests of closed forms (straight lines that end together, whole grains in proportion, logarithmic
// speeds) against values worked out by hand.
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "shared_policies/fit/speed_curve.hpp"
#include "shared_policies/solve/equal_finish.hpp"
#include "shared_policies/solve/integer_rounding.hpp"
#include "tests/support/random_seed.hpp"

namespace equipoise::closed_forms_test {
namespace {

constexpr double no_cap = 1e12;

void expect_shares(const std::vector<double>& shares, const std::vector<double>& wanted) {
  ASSERT_EQ(shares.size(), wanted.size());
  for (std::size_t i = 0; i < shares.size(); ++i) EXPECT_NEAR(shares[i], wanted[i], 1e-3);
}

TEST(LineFinish, EndsAllLinesTogether) {
  // The lines 0.1 + 0.01 x, 0.5 + 0.004 x and 2 + 0.002 x.
  std::vector<CostLine> lines = {{0.01, -0.1, no_cap}, {0.004, -0.5, no_cap}, {0.002, -2, no_cap}};
  expect_shares(divide_by_lines(lines, 1000), {241.176, 502.941, 255.882});  // T = 2.511765
  expect_shares(divide_by_lines(lines, 100), {57.143, 42.857, 0});           // T = 0.671429
  expect_shares(divide_by_lines(lines, 10), {10, 0, 0});
  lines[1].cap_items = 200;
  expect_shares(divide_by_lines(lines, 1000), {291.667, 200, 508.333});  // T = 3.016667
}

TEST(LineFinish, TakesLinesThatBeginBelowZero) {
  // The lines x - 1 and 2 x - 1: T = (10 - 1 - 0.5) / 1.5 = 5.667.
  expect_shares(divide_by_lines(std::vector<CostLine>{{1, 1, no_cap}, {2, 1, no_cap}}, 10),
                {6.667, 3.333});
}

TEST(LineFinish, GivesTheCapsWhereTheyHoldTooLittle) {
  expect_shares(divide_by_lines(std::vector<CostLine>{{1, 0, 3}, {2, -5, 4}}, 10), {3, 4});
}

TEST(LineFinish, AgreesWithTheGeneralSolver) {
  const unsigned seed = random_seed();
  SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed));
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.01, 1.0);
  for (int round = 0; round < 50; ++round) {
    std::vector<CostLine> lines;
    std::vector<AffineCurve> curves;
    std::vector<double> caps;
    for (int p = 0; p < 5; ++p) {
      const double fixed_s = 10.0 * uniform(random);
      const double per_item_s = uniform(random);
      caps.push_back(100.0 * uniform(random));
      lines.push_back({per_item_s, -fixed_s, caps.back()});
      curves.emplace_back(fixed_s, per_item_s);
    }
    std::vector<const CostModel*> costs;
    for (const AffineCurve& curve : curves) costs.push_back(&curve);
    const double items = 0.7 * std::reduce(caps.begin(), caps.end());
    expect_shares(divide_by_lines(lines, items), solve_equal_finish({costs, caps, items}).items);
  }
}

using Sizes = std::vector<Items>;

Sizes divide(const std::vector<double>& weights, Items items, Items grain = 1,
             std::vector<Items> caps = {}) {
  if (caps.empty()) caps.assign(weights.size(), 1'000'000);
  return apportion({weights, caps, items, grain});
}

TEST(Apportion, RoundsUpTheLargestRemainders) {
  EXPECT_EQ(divide({1, 2, 7}, 100), (Sizes{10, 20, 70}));
  EXPECT_EQ(divide({1, 1, 1}, 10), (Sizes{4, 3, 3}));
  // Exact shares 588.24, 294.12, 117.65.
  EXPECT_EQ(divide({0.1, 0.05, 0.02}, 1000), (Sizes{588, 294, 118}));
}

TEST(Apportion, DealsInGrains) {
  // 12 grains of 8 items, exact shares 4.8 and 7.2 grains.
  EXPECT_EQ(divide({2, 3}, 100, 8), (Sizes{40, 56}));
  EXPECT_EQ(divide({2, 3}, 5, 8), (Sizes{0, 8}));
}

TEST(Apportion, LeavesNobodyOutWhileThereAreGrainsEnough) {
  EXPECT_EQ(divide({1e-9, 1, 1}, 101), (Sizes{1, 50, 50}));
  // The 22 light units get one grain each. The others share the rest two to one.
  std::vector<double> weights(24, 0.001);
  weights[0] = 100;
  weights[1] = 50;
  const Sizes sizes = divide(weights, 112);
  EXPECT_EQ(sizes[0], 60);
  EXPECT_EQ(sizes[1], 30);
  EXPECT_EQ(sizes[23], 1);
  EXPECT_EQ(divide({1, 3, 2}, 2), (Sizes{0, 1, 1}));
}

TEST(Apportion, GivesToTheOthersWhatACapDoesNotHold) {
  EXPECT_EQ(divide({6, 2, 1}, 90, 1, {30, 1000, 1000}), (Sizes{30, 40, 20}));
  EXPECT_EQ(divide({6, 2, 1}, 90, 1, {30, 10, 20}), (Sizes{30, 10, 20}));
}

TEST(LogSpeed, FitsTheSpeedsOfGrowingBlocks) {
  // The speed grows by seven items per second with every doubling: alpha = 7 / ln 2.
  const std::vector<SpeedSample> samples = {{10, 50}, {20, 57}, {40, 64}, {80, 71}};
  const LogSpeed curve = fit_log_speed(samples);
  EXPECT_NEAR(curve.alpha, 10.0989, 1e-4);
  EXPECT_NEAR(curve.beta, 26.7465, 1e-4);
  EXPECT_NEAR(curve.at(160), 78.0, 1e-9);
  EXPECT_NEAR(curve.at(160) / curve.at(80) - 1.0, 0.0986, 5e-5);  // at 5 % not yet converged
}

TEST(LogSpeed, IsConstantWhereSpeedFallsOrOneSizeIsKnown) {
  const std::vector<SpeedSample> falling = {{10, 50}, {20, 40}};
  EXPECT_DOUBLE_EQ(fit_log_speed(falling).at(1000), 45.0);
  const std::vector<SpeedSample> alone = {{10, 50}, {10, 60}};
  EXPECT_DOUBLE_EQ(fit_log_speed(alone).at(1000), 55.0);
}

}  // namespace
}  // namespace equipoise::closed_forms_test
