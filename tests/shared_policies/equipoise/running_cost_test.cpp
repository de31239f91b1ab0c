// Tests of RunningCost, a cost learned block by block: lines, changes and outliers.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "shared_policies/policies/equipoise/block_costs.hpp"
#include "tests/support/random_seed.hpp"

namespace equipoise::running_cost_test {
namespace {

TEST(RunningCost, IsTheLineThatBlocksLieOn) {
  RunningCost cost;
  for (int blocks = 0; blocks < 200; ++blocks) {
    for (const double items : {1.0, 10.0, 100.0, 1000.0}) cost.add(items, 0.1 + 0.01 * items);
  }
  EXPECT_NEAR(cost.fixed_s(), 0.1, 1e-4);
  EXPECT_NEAR(cost.seconds(500.0), 5.1, 5e-3);
  EXPECT_NEAR(cost.items_within(5.1, 1e6), 500.0, 0.5);
}

TEST(RunningCost, LearnsFixedCostsGradually) {
  // One block per size, with an assumed scatter of 10 %. The penalty on the fixed part shrinks it a
  // little. The value is from the normal equations of ((a + b x) / t - 1)^2, with weights 0.97^3,
  // 0.97^2, 0.97 and 1, plus (0.1 a / (0.4 * 0.11))^2.
  RunningCost cost;
  for (const double items : {1.0, 10.0, 100.0, 1000.0}) cost.add(items, 0.1 + 0.01 * items);
  EXPECT_NEAR(cost.fixed_s(), 0.0946750, 1e-7);
}

TEST(RunningCost, IsConstantWhereLargerBlocksTakeLess) {
  RunningCost cost;
  for (int blocks = 0; blocks < 100; ++blocks) {
    cost.add(10.0, 1.1);
    cost.add(100.0, 1.0);
  }
  EXPECT_GE(cost.fixed_s(), 0.99);
  EXPECT_NEAR(cost.seconds(1000.0), 1.05, 0.1);
}

TEST(RunningCost, StartsFromWhatEarlierRunsShowed) {
  RunningCost cost;
  cost.start_from({{100.0, 5.0, 2.0}, {1000.0, 5.0, 20.0}}, 0.05, 0.05);
  EXPECT_NEAR(cost.seconds(500.0), 10.0, 1e-9);
  EXPECT_DOUBLE_EQ(cost.largest_items(), 1000.0);
  EXPECT_GT(cost.relative_sd(), 0.07) << "scatter and uncertainty";
}

TEST(RunningCost, BelievesTheFirstBlockWhereEarlierRunsAreDoubted) {
  RunningCost cost;
  cost.start_from({{100.0, 5.0, 2.0}}, 0.05, 1.0);
  cost.add(100.0, 8.0);
  EXPECT_GT(cost.seconds(100.0), 7.0);
}

TEST(RunningCost, ForgetsTheDoubtOfEarlierRunsWithTheFirstBlock) {
  RunningCost cost;
  cost.start_from({{100.0, 5.0, 2.0}}, 0.05, 1.0);
  EXPECT_GT(cost.relative_sd(), 1.0);
  cost.add(100.0, 8.0);
  EXPECT_LT(cost.relative_sd(), 0.15) << "four times as long, as was to be feared, is no scatter";
}

TEST(RunningCost, IsFarFromABlockThatDiffersByMoreThanThreeDeviations) {
  RunningCost cost;
  cost.start_from({{100.0, 50.0, 2.0}, {1e6, 50.0, 2e4}}, 0.05, 0.05);
  EXPECT_TRUE(cost.is_far_from(100.0, 8.0));
  EXPECT_TRUE(cost.is_far_from(100.0, 0.5));
  EXPECT_FALSE(cost.is_far_from(100.0, 2.2));
}

TEST(RunningCost, KeepsEarlierRunsThatTheFirstBlockConfirms) {
  RunningCost cost;
  cost.start_from({{100.0, 50.0, 2.0}, {1e6, 50.0, 2e4}}, 0.05, 0.05);
  cost.add(100.0, 2.2);
  EXPECT_DOUBLE_EQ(cost.largest_items(), 1e6);
  EXPECT_NEAR(cost.seconds(1e6), 2e4, 1e3);
}

TEST(RunningCost, ScalesOneBlockInProportionToAllSizes) {
  RunningCost cost;
  cost.add(100.0, 2.0);
  EXPECT_DOUBLE_EQ(cost.seconds(50.0), 1.0);
  EXPECT_DOUBLE_EQ(cost.seconds(1e6), 2e4);  // also far from the measured size
  EXPECT_DOUBLE_EQ(cost.fixed_s(), 0.0);
  EXPECT_DOUBLE_EQ(cost.surely_fixed_s(), 0.0);
  EXPECT_NEAR(cost.items_within(1.0, 1e6), 50.0, 1e-3);
  EXPECT_DOUBLE_EQ(cost.largest_items(), 100.0);
  // 10 % are assumed for a block, and 10 % for the mean of one measurement.
  EXPECT_DOUBLE_EQ(cost.relative_sd(), 0.1 * std::sqrt(2.0));
}

/// 10 ms per thousand items; blocks of a million leave the cache, and their items cost `factor`
/// times as much. Two blocks of each size.
RunningCost with_cache(double factor) {
  RunningCost cost;
  for (const double items : {1e3, 1e4, 1e5, 1e6}) {
    for (int i = 0; i < 2; ++i) cost.add(items, 1e-5 * items * (items < 1e6 ? 1.0 : factor));
  }
  return cost;
}

TEST(RunningCost, PrefersSizesWhoseItemsAreCheaper) {
  const RunningCost cost = with_cache(1.5);
  EXPECT_DOUBLE_EQ(cost.most_items(8.0), 131072.0) << "the octave of 1e5";
  EXPECT_NEAR(cost.seconds(1e5), 1.0, 1e-3) << "the line is that of the blocks up to there";
}

TEST(RunningCost, GrowsWhereItemsOfLargerBlocksAreNotDearer) {
  EXPECT_DOUBLE_EQ(with_cache(1.0).most_items(8.0), 8e6);
  EXPECT_DOUBLE_EQ(with_cache(1.01).most_items(8.0), 8e6) << "by less than 2 %";
  RunningCost once;
  once.add(1e5, 1.0);
  once.add(1e6, 15.0);
  EXPECT_DOUBLE_EQ(once.most_items(8.0), 8e6) << "a single block proves nothing";
}

TEST(RunningCost, TakesOneCheapItemForNoProofThatAllAre) {
  // 0.4 ms per item, except for the first item, such as a row of the Mandelbrot set that took 1/25
  // of that.
  RunningCost cost;
  cost.add(1.0, 1.6e-5);
  cost.add(8.0, 3.2e-3);
  cost.add(64.0, 2.56e-2);
  EXPECT_GT(cost.seconds(512.0), 0.2 * 512 * 4e-4);
  EXPECT_LT(cost.seconds(512.0), 512 * 4e-4);
}

TEST(RunningCost, NeverFallsFarFromBlocksThatTookLessTheLargerTheyWere) {
  RunningCost cost;
  cost.add(1.0, 8.0);
  cost.add(1024.0, 4.0);
  // b would be negative, so b = 0 and a = (1/8 + 1/4) / (1/64 + 1/16 + (0.1 / 0.4 / 8)^2), with
  // weights 0.97 and 1.
  EXPECT_NEAR(cost.fixed_s(), (0.97 / 8 + 0.25) / (0.97 / 64 + 1.0 / 16 + 1.0 / 1024), 1e-9);
  EXPECT_DOUBLE_EQ(cost.seconds(1e6), cost.fixed_s());
  EXPECT_DOUBLE_EQ(cost.seconds(1e12), cost.fixed_s());
  EXPECT_EQ(cost.items_within(1e-3, 1e6), 0.0);
  EXPECT_EQ(cost.items_within(100.0, 1e6), 1e6);
}

/// 1 + 0.01 x, learned from `rounds` rounds of two blocks of each of two sizes. One block is slower
/// by `share`, the other is faster by `share`.
RunningCost scattered_line(int rounds, double share) {
  RunningCost cost;
  for (int round = 0; round < rounds; ++round) {
    for (const double luck : {1.0 + share, 1.0 - share}) {
      cost.add(10.0, 1.1 * luck);
      cost.add(1000.0, 11.0 * luck);
    }
  }
  return cost;
}

TEST(RunningCost, BelievesLessOfAFixedTimeTheMoreBlocksScatter) {
  EXPECT_GT(scattered_line(1, 0.0).fixed_s(), 0.95);
  double before_s = 1.0;
  for (const double share : {0.05, 0.1, 0.15, 0.2}) {
    const RunningCost cost = scattered_line(1, share);
    EXPECT_LT(cost.fixed_s(), before_s) << share;
    EXPECT_GE(cost.fixed_s(), 0.0) << share;
    EXPECT_LE(cost.surely_fixed_s(), cost.fixed_s()) << share;
    before_s = cost.fixed_s();
  }
  EXPECT_GT(scattered_line(50, 0.1).fixed_s(), scattered_line(1, 0.1).fixed_s());
  EXPECT_NEAR(scattered_line(50, 0.1).fixed_s(), 1.0, 0.02);
}

TEST(RunningCost, FollowsAUnitThatChangesAfterTwoBlocks) {
  RunningCost cost;
  for (int i = 0; i < 20; ++i) cost.add(100.0, 1.0);
  cost.add(100.0, 3.0);
  cost.add(100.0, 3.0);
  EXPECT_NEAR(cost.seconds(100.0), 3.0, 0.1);
  EXPECT_NEAR(cost.seconds(200.0), 6.0, 0.2);
}

TEST(RunningCost, ForgetsASingleSpike) {
  RunningCost cost;
  for (int i = 0; i < 20; ++i) cost.add(100.0, 190e-6);
  cost.add(100.0, 70e-3);
  cost.add(100.0, 190e-6);
  EXPECT_NEAR(cost.seconds(100.0), 190e-6, 4e-6);
}

TEST(RunningCost, KnowsHowMuchBlocksScatter) {
  const unsigned seed = random_seed();
  SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed));
  std::mt19937 random(seed);
  std::normal_distribution<double> scatter(1.0, 0.2);
  RunningCost cost;
  // Tests averages, because two deviating blocks in a row look like a unit that has changed.
  double deviations = 0.0;
  double times_s = 0.0;
  for (int i = 0; i < 400; ++i) {
    cost.add(100.0, std::max(0.2, scatter(random)));
    if (i < 100) continue;
    deviations += cost.relative_sd() / 300.0;
    times_s += cost.seconds(100.0) / 300.0;
  }
  EXPECT_NEAR(deviations, 0.2, 0.08);
  EXPECT_NEAR(times_s, 1.0, 0.15);
}

TEST(RunningCost, NothingFitsIntoLessThanTheFixedTime) {
  RunningCost cost;
  for (const double items : {1.0, 10.0, 100.0, 1000.0}) cost.add(items, 0.1 + 0.01 * items);
  EXPECT_EQ(std::floor(cost.items_within(0.05, 1e6)), 0.0);
  EXPECT_EQ(cost.items_within(1e9, 1e6), 1e6);
}

}  // namespace
}  // namespace equipoise::running_cost_test
