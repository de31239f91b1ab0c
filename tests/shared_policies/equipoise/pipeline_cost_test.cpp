// Tests of PipelineCost: what it learns from blocks on an empty unit and from queued blocks.
#include <gtest/gtest.h>

#include "shared_policies/policies/equipoise/pipeline_cost.hpp"

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

TEST(PipelineCost, LearnsComputingAloneFromAFirstBlock) {
  PipelineCost cost;
  StageTimes first = stages(1.0, 2.0, 1.0);
  first.setup = Seconds{30.0};
  cost.add(block_of(100, 0.0, first), Seconds{34.0}, Seconds{}, true);
  EXPECT_DOUBLE_EQ(cost.alone().seconds(100.0), 2.0);
  EXPECT_EQ(cost.depth(), 1U);  // this block says nothing about waiting
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
