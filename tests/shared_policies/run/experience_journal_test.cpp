// Tests of experience: what one run shows of a kernel on a unit, and how runs are joined.
#include "shared_policies/run/experience_journal.hpp"

#include <gtest/gtest.h>

namespace equipoise::experience_test {
namespace {

constexpr UnitId unit{0};

/// A block of `items` that was handed out at `assigned_s` and ended at `end_s`; it computed for
/// `compute_s` of it, and for `setup_s` its unit was set up.
BlockRecord block(Items items, double assigned_s, double end_s, double compute_s,
                  double setup_s = 0.0) {
  BlockRecord record;
  record.unit = unit;
  record.block.items = items;
  record.assigned = Seconds{assigned_s};
  record.end = Seconds{end_s};
  record.times.setup = Seconds{setup_s};
  record.times.compute = Seconds{compute_s};
  return record;
}

LearnedCost shown_by(const std::vector<BlockRecord>& blocks) {
  ExperienceJournal journal(1, 1);
  for (const BlockRecord& record : blocks) journal.block(record);
  return journal.shown()[0][0].value();
}

TEST(ExperienceJournal, TellsBlocksOnAnEmptyUnitFromQueuedOnes) {
  const LearnedCost cost = shown_by({block(110, 0.0, 1.0, 1.0),    // the first: left out
                                     block(100, 1.5, 3.5, 1.0),    // 2 s
                                     block(120, 2.0, 4.5, 1.0),    // queued: 1 s after the other
                                     block(100, 5.0, 9.0, 2.0)});  // 4 s
  ASSERT_EQ(cost.alone.size(), 1u);
  EXPECT_DOUBLE_EQ(cost.alone[0].items, 100.0);
  EXPECT_DOUBLE_EQ(cost.alone[0].blocks, 2.0);
  EXPECT_DOUBLE_EQ(cost.alone[0].seconds, 3.0);
  ASSERT_EQ(cost.queued.size(), 1u);
  EXPECT_DOUBLE_EQ(cost.queued[0].items, 120.0);
  EXPECT_DOUBLE_EQ(cost.queued[0].seconds, 1.0);
  EXPECT_DOUBLE_EQ(cost.stage_share, 0.5) << "3 s of computing in 6 s";
  // 0.02 and 0.04 s an item: their variance is 2e-4, that of one block 2e-4 / 0.03^2.
  EXPECT_NEAR(cost.scatter, 0.4714, 1e-4);
}

TEST(ExperienceJournal, KeepsTheFirstBlockOnlyIfNoOtherHadItsSize) {
  EXPECT_DOUBLE_EQ(shown_by({block(10, 0.0, 3.0, 2.0, 1.0)}).alone[0].seconds, 2.0)
      << "without setup";
  EXPECT_DOUBLE_EQ(
      shown_by({block(10, 0.0, 3.0, 2.0, 1.0), block(10, 3.0, 4.0, 1.0)}).alone[0].seconds, 1.0);
  EXPECT_DOUBLE_EQ(
      shown_by({block(100, 0.0, 3.0, 2.0, 1.0), block(10, 3.0, 4.0, 1.0)}).alone[1].seconds, 2.0);
}

TEST(ExperienceJournal, LeavesOutTheFirstBlockAfterAUnitCameBack) {
  ExperienceJournal journal(1, 1);
  journal.block(block(10, 0.0, 1.0, 1.0));
  journal.block(block(10, 1.0, 2.0, 1.0));
  journal.event({{}, UnitLost{unit}});
  journal.block(block(10, 5.0, 9.0, 4.0));
  EXPECT_DOUBLE_EQ(journal.shown()[0][0]->alone[0].seconds, 1.0);
}

TEST(ExperienceJournal, KnowsNothingOfAUnitWithoutBlocks) {
  EXPECT_FALSE(ExperienceJournal(1, 1).shown()[0][0].has_value());
}

TEST(Experience, CountsEarlierRunsHalf) {
  const LearnedCost before{{{100.0, 8.0, 2.0}}, {}, 1.0, 0.1, 0.0};
  const LearnedCost now{{{110.0, 4.0, 2.6}}, {}, 0.5, 0.3, 0.0};
  const LearnedCost both = with_new_run(before, now);
  ASSERT_EQ(both.alone.size(), 1u) << "the same octave";
  EXPECT_DOUBLE_EQ(both.alone[0].blocks, 8.0);  // 4 + 4
  EXPECT_DOUBLE_EQ(both.alone[0].items, 105.0);
  EXPECT_DOUBLE_EQ(both.alone[0].seconds, 2.3);
  EXPECT_DOUBLE_EQ(both.stage_share, 0.75);
  EXPECT_DOUBLE_EQ(both.scatter, 0.2);
}

TEST(Experience, KeepsSizesThatTheNewRunDidNotUse) {
  const LearnedCost both =
      with_new_run({{{4.0, 8.0, 1.0}, {100.0, 8.0, 2.0}}, {}}, {{{100.0, 2.0, 2.0}}, {}});
  ASSERT_EQ(both.alone.size(), 2u);
  EXPECT_DOUBLE_EQ(both.alone[0].blocks, 4.0);
}

TEST(Experience, ForgetsAUnitThatHasChanged) {
  // A factor of two, where 3 % scatter: the old times hold no more.
  const LearnedCost now{{{100.0, 2.0, 4.0}}, {}, 1.0, 0.03, 0.0};
  const LearnedCost both =
      with_new_run({{{4.0, 8.0, 1.0}, {100.0, 8.0, 2.0}}, {}, 1.0, 0.03, 0.0}, now);
  ASSERT_EQ(both.alone.size(), 1u);
  EXPECT_DOUBLE_EQ(both.alone[0].seconds, 4.0);
}

TEST(Experience, TakesADifferenceForScatterWhereTimesScatterThatMuch) {
  const LearnedCost both = with_new_run({{{100.0, 8.0, 2.0}}, {}, 1.0, 0.3, 0.0},
                                        {{{100.0, 4.0, 4.0}}, {}, 1.0, 0.3, 0.0});
  EXPECT_DOUBLE_EQ(both.alone[0].seconds, 3.0);
}

}  // namespace
}  // namespace equipoise::experience_test
