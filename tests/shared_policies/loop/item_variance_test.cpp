// Tests of the variance of item times that blocks show.
#include "shared_policies/policies/loop/item_times.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace equipoise::item_variance_test {
namespace {

/// Four blocks each of 4 and of 12 items, of 2 s an item on average, by turns longer and shorter.
std::vector<TimedBlock> by_turns(double off_4_s, double off_12_s) {
  std::vector<TimedBlock> blocks;
  for (const double sign : {1.0, -1.0, 1.0, -1.0}) {
    blocks.push_back({4.0, 8.0 + sign * off_4_s});
    blocks.push_back({12.0, 24.0 + sign * off_12_s});
  }
  return blocks;
}

TEST(ItemVariance, IsNothingOfThreeBlocksOrLess) {
  EXPECT_DOUBLE_EQ(item_variance_s2({}), 0.0);
  EXPECT_DOUBLE_EQ(item_variance_s2(std::vector<TimedBlock>{{4, 8}, {4, 9}}), 0.0);
}

TEST(ItemVariance, IsThatOfItemsIfLargeBlocksScatterLess) {
  // Differences of -+2 and -+2 sqrt(3) s. Over 4 + (4 + 4) / 4 items twice and over 4 + 4 items
  // once for each size: (4/6 + 4/6 + 4/8) / 3 for both.
  EXPECT_NEAR(item_variance_s2(by_turns(1.0, std::sqrt(3.0))), 11.0 / 18.0, 1e-9);
}

TEST(ItemVariance, IsNothingIfBlocksOfAllSizesScatterAlike) {
  EXPECT_NEAR(item_variance_s2(by_turns(2.0, 6.0)), 0.0, 1e-12);
  EXPECT_DOUBLE_EQ(item_variance_s2(by_turns(2.0, 8.0)), 0.0);
}

TEST(ItemVariance, CountsAllScatterIfThereIsOneSizeOnly) {
  const std::vector<TimedBlock> blocks = {{4, 9}, {4, 7}, {4, 9}, {4, 7}};
  EXPECT_NEAR(item_variance_s2(blocks), 4.0 / 6.0, 1e-9);
}

TEST(ItemVariance, IsNothingIfOnlySpeedDependsOnSize) {
  std::vector<TimedBlock> on_a_line;
  std::vector<TimedBlock> on_a_curve;
  for (const double items : {5.0, 15.0, 5.0, 15.0, 900.0, 420.0, 210.0, 95.0, 40.0}) {
    on_a_line.push_back({items, 3.0 + 0.5 * items});
    on_a_curve.push_back({items, std::pow(items, 0.7)});
  }
  EXPECT_NEAR(item_variance_s2(on_a_line), 0.0, 1e-12);
  EXPECT_DOUBLE_EQ(item_variance_s2(on_a_curve), 0.0);
}

TEST(ItemVariance, IsFoundInScatterOfBothKindsOnAverage) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  constexpr int runs = 400;
  double mean = 0.0;
  for (int run = 0; run < runs; ++run) {
    std::vector<TimedBlock> blocks;
    for (const double items : {10.0, 40.0, 160.0, 640.0}) {
      for (int i = 0; i < 16; ++i) {
        // The variance of an item is 4, and a block deviates by 3 % in addition.
        const double expected_s = 20.0 + 5.0 * items;
        blocks.push_back({items, expected_s * (1.0 + 0.03 * normal(random)) +
                                     2.0 * std::sqrt(items) * normal(random)});
      }
    }
    mean += item_variance_s2(blocks) / runs;
  }
  EXPECT_NEAR(mean, 4.0, 0.6);
}

}  // namespace
}  // namespace equipoise::item_variance_test
