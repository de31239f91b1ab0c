// Tests of optimum when the best known schedule is given: it keeps to that schedule.
#include <gtest/gtest.h>

#include <memory>
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
  EXPECT_EQ(schedule.decisions_called(DecisionKind::schedule), 2U);
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

PolicyTest reacting_to(const std::vector<Sizes>& blocks) {
  PolicyTest test = keeping_to(blocks);
  test.parameters["reacts"] = "true";
  return test;
}

TEST(ReactingPlan, GivesHalfOfWhatAUnitWouldStillGet) {
  // Both units have half of the work: whoever asks gets a quarter of what remains, rounded up.
  const Schedule schedule = run_schedule(reacting_to({{50}, {50}}));
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{25, 11, 6, 3, 3, 1, 1}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), (Sizes{19, 14, 8, 5, 2, 1, 1}));
  EXPECT_NEAR(schedule.makespan(), 0.5, 1e-12);
  expect_all_done(schedule, 100);
}

TEST(ReactingPlan, MakesUpForAUnitThatIsSlowerThanPlanned) {
  // u1 takes 20 ms an item: kept to, the plan takes 1 s; 67 and 33 items would take 0.67 s.
  PolicyTest kept = keeping_to({{50}, {50}});
  kept.fake.units[1].compute_s = [](double items) { return 0.02 * items; };
  EXPECT_NEAR(run_schedule(kept).makespan(), 1.0, 1e-12);
  PolicyTest reacts = reacting_to({{50}, {50}});
  reacts.fake.units[1].compute_s = [](double items) { return 0.02 * items; };
  const Schedule schedule = run_schedule(reacts);
  EXPECT_LE(schedule.makespan(), 0.69);
  expect_all_done(schedule, 100);
}

TEST(ReactingPlan, MakesNoBlocksInWhichItemsAreDear) {
  // 1 s and 10 ms an item. Alone, the unit's 400 items cost 12.5 ms each; blocks of less than 320
  // items cost more than 1.05 times that. After the first the rest is given whole.
  PolicyTest test;
  test.policy = "optimum";
  test.items = 400;
  test.parameters = {{"reacts", "true"}, {"dearer", "0.05"}};
  add_affine(test, 1.0, 0.01);
  test.known.schedule = {{{400}}};
  const Schedule schedule = run_schedule(test);
  ASSERT_EQ(schedule.blocks.size(), 2U);
  EXPECT_NEAR(static_cast<double>(schedule.blocks[0].block.items), 320.0, 25.0);
  expect_all_done(schedule, 400);
}

/// 1 s of copies for a block, and 10 ms of computation an item.
class CopiedCost final : public CostModel {
 public:
  [[nodiscard]] CostAt at(double items) const override { return {1.0 + 0.01 * items, 0.01}; }
  [[nodiscard]] double computing_s(double items) const override { return 0.01 * items; }
  [[nodiscard]] bool non_decreasing() const override { return true; }
};

TEST(ReactingPlan, CountsCopiesWhereTheResidentDataAreThereFromTheStart) {
  // As above: of 400 items, those of blocks with less than 320 cost more than 1.05 * 12.5 ms each.
  // The cost contains no setup, because nothing is sent before the first block.
  PolicyTest test;
  test.policy = "optimum";
  test.items = 400;
  test.resident_bytes = 1e6;
  test.distribution = Distribution::replicated;
  test.parameters = {{"reacts", "true"}, {"dearer", "0.05"}};
  test.fake.units.push_back(affine_unit(0.0, 0.01));
  test.fake.units[0].in_s = [](double /*items*/) { return 1.0; };
  test.fake.units[0].is_replicated = true;
  test.known.phases.front().push_back(std::make_unique<CopiedCost>());
  test.known.schedule = {{{400}}};
  const Schedule schedule = run_schedule(test);
  ASSERT_EQ(schedule.blocks.size(), 2U);
  EXPECT_NEAR(static_cast<double>(schedule.blocks[0].block.items), 320.0, 25.0);
  expect_all_done(schedule, 400);
}

TEST(ReactingPlan, LeavesTheLastBlockToTheFasterUnit) {
  // u1 takes 1 s an item, u0 10 ms. When 4 items are left, u1 would end them long after u0.
  PolicyTest test;
  test.policy = "optimum";
  test.items = 8;
  test.parameters["reacts"] = "true";
  add_affine(test, 0.0, 0.01);
  add_affine(test, 0.0, 1.0);
  test.known.schedule = {{{7}, {1}}};
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{8, 0}));
  EXPECT_NEAR(schedule.makespan(), 0.08, 1e-12);
}

TEST(ReactingPlan, GivesAwayTheWorkOfALostUnit) {
  PolicyTest test = reacting_to({{50}, {50}});
  disturb(test, DisturbanceKind::fail, 0.1, "u1");
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{100, 0}));
  EXPECT_NEAR(schedule.makespan(), 1.0, 1e-12);
  expect_all_done(schedule, 100);
}

}  // namespace
}  // namespace equipoise::optimum_schedule_test
