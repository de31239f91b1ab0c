// Tests of blocks that overlap inside a unit: how long they take, when they never stall, and how a
// share is cut into groups.
//
// The printed schedules are from table 1 of hierarchical divisible load scheduling (2012). They are
// consistent with copies in and out that take 0.54 and 0.44 of the computation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "shared_policies/fit/speed_curve.hpp"
#include "shared_policies/policies/hierarchical/block_groups.hpp"
#include "shared_policies/solve/pipeline_schedule.hpp"
#include "tests/support/random_seed.hpp"

namespace equipoise::block_groups_test {
namespace {

/// The time of a stall-free group: t_i(1) + the sum of all t_c + t_o(m).
Seconds stall_free_time(std::span<const StageTimes> times) {
  Seconds sum = times.front().in + times.back().out;
  for (const StageTimes& block : times) sum += block.compute;
  return sum;
}

constexpr double in_share = 0.54;
constexpr double out_share = 0.44;
constexpr Items paper_cap = 122;

std::vector<StageTimes> in_proportion(const std::vector<Items>& blocks) {
  std::vector<StageTimes> times;
  for (const Items items : blocks) {
    const auto seconds = static_cast<double>(items);
    times.push_back(
        {{}, Seconds{in_share * seconds}, Seconds{seconds}, Seconds{out_share * seconds}});
  }
  return times;
}

Items sum_of(const std::vector<Items>& list) {
  return std::accumulate(list.begin(), list.end(), Items{0});
}

Items sum_of(const BlockGroups& groups) {
  Items sum = 0;
  for (const auto& group : groups) {
    sum += sum_of(group);
  }
  return sum;
}

double seconds_of(const BlockGroups& groups, int copy_engines = 1) {
  double seconds = 0.0;
  for (const auto& group : groups) {
    seconds += pipeline_time(in_proportion(group), copy_engines).value;
  }
  return seconds;
}

/// The time of a group when copies keep a fixed order: two inputs, then always the results of block
/// l - 2 before block l.
double rigid_order_time(const std::vector<StageTimes>& times) {
  std::vector<double> end(times.size(), 0.0);
  double copy = 0.0;
  for (std::size_t l = 0; l < times.size(); ++l) {
    if (l > 1) {
      copy = std::max(copy, end[l - 2]) + times[l - 2].out.value;
    }
    copy += times[l].in.value;
    end[l] = std::max(copy, l > 0 ? end[l - 1] : 0.0) + times[l].compute.value;
  }
  for (std::size_t l = times.size() - std::min<std::size_t>(2, times.size()); l < times.size();
       ++l) {
    copy = std::max(copy, end[l]) + times[l].out.value;
  }
  return copy;
}

// -- The paper's table 1 -------------------------------------------------------------------------

/// One row. `cut_short`: the paper prints only the beginning of a list, followed by dots.
struct PrintedRow {
  int iteration;
  Items node_items;
  std::vector<Items> unit_items;  ///< the GPU's first
  BlockGroups gpu_groups;
  bool cut_short;
};

const std::vector<PrintedRow>& printed_rows() {
  static const std::vector<PrintedRow> rows = {
      {2, 233, {166, 25, 21, 21}, {{22, 41, 18, 8, 4, 1}, {8, 14, 18, 20, 9, 3}}, false},
      {3, 249, {193, 22, 17, 17}, {{22, 41, 18, 8, 4, 2, 1}, {14, 26, 36, 16, 5}}, false},
      {4, 275, {217, 24, 17, 17}, {{22, 41, 18, 8, 4, 2, 1}, {22, 41, 18, 8, 4, 2, 1, 1}}, true},
      {2, 198, {154, 22, 22}, {{11, 19, 24, 27, 12, 6, 3, 1}, {10, 17, 8, 4, 2, 1, 1}}, true},
      {3, 258, {212, 23, 23}, {{19, 35, 15}, {19, 35, 15, 7, 3}, {9, 17, 22, 10, 5, 1}}, false},
      {4,
       250,
       {206, 22, 22},
       {{19, 35, 15, 7, 3}, {19, 35, 15, 7, 3, 2, 1}, {7, 12, 15, 7, 3, 1}},
       false},
      {2, 148, {127, 21}, {{8, 14, 17, 18, 18, 17, 15, 7, 3, 2, 1}, {1, 2, 3, 1}}, false},
      {3, 241, {215, 26}, {{17, 32, 45, 20, 1}, {17, 32, 14, 7, 3, 2, 1, 1}}, true},
      {4, 263, {236, 27}, {{17, 32, 44, 19, 9, 1}, {17, 32, 44, 19, 2}}, false},
      {2,
       445,
       {445},
       {{8, 14, 18, 20, 21, 21, 9, 4, 2, 1},
        {8, 14, 18, 20, 21, 21, 9, 4, 2, 1},
        {8, 14, 18, 20, 21, 9, 4, 2, 1},
        {8, 14, 18, 20, 21, 21, 9, 1}},
       false},
      {3,
       276,
       {276},
       {{20, 37, 16, 7, 3, 2, 1}, {20, 37, 16, 7, 3, 2, 1}, {18, 34, 15, 7, 3, 2, 1, 1}},
       true},
      {4,
       236,
       {236},
       {{20, 37, 16, 7, 3, 2, 1}, {20, 37, 16, 7, 3, 2, 1}, {11, 21, 10, 5, 3, 2, 1, 1}},
       true}};
  return rows;
}

TEST(PrintedSchedules, AddUpToTheLoadOnEveryLevel) {
  for (int iteration = 2; iteration <= 4; ++iteration) {
    Items all = 0;
    for (const PrintedRow& row : printed_rows()) {
      all += row.iteration == iteration ? row.node_items : 0;
    }
    EXPECT_EQ(all, 1024) << "iteration " << iteration;
  }
  for (const PrintedRow& row : printed_rows()) {
    EXPECT_EQ(sum_of(row.unit_items), row.node_items);
    for (const auto& group : row.gpu_groups) {
      EXPECT_TRUE(fit_together(group, paper_cap));
    }
    if (row.cut_short) {
      EXPECT_LT(sum_of(row.gpu_groups), row.unit_items.front());
    } else {
      EXPECT_EQ(sum_of(row.gpu_groups), row.unit_items.front());
    }
  }
}

TEST(PrintedSchedules, AreFasterWhereTheEngineCopiesWhateverIsReady) {
  double most_saved_s = 0.0;
  for (const PrintedRow& row : printed_rows()) {
    for (const auto& group : row.gpu_groups) {
      const auto times = in_proportion(group);
      const double saved_s = rigid_order_time(times) - pipeline_time(times, 1).value;
      EXPECT_GE(saved_s, -1e-9);
      most_saved_s = std::max(most_saved_s, saved_s);
    }
  }
  EXPECT_GT(most_saved_s, 7.0);
}

TEST(PlanGroups, IsNeverSlowerThanThePrintedSchedules) {
  const AffineCurve in(0.0, in_share);
  const AffineCurve compute(0.0, 1.0);
  const AffineCurve out(0.0, out_share);
  for (const PrintedRow& row : printed_rows()) {
    if (!row.cut_short) {
      const BlockGroups groups =
          plan_groups({&in, &compute, &out, row.unit_items.front(), 1, paper_cap, 1});
      EXPECT_EQ(sum_of(groups), row.unit_items.front());
      EXPECT_LE(seconds_of(groups), seconds_of(row.gpu_groups) + 1e-9);
    }
  }
}

// -- The pipeline --------------------------------------------------------------------------------

TEST(PipelineTime, OverlapsThePrintedGroups) {
  EXPECT_NEAR(pipeline_time(in_proportion({19, 35, 15}), 1).value, 86.3, 0.05);
  EXPECT_NEAR(stall_free_time(in_proportion({19, 35, 15})).value, 85.9, 0.05);
  EXPECT_NEAR(pipeline_time(in_proportion({20, 37, 16, 7, 3, 2, 1}), 1).value, 97.2, 0.05);
  EXPECT_NEAR(stall_free_time(in_proportion({20, 37, 16, 7, 3, 2, 1})).value, 97.2, 0.05);
  const auto longest = in_proportion({22, 41, 18, 8, 4, 2, 1});
  EXPECT_NEAR(pipeline_time(longest, 1).value, 108.5, 0.05);
  EXPECT_NEAR(rigid_order_time(longest), 115.8, 0.05);
}

TEST(PipelineTime, IsTheSumForOneBlockAndNothingForNone) {
  EXPECT_DOUBLE_EQ(pipeline_time({}, 1).value, 0.0);
  EXPECT_DOUBLE_EQ(pipeline_time(in_proportion({100}), 1).value, 198.0);
  EXPECT_DOUBLE_EQ(pipeline_time(in_proportion({100}), 2).value, 198.0);
}

TEST(PipelineTime, LetsResultsGoFirstOnOneEngineAndBothAtOnceOnTwo) {
  // One engine: copies in 0-2 and 2-4, computing 2-5 and 5-8. At 4 only the third input is ready,
  // 4-6. At 6 the first results are copied out, 6-10, then the second, 10-14. The third block is
  // computed 8-11 and copied out 14-18.
  const StageTimes block{{}, Seconds{2.0}, Seconds{3.0}, Seconds{4.0}};
  const std::vector<StageTimes> blocks(3, block);
  EXPECT_DOUBLE_EQ(pipeline_time(blocks, 1).value, 18.0);
  // Two engines: computing 2-5, 5-8, 8-11; copies out 5-9, 9-13, 13-17.
  EXPECT_DOUBLE_EQ(pipeline_time(blocks, 2).value, 17.0);
}

// -- Conditions ----------------------------------------------------------------------------------

StageTimes stages(double in_s, double compute_s, double out_s) {
  return {{}, Seconds{in_s}, Seconds{compute_s}, Seconds{out_s}};
}

TEST(StallFree, LimitsWhatAGroupHolds) {
  EXPECT_TRUE(fit_together(std::vector<Items>{61, 61}, paper_cap));
  EXPECT_FALSE(fit_together(std::vector<Items>{61, 62}, paper_cap));
}

TEST(StallFree, HidesTheSecondBlocksCopiesBehindItsNeighbours) {
  EXPECT_TRUE(hide_outer_copies(std::vector{stages(9, 2, 9), stages(2, 5, 3), stages(9, 3, 9)}));
  EXPECT_FALSE(hide_outer_copies(std::vector{stages(9, 1, 9), stages(2, 5, 3), stages(9, 3, 9)}));
  EXPECT_FALSE(hide_outer_copies(std::vector{stages(9, 2, 9), stages(2, 5, 3), stages(9, 2, 9)}));
  EXPECT_TRUE(hide_outer_copies(std::vector{stages(9, 1, 9)}));
}

TEST(StallFree, HidesTheOuterBlocksCopiesBehindTheSecond) {
  const std::vector<StageTimes> five{stages(1, 1, 3), stages(1, 5, 1), stages(2, 1, 1)};
  EXPECT_TRUE(hide_inner_copies(five, 1));
  const std::vector<StageTimes> four{stages(1, 1, 3), stages(1, 4, 1), stages(2, 1, 1)};
  EXPECT_FALSE(hide_inner_copies(four, 1));
  EXPECT_TRUE(hide_inner_copies(four, 2));
  const std::vector<StageTimes> two{stages(1, 1, 3), stages(1, 2, 1), stages(2, 1, 1)};
  EXPECT_FALSE(hide_inner_copies(two, 2));
}

TEST(StallFree, HidesLaterCopiesBehindTheBlocksBetween) {
  // The fourth block's copy in (2) and the second block's copy out (3) fit behind the computation
  // of the third (5).
  std::vector<StageTimes> times{stages(1, 1, 1), stages(1, 1, 3), stages(1, 5, 2), stages(2, 2, 1)};
  EXPECT_TRUE(hides_later_copies(times, 3, 1));
  times[2].compute = Seconds{4.0};
  EXPECT_FALSE(hides_later_copies(times, 3, 1));
  EXPECT_TRUE(hides_later_copies(times, 3, 2));
  times[3].compute = Seconds{1.0};  // shorter than the copy out of the third block
  EXPECT_FALSE(hides_later_copies(times, 3, 2));
  EXPECT_TRUE(hides_later_copies(times, 2, 1));
}

TEST(StallFree, GroupsTakeWhatThePipelineSays) {
  const unsigned seed = random_seed();
  SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed));
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  int stall_free = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<StageTimes> times;
    const auto blocks = static_cast<int>(1.0 + 6.0 * uniform(random));
    for (int block = 0; block < blocks; ++block) {
      times.push_back(stages(uniform(random), 1.0 + uniform(random), uniform(random)));
    }
    for (const int engines : {1, 2}) {
      const double least = stall_free_time(times).value;
      ASSERT_GE(pipeline_time(times, engines).value, least - 1e-9);
      if (engines == 2 && are_stall_free(times, engines)) {
        ASSERT_NEAR(pipeline_time(times, engines).value, least, 1e-9);
        ++stall_free;
      }
    }
    ASSERT_LE(pipeline_time(times, 2).value, pipeline_time(times, 1).value + 1e-9);
  }
  EXPECT_GT(stall_free, 100);
}

