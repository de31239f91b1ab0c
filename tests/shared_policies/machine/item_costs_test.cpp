// Tests of ItemCosts: sums over items, scaling to mean 1, stretching, and generated costs.
#include "shared_policies/machine/item_costs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

namespace equipoise {
namespace {

/// The costs of items 0 .. 9: 1, 1, 4, 4, 4, 0, 0, 0, 0, 6 over their mean 2.
ItemCosts ten_items() { return ItemCosts({{0, 2, 1.0}, {2, 3, 4.0}, {5, 4, 0.0}, {9, 1, 6.0}}); }

Block block_of(Items first, Items items) { return {.id = 0, .first = first, .items = items}; }

TEST(ItemCosts, AddUpOverABlockWithMeanOne) {
  const ItemCosts costs = ten_items();
  EXPECT_EQ(costs.items(), 10);
  EXPECT_DOUBLE_EQ(costs.sum(0, 10), 10.0);
  EXPECT_DOUBLE_EQ(costs.sum(0, 1), 0.5);
  EXPECT_DOUBLE_EQ(costs.sum(1, 3), 0.5 + 2.0 + 2.0);
  EXPECT_DOUBLE_EQ(costs.sum(4, 5), 2.0);
  EXPECT_DOUBLE_EQ(costs.sum(5, 4), 0.0);
  EXPECT_DOUBLE_EQ(costs.sum(9, 1), 3.0);
  EXPECT_DOUBLE_EQ(costs.sum(3, 0), 0.0);
}

TEST(ItemCosts, SayHowFarItemsDiffer) {
  const ItemCosts costs = ten_items();
  EXPECT_DOUBLE_EQ(costs.least(), 0.0);
  EXPECT_DOUBLE_EQ(costs.most(), 3.0);
  // Distances from 1: twice 0.5, three times 1, four times 1, once 2: (0.5 + 3 + 4 + 4) / 10.
  EXPECT_DOUBLE_EQ(costs.deviation(), std::sqrt(1.15));
}

TEST(ItemCosts, AreKeptAsTheyAreIfTheirMeanIsOneAlready) {
  const ItemCosts once = ten_items();
  EXPECT_EQ(ItemCosts(once.ranges()).ranges(), once.ranges());
}

TEST(ItemCosts, MayBeTheLeastNumbersThereAre) {
  const ItemCosts costs({{0, 3, 0.0}, {3, 1, 5e-324}});
  EXPECT_DOUBLE_EQ(costs.sum(3, 1), 4.0);
}

TEST(ItemCosts, AreStretchedOverMoreItemsRangeByRange) {
  const ItemCosts costs = ItemCosts({{0, 1, 0.5}, {1, 1, 1.5}}).stretched(4);
  EXPECT_EQ(costs.ranges(),
            (std::vector<CostRange>{{0, 1, 0.5}, {1, 1, 0.5}, {2, 1, 1.5}, {3, 1, 1.5}}));
  // Three items: the middle one has half of each.
  const ItemCosts three = ItemCosts({{0, 1, 0.5}, {1, 1, 1.5}}).stretched(3);
  EXPECT_DOUBLE_EQ(three.sum(0, 1), 0.5);
  EXPECT_DOUBLE_EQ(three.sum(1, 1), 1.0);
  EXPECT_DOUBLE_EQ(three.sum(2, 1), 1.5);
}

TEST(ItemCosts, AreAveragedOverFewerItems) {
  const ItemCosts costs = ten_items().stretched(5);  // pairs of items
  EXPECT_EQ(costs.items(), 5);
  const std::vector<double> expected = {0.5, 2.0, 1.0, 0.0, 1.5};
  for (Items i = 0; i < 5; ++i) {
    EXPECT_NEAR(costs.sum(i, 1), expected[static_cast<std::size_t>(i)], 1e-12) << i;
  }
}

TEST(WorkOf, IsTheNumberOfItemsIfTheyAreAlikeAndElseTheSumOfTheirCosts) {
  EXPECT_EQ(work_of(nullptr, block_of(3, 4)), 4.0);
  const auto costs = std::make_shared<const ItemCosts>(ten_items());
  EXPECT_DOUBLE_EQ(work_of(costs, block_of(1, 3)), 4.5);
  EXPECT_GT(work_of(costs, block_of(5, 4)), 0.0);
  EXPECT_LT(work_of(costs, block_of(5, 4)), 1e-300);
}

TEST(GeneratedCosts, IncreaseOrDecreaseLinearlyWithThePosition) {
  const ItemCosts up = generated_costs(CostPattern::increasing, 4, 1);
  const ItemCosts down = generated_costs(CostPattern::decreasing, 4, 1);
  for (Items i = 0; i < 4; ++i) {
    EXPECT_DOUBLE_EQ(up.sum(i, 1), (2.0 * static_cast<double>(i) + 1.0) / 4.0);
    EXPECT_DOUBLE_EQ(down.sum(i, 1), (7.0 - 2.0 * static_cast<double>(i)) / 4.0);
  }
}

TEST(GeneratedCosts, HaveTheDeviationsOfTheirDistributions) {
  constexpr Items items = 200'000;
  // Bimodal: 0.8 (1/4)^2 + 0.2 4^2 - 1 = 2.25. Cut off at 0, a normal distribution loses 0.1 %.
  EXPECT_NEAR(generated_costs(CostPattern::bimodal, items, 1).deviation(), 1.5, 0.01);
  EXPECT_NEAR(generated_costs(CostPattern::exponential, items, 1).deviation(), 1.0, 0.01);
  EXPECT_NEAR(generated_costs(CostPattern::gaussian, items, 1).deviation(), 1.0 / 3.0, 0.005);
  EXPECT_NEAR(generated_costs(CostPattern::increasing, items, 1).deviation(), std::sqrt(1.0 / 3.0),
              1e-6);
}

TEST(GeneratedCosts, DependOnTheirSeedAlone) {
  const auto of = [](std::uint64_t seed) {
    return generated_costs(CostPattern::exponential, 100, seed).ranges();
  };
  EXPECT_EQ(of(1), of(1));
  EXPECT_NE(of(1), of(2));
}

TEST(GeneratedCosts, AreAlikeIfAllWereCutOffAtNothing) {
  int cut_off = 0;  // one item in 740
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    EXPECT_EQ(generated_costs(CostPattern::gaussian, 1, seed).sum(0, 1), 1.0) << seed;
    const ItemCosts three = generated_costs(CostPattern::gaussian, 3, seed);
    if (three.least() == 0.0) ++cut_off;
  }
  EXPECT_GT(cut_off, 0);
}

TEST(CostProfile, HasTheMeansOfNeighbours) {
  // Seven items in three parts: from item 0, 7 / 3 = 2 and 14 / 3 = 4 on.
  const ItemCosts costs({{0, 1, 0.25}, {1, 2, 1.5}, {3, 3, 0.75}, {6, 1, 1.5}});
  const CostProfile profile = profile_of(costs, 3);
  EXPECT_EQ(profile.items, 7);
  EXPECT_EQ(profile.least, 0.25);
  EXPECT_EQ(profile.most, 1.5);
  ASSERT_EQ(profile.means.size(), 3U);
  EXPECT_DOUBLE_EQ(profile.means[0], 0.875);
  EXPECT_DOUBLE_EQ(profile.means[1], 1.125);
  EXPECT_DOUBLE_EQ(profile.means[2], 1.0);
  EXPECT_EQ(profile_of(costs).means, (std::vector<double>{0.25, 1.5, 1.5, 0.75, 0.75, 0.75, 1.5}));
  // Means of more items than can be multiplied by 200.
  constexpr Items many = Items{1} << 60;
  const CostProfile large = profile_of(ItemCosts({{0, many / 2, 0.5}, {many / 2, many / 2, 1.5}}));
  ASSERT_EQ(large.means.size(), 200U);
  EXPECT_NEAR(large.means[99], 0.5, 1e-12);
  EXPECT_NEAR(large.means[100], 1.5, 1e-12);
}

TEST(GeneratedCosts, AreSharedByNeighboursOfVeryManyItems) {
  const ItemCosts costs = generated_costs(CostPattern::gaussian, 3 * generated_ranges_max + 1, 1);
  EXPECT_EQ(costs.items(), 3 * generated_ranges_max + 1);
  EXPECT_EQ(costs.ranges()[0].items, 4);
  EXPECT_LE(static_cast<Items>(costs.ranges().size()), generated_ranges_max);
}

}  // namespace
}  // namespace equipoise
