// Tests of dmda on schedules that were worked out by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/policy_schedule.hpp"

namespace equipoise::dmda_test {
namespace {

using Sizes = std::vector<Items>;

/// Two units that take 1 and 3.3 s per item, 200 items in tasks of 10; two samples are enough.
PolicyTest one_and_three() {
  PolicyTest test;
  test.policy = "dmda";
  test.parameters = {{"initial_block_items", "10"}, {"samples", "2"}};
  test.items = 200;
  add_affine(test, 0.0, 1.0);
  add_affine(test, 0.0, 3.3);
  return test;
}

TEST(Dmda, CalibratesGreedilyAndThenPutsEachTaskWhereItEndsFirst) {
  const Schedule schedule = run_schedule(one_and_three());
  // The second unit has its second sample at 66 s; the first is in its seventh task by then, until
  // 70 s. The queues of the 11 tasks that are left end, at most, at
  //   80 (99), 90 (99), 99 (100), 100 (132), 110, 120, 130 (132), 132 (140), 140 (165), 150, 160 s
  // with the end on the other unit in brackets: 9 tasks and 2.
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), Sizes(7, 10));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), Sizes(2, 10));
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), Sizes(9, 10));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), Sizes(2, 10));
  EXPECT_NEAR(schedule.makespan(), 160.0, 1e-9);
  EXPECT_EQ(schedule.decisions_called(DecisionKind::schedule), 1U);
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_FALSE(schedule.outcome.policy_stalled);
}

TEST(Dmda, PlansAnIterationOfAKnownKernelWhenItBeginsAndStealsNothing) {
  PolicyTest test = one_and_three();
  test.iterations = 2;
  // In the second iteration, from 160 s on, the second unit takes ten times as long.
  test.fake.units[1].compute_s = [clock = test.clock](double items) {
    return (clock->now_s() < 159.0 ? 3.3 : 33.0) * items;
  };
  const Schedule schedule = run_schedule(test);
  // 20 tasks of 10 or 33 s: 16 end by 160 s on the first unit, and 4 by 132 s on the second, which
  // needs 4 * 330 s for them.
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{160 + 160, 40 + 40}));
  EXPECT_EQ(schedule.decisions_called(DecisionKind::schedule), 2U);
  EXPECT_NEAR(schedule.makespan(), 160.0 + 1320.0, 1e-9);
}

/// The second unit computes for 10 s and copies for 15 s, the first computes for 19 s. Four tasks
/// are put into queues at 25 s, when the second unit has ended its first task.
Sizes queued_with_copies(const std::string& beta, int slots) {
  PolicyTest test;
  test.policy = "dmda";
  test.parameters = {{"initial_block_items", "10"}, {"samples", "1"}, {"beta", beta}};
  test.slots = slots;
  test.items = slots == 1 ? 70 : 90;
  add_affine(test, 0.0, 1.9);
  add_affine(test, 0.0, 1.0);
  test.fake.units[1].in_s = [](double items) { return 1.5 * items; };
  const Schedule schedule = run_schedule(test);
  Sizes tasks;
  for (const std::uint32_t unit : {0U, 1U}) {
    tasks.push_back(static_cast<Items>(schedule.sizes(unit, BlockTag::run).size()));
  }
  return tasks;
}

TEST(Dmda, CountsCopiesAsFarAsBetaSaysAndHidesThemBehindTheQueue) {
  // The first unit has work until 57 s, the second, copies not counted, until 35 s.
  // beta 1: 76 or 35 + 10 + 15; its queue ends at 50 s, because the copy ends at 40 s. 76 or
  // 60 + 15 (60 s, the copy is hidden), 76 or 70 + 15, 95 or 85.
  EXPECT_EQ(queued_with_copies("1", 2), (Sizes{1, 3}));
  // beta 3: 76 or 45 + 45, 95 or 90 (50 s), 95 or 105, 114 or 105.
  EXPECT_EQ(queued_with_copies("3", 2), (Sizes{2, 2}));
}

TEST(Dmda, HidesNoCopiesOfAUnitWithOneSlot) {
  // The first unit has work until 38 s. beta 0: 57 or 35 (50 s, with the copy), 57 or 60, 76 or 60
  // (75 s), 76 or 85.
  EXPECT_EQ(queued_with_copies("0", 1), (Sizes{2, 2}));
}

TEST(Dmda, GivesTheTasksOfALostUnitToTheOthers) {
  // At 75 s the second unit is in the first of the two tasks of its queue.
  PolicyTest test = one_and_three();
  test.fake.faults.push_back({Seconds{75.0}, UnitId{1}, false});
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 200);
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{180, 20}));
}

TEST(Dmda, CoresOfOneModelShareAHistoryUnlessTold) {
  PolicyTest test;
  test.policy = "dmda";
  test.parameters = {{"initial_block_items", "10"}, {"samples", "2"}};
  test.items = 100;
  for (const char* name : {"u0", "u1"}) {
    Unit unit;
    unit.name = name;
    unit.model = "Xeon";
    test.units.push_back(unit);
  }
  add_affine(test, 0.0, 1.0);
  add_affine(test, 0.0, 1.1);
  // Two samples at 11 s, when the first unit is in its second task.
  Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), Sizes(2, 10));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), Sizes(1, 10));
  // Two samples of the second unit at 22 s, when the first is in its third task.
  test.parameters["cpu_histories"] = "own";
  schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), Sizes(3, 10));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), Sizes(2, 10));
}

TEST(Dmda, LeavesOutTimesFarFromTheMeanAndForgetsASizeWithAsManyOfThem) {
  PolicyTest test;
  test.policy = "dmda";
  test.parameters = {{"initial_block_items", "10"}, {"samples", "2"}};
  test.items = 100;
  add_affine(test, 0.0, 1.0);
  // The second task takes 30 s. One error, one sample: the third and fourth are the two samples.
  test.fake.units[0].compute_s = [clock = test.clock](double items) {
    return (clock->now_s() > 9.0 && clock->now_s() < 39.0 ? 3.0 : 1.0) * items;
  };
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::train), Sizes(4, 10));
  test.parameters["max_error"] = "5";
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::train), Sizes(2, 10));
}

TEST(Dmda, CutsTheInputIntoAsManyTasksAsAreWanted) {
  PolicyTest test = one_and_three();
  test.parameters = {{"pieces", "7"}};
  test.grain_items = 4;
  // ceil(200 / 7) = 29 items, in whole grains 32: six tasks, and the 8 items left.
  const Sizes sizes = run_schedule(test).sizes_as_handed_out();
  EXPECT_EQ(sizes, (Sizes{32, 32, 32, 32, 32, 32, 8}));
}

}  // namespace
}  // namespace equipoise::dmda_test