// -- Halving -------------------------------------------------------------------------------------

TEST(HalvingBlocks, AreTheOnesThatThePaperPrints) {
  EXPECT_EQ(halving_blocks(64, 1), (std::vector<Items>{32, 16, 8, 4, 2, 1, 1}));
  EXPECT_EQ(halving_blocks(86, 1), (std::vector<Items>{43, 22, 11, 5, 3, 1, 1}));
  EXPECT_EQ(halving_blocks(85, 1), (std::vector<Items>{43, 21, 11, 5, 3, 1, 1}));
  EXPECT_EQ(halving_blocks(1, 1), (std::vector<Items>{1}));
  EXPECT_TRUE(halving_blocks(0, 1).empty());
}

TEST(HalvingBlocks, AddUpForEverySizeAndAreRoundedHalves) {
  for (Items items = 1; items <= 2000; ++items) {
    const std::vector<Items> blocks = halving_blocks(items, 1);
    ASSERT_EQ(sum_of(blocks), items);
    for (std::size_t l = 0; l < blocks.size(); ++l) {
      const double half = static_cast<double>(items) / static_cast<double>(Items{2} << l);
      ASSERT_EQ(blocks[l], static_cast<Items>(std::floor(half + 0.5))) << items;
    }
  }
}

TEST(HalvingBlocks, AreWholeGrainsAndAPartialOneCountsWhole) {
  EXPECT_EQ(halving_blocks(64, 8), (std::vector<Items>{32, 16, 8, 8}));
  EXPECT_EQ(halving_blocks(61, 8), (std::vector<Items>{32, 16, 8, 8}));
}

