// Tests of the sizes of next blocks, with values worked out by hand.
#include <gtest/gtest.h>

#include "shared_policies/policies/equipoise/forecast.hpp"

namespace equipoise::next_block_test {
namespace {

constexpr double no_cap = 1e12;
constexpr double any_s = 1e12;  // no copies to hide

/// 100 items took 2 s: 0.02 s per item and no fixed cost. The deviation is taken to be 10 % for a
/// block and 10 % for the mean of one measurement, 0.1 sqrt(2) together.
RunningCost one_block() {
  RunningCost cost;
  cost.add(100.0, 2.0);
  return cost;
}

/// The measurement of `one_block`, repeated until the mean is known well: the deviation of a block
/// is then about 0.1 / sqrt(34).
RunningCost many_blocks() {
  RunningCost cost;
  for (int i = 0; i < 1000; ++i) cost.add(100.0, 2.0);
  return cost;
}

TEST(NextBlock, TakesHalfOfTheTimeLeftLessACushionForScatter) {
  const NextBlock sizes({.growth = 8.0, .least_slack = 0.5}, 100.0, false);
  // 0.5 * 20 / (1 + 2.5 * 0.141421) = 7.38796 s.
  EXPECT_NEAR(sizes.items(one_block(), 20.0, no_cap, any_s), 369.398, 1e-2);
  // Deviation 0.0173: 10 / 1.0433 = 9.585 s.
  EXPECT_NEAR(sizes.items(many_blocks(), 20.0, no_cap, any_s), 479.3, 0.5);
  const NextBlock careless({.growth = 8.0, .least_slack = 0.5, .safety_margin = 0.0}, 100.0, false);
  EXPECT_NEAR(careless.items(one_block(), 20.0, no_cap, any_s), 500.0, 1e-2);
  const NextBlock timid({.slack = 0.1, .least_slack = 0.1}, 100.0, false);
  // 0.1 * 20 / 1.353553 = 1.47759 s.
  EXPECT_NEAR(timid.items(one_block(), 20.0, no_cap, any_s), 73.880, 1e-2);
}

TEST(NextBlock, GrowsTwofoldAtMostAndNeverBeyondMemory) {
  const NextBlock sizes(BlockSizing{}, 100.0, false);
  EXPECT_DOUBLE_EQ(sizes.items(one_block(), 1000.0, no_cap, any_s), 200.0);
  EXPECT_DOUBLE_EQ(sizes.items(one_block(), 1000.0, 130.0, any_s), 130.0);
  const NextBlock eightfold({.growth = 8.0, .least_slack = 0.5}, 100.0, false);
  EXPECT_DOUBLE_EQ(eightfold.items(one_block(), 1000.0, no_cap, any_s), 800.0);
}

TEST(NextBlock, TakesATwentiethOfTheTimeLeftWhereSmallBlocksCostNothing) {
  // No fixed cost was measured: 0.05 * 20 / (1 + 2.5 * 0.141421) = 0.738796 s at 0.02 s an item.
  const NextBlock sizes(BlockSizing{}, 10.0, false);
  EXPECT_NEAR(sizes.items(one_block(), 20.0, no_cap, any_s), 36.94, 1e-2);
}

TEST(NextBlock, IsSoLongThatItsFixedTimeIsAThousandth) {
  RunningCost cost;  // 1 ms and 0.02 s per item, measured often enough to be known well
  for (int i = 0; i < 1000; ++i) {
    cost.add(1.0, 0.021);
    cost.add(100.0, 2.001);
  }
  // 0.001 s is a thousandth of 1 s, which lies between 0.05 * 10 / 1.0433 and 0.5 * 10 / 1.0433.
  // Of the fixed time, its standard error does not count.
  ASSERT_NEAR(cost.surely_fixed_s(), 0.9e-3, 0.1e-3);
  EXPECT_NEAR(NextBlock(BlockSizing{}, 10.0, false).items(cost, 10.0, no_cap, any_s),
              (1000.0 * cost.surely_fixed_s() - 0.001) / 0.02, 0.1);
  // Where items differ that does not count: 0.05 * 10 / 1.0433 = 0.479 s.
  EXPECT_NEAR(NextBlock(BlockSizing{}, 10.0, false, true).items(cost, 10.0, no_cap, any_s), 23.9,
              0.2);
}

TEST(NextBlock, TakesAllThatFitsOnceHalvingWouldCostMoreThanScatter) {
  // Measured fixed cost is 0 here. It is taken to be at least a ten-thousandth of the run, 0.01 s:
  // 2 * 0.01 / (0.5 * 0.141421) = 0.282843 s.
  const NextBlock sizes(BlockSizing{}, 100.0, false);
  EXPECT_NEAR(sizes.last_block_s(one_block()), 0.282843, 1e-6);
  EXPECT_NEAR(sizes.items(one_block(), 0.28, no_cap, any_s), 14.0, 1e-4);
  // With slightly more time left, the block takes half of that time: fixed costs of 0.01 s are
  // worth it.
  EXPECT_NEAR(sizes.items(one_block(), 0.29, no_cap, any_s), 7.25, 1e-4);
  const NextBlock cautious({.risk_aversion = 5.0}, 100.0, false);
  EXPECT_NEAR(cautious.last_block_s(one_block()), 0.0282843, 1e-7);
}

TEST(NextBlock, TakesAllThatFitsNoMoreThanMemoryAndGrowthAllow) {
  // With a fixed cost of 100 s, a last block may take 2828 s.
  const NextBlock sizes(BlockSizing{}, 1e6, false);
  EXPECT_DOUBLE_EQ(sizes.items(one_block(), 1000.0, no_cap, any_s), 200.0);
  EXPECT_DOUBLE_EQ(sizes.items(one_block(), 1000.0, 50.0, any_s), 50.0);
}

TEST(NextBlock, TakesLongBlocksWhereFixedCostsAskForThem) {
  // The fixed cost is 1e-4 of 2500 s = 0.25 s. For it to be 1 % of a block, the block must take 25
  // s; half of 40 s less the cushion would be 14.8 s. The limit is half of the time left: 20 s.
  const NextBlock sizes({.growth = 1e9, .least_slack = 0.5}, 2500.0, false);
  EXPECT_NEAR(sizes.items(one_block(), 40.0, no_cap, any_s), 1000.0, 1e-2);
  EXPECT_NEAR(sizes.items(one_block(), 60.0, no_cap, any_s), 1250.0, 1e-2);
  const NextBlock generous({.growth = 1e9, .least_slack = 0.5, .overhead = 1e9}, 2500.0, false);
  EXPECT_NEAR(generous.items(one_block(), 40.0, no_cap, any_s), 738.796, 1e-2);
}

TEST(NextBlock, CountsAFixedCostThatIsKnown) {
  RunningCost cost;  // 1 s and 0.01 s per item, measured often enough to be known well
  for (int i = 0; i < 1000; ++i) {
    cost.add(10.0, 1.1);
    cost.add(1000.0, 11.0);
  }
  const NextBlock sizes({.growth = 8.0}, 100.0, false);
  // Deviation 0.0173; the fixed second less its standard error is 0.995 s: 2 * 0.995 / (0.5 *
  // 0.0173) = 230 s.
  EXPECT_NEAR(sizes.last_block_s(cost), 230.0, 0.5);
  EXPECT_NEAR(sizes.items(cost, 51.0, no_cap, any_s), 5000.0, 25.0);
}

TEST(NextBlock, MayBeLessThanAnItem) {
  const NextBlock sizes(BlockSizing{}, 100.0, false);
  EXPECT_NEAR(sizes.items(one_block(), 0.01, no_cap, any_s), 0.5, 1e-5);
  EXPECT_NEAR(sizes.items(one_block(), 0.0, no_cap, any_s), 0.0, 1e-5);
  EXPECT_NEAR(sizes.items(one_block(), -1.0, no_cap, any_s), 0.0, 1e-5);
}

TEST(NextBlock, TakesShorterBlocksWhereTheyHideCopies) {
  // 0.5 * 0.4 * 20 / (1 + 2.5 * 0.141421) = 2.95518 s at 0.02 s per item.
  const NextBlock sizes({.least_slack = 0.5, .overlap = 0.4}, 100.0, true);
  EXPECT_NEAR(sizes.items(one_block(), 20.0, no_cap, any_s), 147.759, 1e-2);
}

TEST(NextBlock, IsNoLongerThanItsCopyIsHidden) {
  const NextBlock sizes({.least_slack = 0.5}, 100.0, true);
  EXPECT_NEAR(sizes.items(one_block(), 20.0, no_cap, 2.0), 100.0, 1e-6) << "2 s";
  // Fixed costs of 1e-4 of the run, 0.01 s, ask for 1 s at least.
  EXPECT_NEAR(sizes.items(one_block(), 20.0, no_cap, 0.5), 50.0, 1e-6);
  EXPECT_NEAR(sizes.items(one_block(), 0.28, no_cap, 0.1), 14.0, 1e-4)
      << "the last block is not cut";
}

}  // namespace
}  // namespace equipoise::next_block_test
