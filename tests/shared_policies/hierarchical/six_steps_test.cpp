// Tests of the paper's six steps, on groups that were worked out by hand.
//
// With copies in and out that take 0.54 and 0.44 of computing, table 1 of hierarchical divisible
// load scheduling (2012) is consistent. There a first triple has gamma_1 = 0.54 gamma_2 (less would
// make gamma_2 wait for its input, more would only prolong the first copy), and gamma_3 =
// (gamma_2 - 0.44 gamma_1) / 0.54 = 1.412 gamma_2, together 2.952 gamma_2.
#include "shared_policies/policies/hierarchical/block_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "shared_policies/fit/speed_curve.hpp"
#include "tests/support/random_seed.hpp"

namespace equipoise::six_steps_test {
namespace {

using Sizes = std::vector<Items>;

const AffineCurve in(0.0, 0.54);
const AffineCurve compute(0.0, 1.0);
const AffineCurve out(0.0, 0.44);
const AffineCurve none(0.0, 0.0);
constexpr Items paper_cap = 122;

Items sum_of(const Sizes& list) { return std::accumulate(list.begin(), list.end(), Items{0}); }

Items sum_of(const BlockGroups& groups) {
  Items sum = 0;
  for (const Sizes& group : groups) sum += sum_of(group);
  return sum;
}

TEST(SixSteps, MakeTheGroupsThatThePaperPrintsForTheFourthIterationOfNodeOne) {
  // 3.1: 122 = 2.952 x 41.3. 3.2: 0.54 x 41 = 22.1, 0.44 x 41 = 18.04. 3.3: 0.44 x 18 = 7.9, then
  // 3.5, 1.8, 0.9 and 0.4. 3.4: of the other 121, the same; 25 are left.
  const BlockGroups groups = plan_six_steps({&in, &compute, &out, 217, 1, paper_cap, 1});
  ASSERT_GE(groups.size(), 3U);
  EXPECT_EQ(groups[0], (Sizes{22, 41, 18, 8, 4, 2, 1}));
  EXPECT_EQ(groups[1], (Sizes{22, 41, 18, 8, 4, 2, 1}));
  EXPECT_EQ(sum_of(groups), 217);
}

TEST(SixSteps, MakeGroupsOfThePapersShapeForAllItsShares) {
  // The shares of the GPUs in table 1. Sizes grow and then shrink, and no group holds more than the
  // first.
  for (const Items share : {166, 193, 217, 154, 212, 206, 127, 215, 236, 445, 276}) {
    SCOPED_TRACE(share);
    const BlockGroups groups = plan_six_steps({&in, &compute, &out, share, 1, paper_cap, 1});
    EXPECT_EQ(sum_of(groups), share);
    EXPECT_EQ(groups[0], (Sizes{22, 41, 18, 8, 4, 2, 1}));
    for (const Sizes& group : groups) {
      EXPECT_LE(sum_of(group), sum_of(groups[0]));
      const auto largest = std::max_element(group.begin(), group.end());
      EXPECT_TRUE(std::is_sorted(group.begin(), largest));
      EXPECT_TRUE(std::is_sorted(largest, group.end(), std::greater<>()));
    }
  }
}

TEST(SixSteps, LetBlocksGrowBehindATripleThatDoesNotFillTheMemory) {
  // Beyond 30 items the speed falls, to 100 items in 150 s, so that the fastest triple has half of
  // 122 items: 61 = 2.952 x 20.7, that is 11, 21 and 29. 3.3: (29 - 0.44 x 21) / 0.54 = 36.6; then
  // 0.44 x 36 = 15.8, 0.44 x 16 = 7.04, and 2 that fit of 0.44 x 7 = 3.08.
  const std::vector<CostSample> samples{{30.0, 30.0, 1.0}, {100.0, 150.0, 1.0}};
  const SpeedCurve bent(samples);
  const BlockGroups groups = plan_six_steps({&in, &bent, &out, 217, 1, paper_cap, 1});
  EXPECT_EQ(groups[0], (Sizes{11, 21, 29, 36, 16, 7, 2}));
  EXPECT_EQ(sum_of(groups), 217);
}

TEST(SixSteps, LetCopiesRunBesideOneAnotherOnTwoEngines) {
  // 0.6 and 0.3: gamma_3 = gamma_2 / 0.6 and gamma_1 = 0.6 gamma_2 make 98 = 3.267 x 30. 3.2: 18,
  // 30 and 9; 3.3: 2.7 and 0.9.
  const AffineCurve long_in(0.0, 0.6);
  const AffineCurve short_out(0.0, 0.3);
  const BlockGroups groups = plan_six_steps({&long_in, &compute, &short_out, 196, 1, 98, 2});
  EXPECT_EQ(groups[0], (Sizes{18, 30, 9, 3, 1}));
}

TEST(SixSteps, WorkInGrains) {
  const BlockGroups groups = plan_six_steps({&in, &compute, &out, 2161, 10, 1225, 1});
  EXPECT_EQ(groups[0], (Sizes{220, 410, 180, 80, 40, 20, 10}));
  EXPECT_EQ(sum_of(groups), 2170);
}

TEST(SixSteps, GiveTheRestToSingleBlocksWhereNoTripleUsesTheLink) {
  EXPECT_EQ(plan_six_steps({&none, &compute, &none, 100, 1, 1000, 1}), (BlockGroups{{100}}));
  EXPECT_EQ(plan_six_steps({&none, &compute, &none, 120, 1, 50, 1}),
            (BlockGroups{{50}, {50}, {20}}));
  EXPECT_EQ(plan_six_steps({&in, &compute, &out, 2, 1, 1000, 1}), (BlockGroups{{2}}));
  EXPECT_TRUE(plan_six_steps({&in, &compute, &out, 0, 1, 1000, 1}).empty());
}

TEST(SixSteps, TimeABlockAloneByTheModelForBlocksAlone) {
  // 100 items take at least 100 s in overlapping blocks, and 198 s alone by the sum of the stages.
  EXPECT_GT(plan_six_steps({&in, &compute, &out, 100, 1, paper_cap, 1}).front().size(), 1U);
  const AffineCurve fast_alone(0.0, 0.9);
  EXPECT_EQ(plan_six_steps({&in, &compute, &out, 100, 1, paper_cap, 1, &fast_alone}),
            (BlockGroups{{100}}));
}

TEST(SixSteps, PlaceEveryGrainInGroupsThatFit) {
  const unsigned seed = random_seed();
  SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed));
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (int round = 0; round < 300; ++round) {
    std::vector<CostSample> samples[3];
    for (auto& stage : samples) {
      for (const double size : {1.0, 10.0, 100.0, 700.0}) {
        add_sample(stage, size, size * (0.05 + uniform(random)));
      }
    }
    const SpeedCurve copied_in(samples[0]);
    const SpeedCurve computed(samples[1]);
    const SpeedCurve copied_out(samples[2]);
    const auto grain = static_cast<Items>(1.0 + 5.0 * uniform(random));
    const auto items = static_cast<Items>(1.0 + 900.0 * uniform(random));
    const Items cap = grain + static_cast<Items>(300.0 * uniform(random));
    const int engines = uniform(random) < 0.5 ? 1 : 2;
    const BlockGroups groups =
        plan_six_steps({&copied_in, &computed, &copied_out, items, grain, cap, engines});
    ASSERT_EQ(sum_of(groups), (items + grain - 1) / grain * grain);
    for (const Sizes& group : groups) {
      ASSERT_TRUE(fit_together(group, cap));
      for (const Items block : group) {
        ASSERT_GT(block, 0);
        ASSERT_EQ(block % grain, 0);
      }
    }
  }
}

}  // namespace
}  // namespace equipoise::six_steps_test