TEST(HalvingGroups, HalveTheShareUntilItFitsIntoMemory) {
  const std::vector<Items> of_64{32, 16, 8, 4, 2, 1, 1};
  EXPECT_EQ(halving_groups(64, 1, paper_cap), (BlockGroups{of_64}));
  EXPECT_EQ(halving_groups(128, 1, paper_cap), (BlockGroups{of_64, of_64}));
  EXPECT_EQ(halving_groups(256, 1, paper_cap), (BlockGroups{of_64, of_64, of_64, of_64}));
  EXPECT_EQ(halving_groups(3, 1, 1), (BlockGroups{{1}, {1}, {1}}));
  EXPECT_EQ(halving_groups(5, 10, 10), (BlockGroups{{10}}));
  EXPECT_TRUE(halving_groups(0, 1, 1).empty());
}

// -- Planned groups ------------------------------------------------------------------------------

TEST(PlanGroups, KeepsOneBlockWhereNothingIsCopied) {
  const AffineCurve none(0.0, 0.0);
  const AffineCurve compute(0.5, 1.0);
  EXPECT_EQ(plan_groups({&none, &compute, &none, 100, 1, 1000, 1}), (BlockGroups{{100}}));
  EXPECT_EQ(plan_groups({&none, &compute, &none, 100, 1, 50, 1}), (BlockGroups{{50}, {50}}));
}

