// Tests of optimum when the best known schedule is given: it keeps to that schedule.
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/policy_schedule.hpp"

namespace equipoise::optimum_schedule_test {
namespace {

using Sizes = std::vector<Items>;

/// Two units that take 10 ms per item, and the blocks of 100 items that the known schedule gives to
/// each.
PolicyTest keeping_to(const std::vector<Sizes>& blocks) {
  PolicyTest test;
  test.policy = "optimum";
  test.items = 100;
  add_affine(test, 0.0, 0.01);
  add_affine(test, 0.0, 0.01);
  test.known.schedule = {blocks};
  return test;
}

void disturb(PolicyTest& test, DisturbanceKind kind, double at_s, const std::string& unit) {
  test.fake.scenario.events.push_back(
      {.at = Seconds{at_s}, .kind = kind, .target = unit, .profile = {}});
}

TEST(KnownSchedule, IsHandedOutWholeWhenAnIterationStarts) {
  PolicyTest test = keeping_to({{40, 20, 10}, {30}});
  test.iterations = 2;
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{40, 20, 10, 40, 20, 10}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), (Sizes{30, 30}));
  for (const BlockRecord& record : schedule.blocks) {
    EXPECT_NEAR(record.assigned.value, record.block.iteration == 0 ? 0.0 : 0.7, 1e-12);
  }
  EXPECT_NEAR(schedule.makespan(), 1.4, 1e-12);
  EXPECT_EQ(schedule.decisions_called("schedule"), 2U);
  expect_all_done(schedule, 200);
}

TEST(KnownSchedule, MayLeaveAUnitOut) {
  const Schedule schedule = run_schedule(keeping_to({{}, {60, 40}}));
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{0, 100}));
  expect_all_done(schedule, 100);
}

TEST(KnownSchedule, HasItsOwnBlocksInEachPhase) {
  PolicyTest test = keeping_to({{50}, {50}});
  test.known.schedule.push_back({{10, 10}, {80}});
  test.known.phases.emplace_back();
  for (int unit = 0; unit < 2; ++unit) {
    test.known.phases.back().push_back(std::make_unique<AffineCurve>(0.0, 0.01));
  }
  test.later_kernels = {"second"};
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{50, 10, 10}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), (Sizes{50, 80}));
  expect_all_done(schedule, 200);
}

TEST(KnownSchedule, HandsItsBlocksToALateUnitWhenItJoins) {
  PolicyTest test = keeping_to({{70}, {10, 20}});
  disturb(test, DisturbanceKind::join, 0.4, "u1");
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{70}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), (Sizes{10, 20}));
  EXPECT_NEAR(schedule.makespan(), 0.7, 1e-12);
  expect_all_done(schedule, 100);
}

TEST(KnownSchedule, GivesWhatALostUnitLeavesToWhoeverIsIdle) {
  PolicyTest test = keeping_to({{20, 30}, {20, 30}});
  disturb(test, DisturbanceKind::fail, 0.3, "u1");
  const Schedule schedule = run_schedule(test);
  // u1 brought 20 items back. Its 30 lost items are done after u0's own blocks.
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{80, 20}));
  EXPECT_NEAR(schedule.makespan(), 0.8, 1e-12);
  expect_all_done(schedule, 100);
}

TEST(KnownSchedule, GivesAwayTheShareOfAUnitThatNeverComes) {
  PolicyTest test = keeping_to({{40}, {60}});
  disturb(test, DisturbanceKind::join, 100.0, "u1");
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{100, 0}));
  EXPECT_NEAR(schedule.makespan(), 1.0, 1e-12);
  expect_all_done(schedule, 100);
}

}  // namespace
}  // namespace equipoise::optimum_schedule_test
