// Tests of initial_block_items=time:SHARE.
#include "shared_policies/policies/probed_start.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/disturb.hpp"
#include "tests/support/policy_schedule.hpp"
#include "tests/support/refusal.hpp"

namespace equipoise::probed_start_test {
namespace {

using Sizes = std::vector<Items>;

/// Units of 10, 5, 1 and 0.5 items per second. `auto` means 10000 * 0.1 / 60 = 17 items; probes are
/// of 1 and 4 items and end at 10 s. Without fixed costs, the first training round takes x0 / 0.5 s
/// and the others 14 x0 / 10 s, and the run 10000 / 16.5 s: x0 = 1000 / 16.5 / (2 + 1.4) = 17.83.
PolicyTest four_speeds(const std::string& policy) {
  PolicyTest test;
  test.policy = policy;
  test.parameters = {{"initial_block_items", "time:0.10"}};
  test.items = 10'000;
  for (const double speed : {10.0, 5.0, 1.0, 0.5}) add_affine(test, 0.0, 1.0 / speed);
  return test;
}

TEST(ProbedStart, IsTheShareOfTheItemsForEqualUnits) {
  const std::vector<CostLine> equal = {{0.25, 0.0, 0.0}, {0.25, 0.0, 0.0}};
  EXPECT_NEAR(first_block_for_time(0.1, 6000, equal), 0.1 * 6000 / (15 * 2), 1e-9);
}

TEST(ProbedStart, TakesFixedCostsIntoAccount) {
  // 1 + x / 100 s. A step of 500 items takes 6 s, a run 120 s. Training: 4 + 15 x0 / 100 = 12 s.
  const std::vector<CostLine> one = {{0.01, -1.0, 0.0}};
  EXPECT_NEAR(first_block_for_time(0.1, 10'000, one), 8.0 / 0.15, 1e-9);
  // Four blocks alone take more than 1.2 s.
  EXPECT_NEAR(first_block_for_time(0.01, 10'000, one), 0.0, 1e-9);
  // And a unit of 0.1 x s. A step: (T - 1) / 0.01 + T / 0.1 = 500 at T = 60 / 11.
  // At x0 = 10: 1.1 and 1 s, so that R_0 = 1 / 1.1.
  const std::vector<CostLine> two = {{0.01, -1.0, 0.0}, {0.1, 0.0, 0.0}};
  const double training_s = 1.1 + 2.0 + 4.0 + 8.0;  // 0.1 x is longest: 20, 40, 80 items
  const double step_s = 60.0 / 11.0;
  EXPECT_NEAR(first_block_for_time(training_s / (20.0 * step_s), 10'000, two), 10.0, 1e-9);
}

TEST(ProbedStart, ChoosesTheBlockWithWhichTrainingTakesATenthOfTheTime) {
  const Schedule schedule = run_schedule(four_speeds("plb-hec"));
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{1, 4, 18, 36, 72, 144}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), (Sizes{1, 4, 18, 18, 36, 72}));
  EXPECT_EQ(schedule.notes_of("initial_block_items=18"), 1U);
  // 10 s of probes, 36 s for 18 items on the slowest, then about 3.6, 7.2 and 14.4 s.
  const double trained_s = schedule.decisions.front().at.value - 10.0;
  EXPECT_NEAR(trained_s, 36.0 + 25.2, 1.5);
  EXPECT_NEAR(trained_s / schedule.makespan(), 0.10, 0.01);
  expect_all_done(schedule, 10'000);
}

TEST(ProbedStart, WorksForEveryPolicyThatHasAFirstBlock) {
  int policies = 0;
  for (const PolicyInfo& info : policy_catalog()) {
    PolicyTest test = four_speeds(info.name);
    bool has_first_block = false;
    for (const ParameterInfo& parameter : info.parameters) {
      has_first_block = has_first_block || parameter.name == "initial_block_items";
    }
    if (!has_first_block) continue;
    SCOPED_TRACE(info.name);
    ++policies;
    for (const int slots : {1, 3}) {
      test.slots = slots;
      test.iterations = 2;
      const Schedule schedule = run_schedule(test);
      expect_all_done(schedule, 20'000);
      EXPECT_EQ(schedule.notes_of("initial_block_items=18"), 1U);
    }
  }
  EXPECT_GE(policies, 10);
}

TEST(ProbedStart, GoesOnWhereUnitsAreLostOrJoinWhileTheyAreProbed) {
  // The slowest unit, whose first probe would end at 2 s, is lost at 1.5 s; another joins at 0.5 s
  // and is probed until 1 s. Of the speeds 10, 10, 5 and 1: 1000 / (26 * (14 / 10 + 1)) = 16.03.
  PolicyTest test = four_speeds("greedy");
  add_affine(test, 0.0, 0.1);
  test.fake.faults = {{Seconds{0.0}, UnitId{4}, false},
                      {Seconds{0.5}, UnitId{4}, true},
                      {Seconds{1.5}, UnitId{3}, false}};
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.notes_of("initial_block_items=16"), 1U);
  expect_all_done(schedule, 10'000);
  // The lost item goes first.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run).front(), 1);
  EXPECT_EQ(schedule.sizes(1, BlockTag::run).front(), 16);
}

TEST(ProbedStart, StartsWhenTheUnitFailsThatAllOthersWaitFor) {
  // u1 has stopped: u0 does its probe, too, while u1 goes on with it, so nothing is out, and nobody
  // is offered again when u1 fails.
  PolicyTest test = equipoise_on(10'000, {1e-3, 1e-3});
  test.policy = "greedy";
  test.parameters = {{"initial_block_items", "time:0.10"}, {"backup", "on"}};
  test.fake.scenario.events.push_back(disturb(DisturbanceKind::slow, "u1", 0.0, 1e9));
  test.fake.scenario.events.push_back(disturb(DisturbanceKind::fail, "u1", 50.0));
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 10'000);
  EXPECT_NEAR(schedule.makespan(), 60.0, 1.0);
}

TEST(ProbedStart, WaitsWhereAllUnitsFailBeforeTheyWereMeasured) {
  PolicyTest test = four_speeds("greedy");
  for (std::uint32_t unit = 0; unit < 4; ++unit) {
    test.fake.faults.push_back({Seconds{0.05}, UnitId{unit}, false});
    test.fake.faults.push_back({Seconds{1.0}, UnitId{unit}, true});
  }
  expect_all_done(run_schedule(test), 10'000);
}

TEST(ProbedStart, IsAutoWhereFixedCostsAloneTakeTheTime) {
  // 10 + x / 100 s: four rounds take 40 s of a run of 20 * 15 s. `auto` means 10000 * 0.1 / 15.
  PolicyTest test = four_speeds("greedy");
  test.fake.units.clear();
  add_affine(test, 10.0, 0.01);
  EXPECT_EQ(run_schedule(test).notes_of("initial_block_items=67"), 1U);
}

TEST(ProbedStart, NeedsNoWorkAfterTheProbes) {
  PolicyTest test = four_speeds("plb-hac");
  test.items = 3;  // fewer than units
  test.iterations = 3;
  expect_all_done(run_schedule(test), 9);
}

TEST(ProbedStart, RefusesSharesThatAreNone) {
  for (const char* share : {"time:0", "time:1", "time:-0.1"}) {
    TypedParameters typed = {{"initial_block_items", share}};
    const auto make = [&] { (void)make_policy(find_policy("greedy"), {typed}); };
    EXPECT_NE(refusal_of(make).find("between 0 and 1"), std::string::npos) << share;
  }
  const auto make = [] {
    (void)make_policy(find_policy("greedy"), {{{"initial_block_items", "time:much"}}});
  };
  EXPECT_NE(refusal_of(make).find("not a number"), std::string::npos);
}

}  // namespace
}  // namespace equipoise::probed_start_test