TEST(PlanGroups, DoesNotSplitLessThanThreeGrains) {
  const AffineCurve copy(0.0, 0.5);
  const AffineCurve compute(0.0, 1.0);
  EXPECT_EQ(plan_groups({&copy, &compute, &copy, 20, 10, 1000, 1}), (BlockGroups{{20}}));
  EXPECT_EQ(plan_groups({&copy, &compute, &copy, 3, 1, 2, 1}), (BlockGroups{{2}, {1}}));
  EXPECT_EQ(plan_groups({&copy, &compute, &copy, 3, 10, 10, 1}), (BlockGroups{{10}}));
  EXPECT_TRUE(plan_groups({&copy, &compute, &copy, 0, 10, 10, 1}).empty());
}

TEST(PlanGroups, ComesCloseToTheStallFreeTimeOfTheWholeShare) {
  // 2,000 items at 1 s each. Copies add no more than those of a first and a last block.
  const AffineCurve in(0.0, in_share);
  const AffineCurve compute(0.0, 1.0);
  const AffineCurve out(0.0, out_share);
  const BlockGroups groups = plan_groups({&in, &compute, &out, 2000, 1, 2000, 1});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(sum_of(groups), 2000);
  EXPECT_LT(seconds_of(groups), 2000.0 * 1.03);
  const BlockGroups two_engines = plan_groups({&in, &compute, &out, 2000, 1, 2000, 2});
  EXPECT_LE(seconds_of(two_engines, 2), seconds_of(groups) + 1e-9);
}

