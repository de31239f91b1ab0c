// Tests of dlb-gpu on schedules that were worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/policy_schedule.hpp"

namespace equipoise::dlb_gpu_test {
namespace {

using Sizes = std::vector<Items>;

/// Block times 0.5 + 0.1 x and 1 + 0.05 x s; x0 = 10 items, a step is a tenth of the items.
PolicyTest two_lines(Items items) {
  PolicyTest test;
  test.policy = "dlb-gpu";
  test.parameters = {{"initial_block_items", "10"}, {"step_fraction", "0.1"}};
  test.items = items;
  add_affine(test, 0.5, 0.1);
  add_affine(test, 1.0, 0.05);
  return test;
}

const DecisionRecord* first_called(const Schedule& schedule, DecisionKind kind) {
  const auto found =
      std::find_if(schedule.decisions.begin(), schedule.decisions.end(),
                   [&](const DecisionRecord& decision) { return decision.decision.is(kind); });
  return found == schedule.decisions.end() ? nullptr : &*found;
}

TEST(DlbGpu, TrainsInRoundsAndSolvesStraightLines) {
  const Schedule schedule = run_schedule(two_lines(10'000));
  // Both units take 1.5 s for 10 items, then 2.5 and 2 s for 20: speeds 8 and 10. Then 3.7 and 3 s
  // for 32 and 40: speeds 8.649 and 13.333, which gives 80 * 0.6486 = 51.9 and 80.
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{10, 20, 32, 52}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), (Sizes{10, 20, 40, 80}));
  // A step of 1000 items: T = (1000 + 0.5 / 0.1 + 1 / 0.05) / (1 / 0.1 + 1 / 0.05) = 34.17 s.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run).front(), 337);
  EXPECT_EQ(schedule.sizes(1, BlockTag::run).front(), 663);
  ASSERT_FALSE(schedule.decisions.empty());
  const std::vector<UnitEstimate>& estimates = schedule.decisions.front().decision.estimates;
  EXPECT_EQ(estimates.at(0).cost, "0.1 x + 0.5");
  EXPECT_EQ(estimates.at(1).cost, "0.05 x + 1");
  EXPECT_NEAR(estimates.at(0).r2.value(), 1.0, 1e-9);
  EXPECT_EQ(schedule.decisions_called(DecisionKind::rebalance), 0U);
  expect_all_done(schedule, 10'000);
}

TEST(DlbGpu, TakesTheFitAsAlgorithmOneDoesWhenAskedTo) {
  PolicyTest test = two_lines(10'000);
  test.parameters["accept"] = "literal";
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{10, 20}));
  EXPECT_NEAR(schedule.decisions.front().at.value, 4.0, 1e-9);  // 1.5 + 2.5
}

TEST(DlbGpu, GoesOnTrainingWhileAFitIsPoor) {
  PolicyTest test = two_lines(10'000);
  test.parameters["min_r2"] = "1";  // no fit exceeds it
  const Schedule schedule = run_schedule(test);
  EXPECT_GT(schedule.sizes(0, BlockTag::train).size(), 4U);
  EXPECT_EQ(schedule.notes_of("poor_fit"), 1U);
  expect_all_done(schedule, 10'000);
}

TEST(DlbGpu, LeavesAUnitIdleWhoseFixedCostIsAboveTheCommonTime) {
  PolicyTest test = two_lines(2000);
  test.fake.units[1] = affine_unit(60.0, 0.05);  // the first unit takes 20.5 s for a step of 200
  const Schedule schedule = run_schedule(test);
  EXPECT_TRUE(schedule.sizes(1, BlockTag::run).empty());
  EXPECT_EQ(schedule.sizes(0, BlockTag::run).front(), 200);
  expect_all_done(schedule, 2000);
}

TEST(DlbGpu, TakesProportionWhereALineDoesNotRise) {
  PolicyTest test = two_lines(2000);
  test.fake.units[1] = affine_unit(1.0, 0.0);
  const Schedule schedule = run_schedule(test);
  ASSERT_FALSE(schedule.decisions.empty());
  // The newest block of 80 items took 1 s.
  EXPECT_EQ(schedule.decisions.front().decision.estimates.at(1).cost, "0.0125 x - 0");
  expect_all_done(schedule, 2000);
}

TEST(DlbGpu, FitsTheComputeTimeAloneWhenAskedTo) {
  PolicyTest test = two_lines(10'000);
  test.fake.units[0].in_s = [](double items) { return 0.1 * items; };
  EXPECT_EQ(run_schedule(test).decisions.front().decision.estimates.at(0).cost, "0.2 x + 0.5");
  test.parameters["times"] = "compute";
  EXPECT_EQ(run_schedule(test).decisions.front().decision.estimates.at(0).cost, "0.1 x + 0.5");
}

/// Two units that take 1 s for 100 items. The second takes twice as long for blocks above 150
/// items.
PolicyTest one_unit_surprises() {
  PolicyTest test;
  test.policy = "dlb-gpu";
  test.parameters = {{"initial_block_items", "10"}, {"step_fraction", "0.1"}};
  test.items = 4000;
  add_affine(test, 0.0, 0.01);
  test.fake.units.push_back(affine_unit(0.0, 0.01));
  test.fake.units.back().compute_s = [](double x) { return x > 150.0 ? 0.02 * x : 0.01 * x; };
  return test;
}

TEST(DlbGpu, FitsAndThenSynchronisesWhenBlocksDriftApart) {
  const Schedule schedule = run_schedule(one_unit_surprises());
  // Training ends at 1.5 s. With blocks of 200, u0 ends at 3.5, 5.5 and 7.5 s. u1 ends at 5.5 s,
  // which shows the imbalance, and gets one more block. The fit is made at the next finish. The new
  // blocks begin when u1 is back, at 9.5 s.
  const DecisionRecord* rebalance = first_called(schedule, DecisionKind::rebalance);
  ASSERT_NE(rebalance, nullptr);
  EXPECT_NEAR(rebalance->at.value, 7.5, 1e-9);
  EXPECT_LT(rebalance->decision.estimates.at(1).block_items,
            rebalance->decision.estimates.at(0).block_items);
  bool anyone_begins_at_the_barrier = false;
  for (const BlockRecord& record : schedule.blocks) {
    EXPECT_FALSE(record.assigned.value > 7.0 && record.assigned.value < 9.49);
    anyone_begins_at_the_barrier |= std::abs(record.assigned.value - 9.5) < 1e-9;
  }
  EXPECT_TRUE(anyone_begins_at_the_barrier);
  expect_all_done(schedule, 4000);
}

TEST(DlbGpu, WorksInSynchronousStepsAsAlgorithmTwoDoesWhenAskedTo) {
  PolicyTest test = one_unit_surprises();
  test.parameters["sync_steps"] = "true";
  const Schedule schedule = run_schedule(test);
  const DecisionRecord* rebalance = first_called(schedule, DecisionKind::rebalance);
  ASSERT_NE(rebalance, nullptr);
  EXPECT_NEAR(rebalance->at.value, 5.5, 1e-9);  // at the barrier of the first step
  double barrier = 0.0;
  double end = 0.0;
  for (const BlockRecord& record : schedule.blocks) {
    if (record.assigned.value > barrier) barrier = end;
    EXPECT_DOUBLE_EQ(record.assigned.value, barrier);
    end = std::max(end, record.end.value);
  }
  expect_all_done(schedule, 4000);
}

TEST(DlbGpu, RespectsGrainAndMemory) {
  PolicyTest test = two_lines(10'000);
  test.grain_items = 8;
  test.memory_bytes = {100.0, 1e9};
  const Schedule schedule = run_schedule(test);
  for (const BlockRecord& record : schedule.blocks) {
    EXPECT_TRUE(record.block.items % 8 == 0 || record.block.first + record.block.items == 10'000);
    EXPECT_TRUE(record.unit.index != 0 || record.block.items <= 96);
  }
  expect_all_done(schedule, 10'000);
}

TEST(DlbGpu, WorksWithOneItemOneUnitAndMoreUnitsThanItems) {
  expect_all_done(run_schedule(two_lines(1)), 1);
  expect_all_done(run_schedule(two_lines(3)), 3);
  PolicyTest alone;
  alone.policy = "dlb-gpu";
  alone.items = 5000;
  add_affine(alone, 0.1, 0.01);
  expect_all_done(run_schedule(alone), 5000);
}

TEST(DlbGpu, KeepsItsLinesForIterationsAndForPhasesOfTheSameKernel) {
  PolicyTest test = two_lines(2000);
  test.iterations = 3;
  test.later_kernels = {"second", "first"};
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 18'000);
  EXPECT_EQ(schedule.decisions_called(DecisionKind::fit), 2U);
  for (const BlockRecord& record : schedule.blocks) {
    EXPECT_TRUE(record.block.tag != BlockTag::train ||
                (record.block.iteration == 0 && record.block.phase < 2));
  }
}

TEST(DlbGpu, SurvivesLossesAndUnitsThatComeLate) {
  for (const char* sync : {"false", "true"}) {
    for (const double at : {0.0, 1.0, 4.0, 20.0, 45.0, 300.0}) {
      SCOPED_TRACE(std::string(sync) + " at " + std::to_string(at));
      PolicyTest test = two_lines(10'000);
      test.parameters["sync_steps"] = sync;
      test.fake.faults.push_back({Seconds{at}, UnitId{0}, false});
      expect_all_done(run_schedule(test), 10'000);
      test.fake.faults.push_back({Seconds{at + 50.0}, UnitId{0}, true});
      expect_all_done(run_schedule(test), 10'000);
    }
  }
}

}  // namespace
}  // namespace equipoise::dlb_gpu_test
