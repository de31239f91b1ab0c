// Tests of PipelineCost: what it learns from blocks on an empty unit and from queued blocks.
#include <gtest/gtest.h>

#include <limits>

#include "shared_policies/policies/equipoise/block_costs.hpp"

namespace equipoise::pipeline_cost_test {
namespace {

/// A finished block of `items` that was handed out at `assigned_s`.
BlockFinished block_of(Items items, double assigned_s, StageTimes times) {
  return {UnitId{0}, Block{.items = items}, Seconds{assigned_s}, times, {}};
}

StageTimes stages(double in_s, double compute_s, double out_s) {
  return {{}, Seconds{in_s}, Seconds{compute_s}, Seconds{out_s}};
}

TEST(PipelineCost, TakesABlockThatMetAnEmptyUnitFromHandToEnd) {
  PipelineCost cost;
  EXPECT_FALSE(cost.is_known());
  // 100 items: handed out at 10 s, back at 15 s. One of the five seconds was dispatch.
  cost.add(block_of(100, 10.0, stages(1.0, 2.0, 1.0)), Seconds{15.0}, Seconds{9.0}, false);
  EXPECT_TRUE(cost.is_known());
  EXPECT_DOUBLE_EQ(cost.alone().seconds(100.0), 5.0);
  EXPECT_DOUBLE_EQ(cost.queued().seconds(100.0), 5.0);  // as long as no block was queued
}

TEST(PipelineCost, TakesABlockThatIsHandedOutAtTheEndOfAnotherForAlone) {
  PipelineCost cost;
  cost.add(block_of(100, 10.0, stages(0.0, 5.0, 0.0)), Seconds{15.0}, Seconds{10.0}, false);
  EXPECT_DOUBLE_EQ(cost.alone().seconds(100.0), 5.0);
}

TEST(PipelineCost, TakesTheLongestStageOfAQueuedBlockAndWhatItWaits) {
  PipelineCost cost;
  cost.add(block_of(100, 0.0, stages(1.0, 2.0, 1.0)), Seconds{4.0}, Seconds{}, false);
  // Handed out at 1 s behind the first block. It ends 2.5 s after the
  // first, 1.25 times its longest stage.
  cost.add(block_of(100, 1.0, stages(1.0, 2.0, 1.0)), Seconds{6.5}, Seconds{4.0}, false);
  EXPECT_DOUBLE_EQ(cost.queued().seconds(100.0), 2.5);
  EXPECT_DOUBLE_EQ(cost.alone().seconds(100.0), 4.0);
}

TEST(PipelineCost, DoesNotCountTheNeighbourThatASmallBlockWaitsFor) {
  PipelineCost cost;
  for (int i = 0; i < 4; ++i) {  // blocks of 1000 items that are copied in for 10 s, one by one
    cost.add(block_of(1000, 10.0 * i, stages(10.0, 1.0, 0.0)), Seconds{10.0 * i + 11.0},
             Seconds{10.0 * i + 1.0}, false);
  }
  // A small one ends 10 s after the last of them, as the next one's copy kept the engine busy.
  cost.add(block_of(10, 40.0, stages(0.1, 0.01, 0.0)), Seconds{51.0}, Seconds{41.0}, false);
  // Queued blocks took (4 x 10 + 10) / (4 x 10 + 0.1) of their longest stages: 1.25.
  EXPECT_NEAR(cost.queued().seconds(1000.0), 10.0, 0.1);
  EXPECT_LT(cost.queued().seconds(10.0), 0.2);
}

TEST(PipelineCost, CountsASmallBlockBehindALargeOneForItsLongestStageAtLeast) {
  PipelineCost cost;
  cost.add(block_of(1000, 0.0, stages(20.0, 10.0, 0.0)), Seconds{30.0}, Seconds{}, false);
  // The small block is copied in and waits when the large one ends, 0.3 s before its own end.
  cost.add(block_of(10, 1.0, stages(0.5, 0.3, 0.1)), Seconds{30.3}, Seconds{30.0}, false);
  EXPECT_DOUBLE_EQ(cost.queued().seconds(10.0), 0.5);
}

TEST(PipelineCost, LearnsCopiesFromAFirstBlockOnlyWhereTheyAreNotThoseOfAColdCache) {
  StageTimes first = stages(1.0, 2.0, 1.0);
  first.setup = Seconds{30.0};
  PipelineCost accelerator;
  accelerator.add(block_of(100, 0.0, first), Seconds{34.0}, Seconds{}, true);
  EXPECT_DOUBLE_EQ(accelerator.alone().seconds(100.0), 4.0) << "without setup";
  EXPECT_EQ(accelerator.depth(), 1U);  // this block says nothing about waiting
  PipelineCost cpu(false);
  cpu.add(block_of(100, 0.0, first), Seconds{34.0}, Seconds{}, true);
  EXPECT_DOUBLE_EQ(cpu.alone().seconds(100.0), 2.0);
}

/// 100 items: 2 s to copy in, 4 s to compute, 2 s to copy out.
PipelineCost hiding_copies() {
  PipelineCost cost;
  cost.add(block_of(100, 0.0, stages(2.0, 4.0, 2.0)), Seconds{8.0}, Seconds{}, false);
  return cost;
}

TEST(PipelineCost, QueuesNoLongerBlockThanHidesItsCopy) {
  // Half of a block's time is its copy in, so 3 s of work hide the copy of a block of 6 s.
  EXPECT_DOUBLE_EQ(hiding_copies().longest_hidden_s(3.0, 100.0), 6.0);
  EXPECT_DOUBLE_EQ(hiding_copies().longest_hidden_s(0.0, 100.0), 0.0);
  PipelineCost copies_nothing;
  copies_nothing.add(block_of(100, 0.0, stages(0.0, 4.0, 0.0)), Seconds{4.0}, Seconds{}, false);
  EXPECT_EQ(copies_nothing.longest_hidden_s(3.0, 100.0), std::numeric_limits<double>::infinity());
}

TEST(PipelineCost, WaitsForACopyIfThatCostsLessThanMoreBlocks) {
  PipelineCost cost = hiding_copies();
  for (int i = 0; i < 50; ++i) {
    cost.add(block_of(100, 0.0, stages(2.0, 4.0, 2.0)), Seconds{8.0}, Seconds{}, false);
    cost.add(block_of(10'000, 0.0, stages(101.0, 202.0, 101.0)), Seconds{404.0}, Seconds{}, false);
  }
  // The line is about 4 + 0.04 x s. Half of it is the copy in: 4 + sqrt(4 * 800 * 0.5) / 0.5 s.
  EXPECT_NEAR(cost.alone().fixed_s(), 4.0, 0.05);
  EXPECT_NEAR(cost.longest_hidden_s(1.0, 800.0), 4.0 + 40.0 / 0.5, 1.0);
  EXPECT_NEAR(cost.longest_hidden_s(60.0, 800.0), 4.0 + 60.0 / 0.5, 1.0);
}

LearnedCost earlier(double seconds) { return {{{100.0, 20.0, seconds}}, {}, 1.0, 0.05, 0.05}; }

TEST(PipelineCost, ForgetsEarlierRunsThatTheFirstBlockContradicts) {
  for (const double seconds : {0.5, 8.0}) {  // four times too fast, four times too slow
    PipelineCost cost;
    cost.start_from(earlier(seconds));
    EXPECT_TRUE(cost.is_unconfirmed());
    EXPECT_TRUE(cost.add(block_of(50, 0.0, stages(0.0, 1.0, 0.0)), Seconds{1.0}, Seconds{}, true));
    EXPECT_DOUBLE_EQ(cost.alone().seconds(50.0), 1.0);
    EXPECT_DOUBLE_EQ(cost.alone().largest_items(), 50.0) << "larger blocks are to be tried again";
    EXPECT_FALSE(cost.is_unconfirmed());
  }
}

TEST(PipelineCost, KeepsEarlierRunsThatTheFirstBlockConfirms) {
  PipelineCost cost;
  cost.start_from(earlier(2.0));
  EXPECT_FALSE(cost.add(block_of(50, 0.0, stages(0.0, 1.1, 0.0)), Seconds{1.1}, Seconds{}, true));
  EXPECT_DOUBLE_EQ(cost.alone().seconds(100.0), 2.0);
  EXPECT_FALSE(cost.is_unconfirmed());
}

TEST(PipelineCost, ConfirmsEarlierRunsByABlockWhoseItemsTakeMostOfItsTime) {
  for (const double seconds : {6.0, 60.0}) {  // as expected, and ten times as long
    PipelineCost cost;
    cost.start_from(
        {{{10.0, 20.0, 1.1}, {1000.0, 20.0, 11.0}}, {}, 1.0, 0.05, 0.05});  // 1 + 0.01 x
    EXPECT_FALSE(cost.add(block_of(20, 0.0, stages(0.0, 1.2, 0.0)), Seconds{1.2}, Seconds{}, true));
    EXPECT_TRUE(cost.is_unconfirmed()) << "of 1.2 s, 20 items take only 0.2 s";
    const bool is_wrong = cost.add(block_of(500, 2.0, stages(0.0, seconds, 0.0)),
                                   Seconds{2.0 + seconds}, Seconds{1.2}, false);
    EXPECT_EQ(is_wrong, seconds > 6.0);
    EXPECT_NEAR(cost.alone().seconds(500.0), seconds, 1e-3);
    EXPECT_FALSE(cost.is_unconfirmed());
  }
}

TEST(PipelineCost, IsKnownByQueuedBlocksAlone) {
  PipelineCost cost;
  cost.add(block_of(100, 1.0, stages(1.0, 2.0, 1.0)), Seconds{6.5}, Seconds{4.0}, false);
  EXPECT_TRUE(cost.is_known());
  EXPECT_DOUBLE_EQ(cost.alone().seconds(100.0), cost.queued().seconds(100.0));
}

TEST(PipelineCost, SharesMemoryAmongBlocksWhereTheirStagesOverlap) {
  PipelineCost cost;
  EXPECT_EQ(cost.blocks_in_memory(100.0, 2), 1) << "nothing is known";
  // Three equal stages: 3 s for 100 items one after another, 1 s if three blocks overlap, 1.5 s if
  // two do.
  cost.add(block_of(100, 0.0, stages(1.0, 1.0, 1.0)), Seconds{3.0}, Seconds{}, false);
  EXPECT_EQ(cost.blocks_in_memory(100.0, 2), 3);
  EXPECT_EQ(cost.blocks_in_memory(100.0, 1), 2);
  EXPECT_EQ(cost.blocks_in_memory(100.0, 0), 1);
}

TEST(PipelineCost, SharesNoMemoryWhereAnyBlockTakesAsLong) {
  PipelineCost cost;  // a GPU that computes up to 100 items at once: 3 s, of which 0.6 s are copies
  for (const Items items : {25, 50, 100, 25, 50, 100}) {
    cost.add(block_of(items, 0.0, stages(0.3, 2.4, 0.3)), Seconds{3.0}, Seconds{}, false);
  }
  EXPECT_EQ(cost.blocks_in_memory(100.0, 2), 1);
}

TEST(PipelineCost, TakesTheShareOfTheCopyInFromThisRun) {
  PipelineCost cost;
  cost.start_from({{{100.0, 20.0, 8.0}}, {}, 0.5, 0.05, 0.05});
  EXPECT_TRUE(cost.hides_copies());
  EXPECT_EQ(cost.longest_hidden_s(60.0, 0.0), std::numeric_limits<double>::infinity());
  cost.add(block_of(100, 0.0, stages(2.0, 4.0, 2.0)), Seconds{8.0}, Seconds{}, false);
  // Half of a block's longest stage is its copy in, whatever earlier runs' longest stages were.
  EXPECT_DOUBLE_EQ(cost.longest_hidden_s(60.0, 0.0), cost.queued().fixed_s() + 60.0 / 0.5);
}

TEST(PipelineCost, LearnsNothingFromAFirstBlockOnceCostsAreKnown) {
  PipelineCost cost;
  cost.add(block_of(100, 0.0, stages(1.0, 2.0, 1.0)), Seconds{4.0}, Seconds{}, false);
  StageTimes first = stages(1.0, 7.0, 1.0);
  first.setup = Seconds{30.0};
  cost.add(block_of(100, 4.0, first), Seconds{43.0}, Seconds{4.0}, true);
  EXPECT_DOUBLE_EQ(cost.alone().seconds(100.0), 4.0);
}

/// The depth after one block with these stages, which waited `dispatch_s` before them.
std::size_t depth_of(double dispatch_s, const StageTimes& times, bool overlaps = true) {
  PipelineCost cost(overlaps);
  cost.add(block_of(100, 1.0, times), Seconds{1.0 + dispatch_s} + total(times), Seconds{}, false);
  return cost.depth();
}

TEST(PipelineCost, QueuesAsManyBlocksAsLittlesLawAsksFor) {
  EXPECT_EQ(PipelineCost{}.depth(), 1U);
  // The time alone over the longest stage is 1, 4/2, 6/5, 3 and 4/1, rounded up.
  EXPECT_EQ(depth_of(0.0, stages(0.0, 2.0, 0.0)), 1U);
  EXPECT_EQ(depth_of(0.0, stages(1.0, 2.0, 1.0)), 2U);
  EXPECT_EQ(depth_of(0.0, stages(0.5, 5.0, 0.5)), 2U);
  EXPECT_EQ(depth_of(0.0, stages(1.0, 1.0, 1.0)), 3U);
  EXPECT_EQ(depth_of(1.0, stages(1.0, 1.0, 1.0)), 4U);
}

TEST(PipelineCost, QueuesNothingForLessThanFivePercentOfWaiting) {
  EXPECT_EQ(depth_of(0.04, stages(0.0, 1.0, 0.0)), 1U);
  EXPECT_EQ(depth_of(0.06, stages(0.0, 1.0, 0.0)), 2U);
}

TEST(PipelineCost, HidesNoCopiesOfAUnitThatCopiesByItself) {
  EXPECT_EQ(depth_of(0.0, stages(1.0, 2.0, 1.0), false), 1U);
  EXPECT_EQ(depth_of(0.06, stages(0.25, 0.5, 0.25), false), 2U);
}

TEST(PipelineCost, QueuesABlockWhereItTakesLongToHearOfAnEnd) {
  // 1 s of computing. The block was handed out as soon as the controller heard that the one before
  // had ended at 10 s.
  const auto depth_when_heard = [](double heard_s) {
    PipelineCost cost(false);
    const double assigned_s = 10.0 + heard_s;
    cost.add(block_of(100, assigned_s, stages(0.0, 1.0, 0.0)), Seconds{assigned_s + 1.0},
             Seconds{10.0}, false, Seconds{heard_s});
    EXPECT_DOUBLE_EQ(cost.alone().seconds(100.0), 1.0);
    return cost.depth();
  };
  EXPECT_EQ(depth_when_heard(0.04), 1U);
  EXPECT_EQ(depth_when_heard(0.06), 2U);
}

TEST(PipelineCost, NeverQueuesMoreThanFour) {
  EXPECT_EQ(depth_of(97.0, stages(1.0, 1.0, 1.0)), 4U);  // Little's law asks for 100
}

}  // namespace
}  // namespace equipoise::pipeline_cost_test