TEST(PlanGroups, MakesFewerBlocksWhereEachHasAFixedCost) {
  const AffineCurve in(5.0, in_share);
  const AffineCurve compute(5.0, 1.0);
  const AffineCurve out(5.0, out_share);
  const AffineCurve free_in(0.0, in_share);
  const AffineCurve free_compute(0.0, 1.0);
  const AffineCurve free_out(0.0, out_share);
  EXPECT_LT(plan_groups({&in, &compute, &out, 120, 1, 122, 1}).front().size(),
            plan_groups({&free_in, &free_compute, &free_out, 120, 1, 122, 1}).front().size());
}

TEST(PlanGroups, PlacesEveryGrainInGroupsThatFit) {
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
    const SpeedCurve in(samples[0]);
    const SpeedCurve compute(samples[1]);
    const SpeedCurve out(samples[2]);
    const auto grain = static_cast<Items>(1.0 + 5.0 * uniform(random));
    const auto items = static_cast<Items>(1.0 + 900.0 * uniform(random));
    const Items cap = grain + static_cast<Items>(300.0 * uniform(random));
    const int engines = uniform(random) < 0.5 ? 1 : 2;
    const BlockGroups groups = plan_groups({&in, &compute, &out, items, grain, cap, engines});
    ASSERT_EQ(sum_of(groups), (items + grain - 1) / grain * grain);
    for (const auto& group : groups) {
      ASSERT_TRUE(fit_together(group, cap));
      for (const Items block : group) {
        ASSERT_GT(block, 0);
        ASSERT_EQ(block % grain, 0);
      }
    }
  }
}

}  // namespace
}  // namespace equipoise::block_groups_test
