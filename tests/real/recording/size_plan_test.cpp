// Tests of the sizes that are recorded, and of the statistics of one size's samples.
#include "real/recording/unit_recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace equipoise::size_plan_test {
namespace {

Workload workload_of(Items items, Items grain) {
  Workload workload;
  workload.items = items;
  workload.grain_items = grain;
  workload.memory_bytes_per_item = 1.0;
  return workload;
}

TEST(SizeLadder, DoublesFromOneItemToHalfOfTwoHundredAndFiftySix) {
  EXPECT_EQ(size_ladder(workload_of(256, 1), Unit{}, 128),
            (std::vector<Items>{1, 2, 4, 8, 16, 32, 64, 128}));
}

TEST(SizeLadder, BeginsAtAFourThousandNinetySixthOfTheItems) {
  const auto sizes = size_ladder(workload_of(Items{4096} * 128, 1), Unit{}, Items{4096} * 64);
  EXPECT_EQ(sizes.front(), 128);
  EXPECT_EQ(sizes.back(), Items{4096} * 64);
  EXPECT_EQ(sizes.size(), 8u);
}

TEST(SizeLadder, KeepsToTheGrainAndToSmallWorkloads) {
  for (const Items items : {1, 2, 3, 7, 100, 1000, 65536}) {
    for (const Items grain : {1, 3, 16}) {
      const auto sizes = size_ladder(workload_of(items, grain), Unit{}, items / 2);
      ASSERT_FALSE(sizes.empty());
      EXPECT_LE(sizes.size(), 8u);
      EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end(), std::less_equal<>()));
      EXPECT_GE(sizes.front(), std::min(items, grain));
      EXPECT_LE(sizes.back(), std::max({items / 2, std::min(items, grain)}));
      for (const Items size : sizes) EXPECT_TRUE(size % grain == 0 || size == sizes.back());
    }
  }
}

TEST(SizeLadder, EndsAtWhatTheUnitsMemoryHolds) {
  Unit unit;
  unit.memory_bytes = 1000.0;
  EXPECT_EQ(size_ladder(workload_of(65536, 1), unit, 32768).back(), 1000);
  unit.memory_bytes = 0.5;
  EXPECT_TRUE(size_ladder(workload_of(65536, 1), unit, 32768).empty());
}

TEST(SizesAtBends, LieBesideASizeThatIsOffTheLineOfItsNeighbours) {
  const auto at = [](Items items, double time_s) { return SizeTime{items, Seconds{time_s}, 0.0}; };
  // On the line from (1, 1) to (16, 16), 4 items take 4 s.
  EXPECT_TRUE(sizes_at_bends({at(1, 1.0), at(4, 4.0), at(16, 16.0)}, 1, 0.01).empty());
  EXPECT_TRUE(sizes_at_bends({at(1, 1.0), at(4, 4.04), at(16, 16.0)}, 1, 0.01).empty());
  EXPECT_EQ(sizes_at_bends({at(1, 1.0), at(4, 4.1), at(16, 16.0)}, 1, 0.01),
            (std::vector<Items>{2, 8}));
  // With a grain of 4 there is no size between 1 and 4.
  EXPECT_EQ(sizes_at_bends({at(1, 1.0), at(4, 5.0), at(16, 16.0)}, 4, 0.01),
            (std::vector<Items>{8}));
}

TEST(BlockSamples, MarkASpikeAndLeaveItOutOfTheMean) {
  BlockSamples samples;
  const auto add = [&](double compute_s) { samples.add({{}, {}, Seconds{compute_s}, {}}); };
  for (const double time_s : {190e-6, 191e-6, 189e-6, 190e-6}) add(time_s);
  EXPECT_EQ(samples.outliers(), (std::vector<bool>(4, false)));
  add(70e-3);
  EXPECT_EQ(samples.outliers(), (std::vector<bool>{false, false, false, false, true}));
  EXPECT_NEAR(samples.mean().value, 190e-6, 1e-12);
  // Student's t for 3 degrees of freedom: 3.1824; standard deviation 1e-6 * sqrt(2/3).
  EXPECT_NEAR(samples.uncertainty(), 3.182446 * std::sqrt(2.0 / 3.0) * 1e-6 / 2.0 / 190e-6, 1e-8);
}

TEST(BlockSamples, TakeBlocksThatCostMoreByThemselvesAsTheyAre) {
  BlockSamples samples;
  // 2 slow blocks of 20 may be spikes; 3 of 21 are more than a tenth, so the blocks themselves
  // differ.
  for (int i = 0; i < 18; ++i) samples.add({{}, {}, Seconds{1.0}, {}});
  for (int i = 0; i < 2; ++i) samples.add({{}, {}, Seconds{5.0}, {}});
  EXPECT_EQ(std::ranges::count(samples.outliers(), true), 2);
  EXPECT_EQ(samples.mean(), Seconds{1.0});
  samples.add({{}, {}, Seconds{5.0}, {}});
  EXPECT_EQ(std::ranges::count(samples.outliers(), true), 0);
  EXPECT_NEAR(samples.mean().value, 33.0 / 21.0, 1e-12);
}

TEST(BlockSamples, TakeWhatScattersAsItIs) {
  BlockSamples samples;
  for (const double time_s : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}) {
    samples.add({{}, {}, Seconds{time_s}, {}});
  }
  EXPECT_EQ(samples.outliers(), (std::vector<bool>(6, false)));
}

}  // namespace
}  // namespace equipoise::size_plan_test
