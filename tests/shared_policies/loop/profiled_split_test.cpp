// Tests of naive and asymmetric on schedules that were worked out by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/policy_schedule.hpp"

namespace equipoise::profiled_split_test {
namespace {

using Sizes = std::vector<Items>;

/// Units that take 1 and 3 s per item, with first blocks of 10 items.
PolicyTest one_and_three(const std::string& policy, Items items) {
  PolicyTest test;
  test.policy = policy;
  test.parameters["initial_block_items"] = "10";
  test.items = items;
  add_affine(test, 0.0, 1.0);
  add_affine(test, 0.0, 3.0);
  return test;
}

TEST(Naive, WaitsForEveryProfileAndDividesOnce) {
  const Schedule schedule = run_schedule(one_and_three("naive", 820));
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{10}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), (Sizes{10}));
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{600}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), (Sizes{200}));
  EXPECT_NEAR(schedule.makespan(), 30.0 + 600.0, 1e-9);
  EXPECT_EQ(schedule.decisions_called(DecisionKind::divide), 1U);
}

TEST(Naive, ProfilesAKernelOnceOnly) {
  PolicyTest test = one_and_three("naive", 820);
  test.iterations = 2;
  test.later_kernels = {"second", "first"};
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{10, 10}));
  // Two iterations in each of three phases. Where nothing was profiled: 820 * 3/4.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{600, 615, 600, 615, 615, 615}));
}

TEST(Naive, CutsSharesThatMemoryDoesNotHold) {
  PolicyTest test = one_and_three("naive", 820);
  test.memory_bytes = {250.0, 1e9};
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::run), (Sizes{200, 200, 200}));
}

TEST(Naive, DoesNotWaitForAUnitThatIsLost) {
  PolicyTest test = one_and_three("naive", 820);
  test.fake.faults.push_back({Seconds{15.0}, UnitId{1}, false});
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{810}));
  EXPECT_NEAR(schedule.makespan(), 15.0 + 810.0, 1e-9);
}

TEST(Naive, LeavesTheShareOfALostUnitToTheOthers) {
  PolicyTest test = one_and_three("naive", 820);
  test.fake.faults.push_back({Seconds{100.0}, UnitId{1}, false});
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 820);
}

TEST(Asymmetric, ProfilesWithoutABarrierUntilTheDivisionIsSteady) {
  const Schedule schedule = run_schedule(one_and_three("asymmetric", 1000));
  // Rounds end at 30 s and 60 s, both with a division of 3 : 1. By then 60 and 20 items are done.
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), Sizes(6, 10));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), Sizes(2, 10));
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{690}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), (Sizes{230}));
  EXPECT_NEAR(schedule.makespan(), 60.0 + 690.0, 1e-9);
}

TEST(Asymmetric, LetsAcceleratorsSetTheRounds) {
  PolicyTest test = one_and_three("asymmetric", 1000);
  test.kinds = {UnitKind::gpu, UnitKind::cpu};
  const Schedule schedule = run_schedule(test);
  // The second round ends with the accelerator's next block, at 40 s, in the middle of the CPU's
  // block.
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), Sizes(4, 10));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), Sizes(2, 10));
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{705}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), (Sizes{235}));
}

TEST(Asymmetric, StopsProfilingWhenItsShareIsUsedUp) {
  PolicyTest test = one_and_three("asymmetric", 1000);
  test.parameters["profile_share_max"] = "0.04";
  const Schedule schedule = run_schedule(test);
  // The 40 items are handed out by 20 s, but the speed of the second unit is not known until 30 s.
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), Sizes(3, 10));
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{720}));
}

TEST(Asymmetric, DividesAtOnceWhenTheKernelIsKnown) {
  PolicyTest test = one_and_three("asymmetric", 1000);
  test.iterations = 2;
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), Sizes(6, 10));
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{690, 750}));
}

}  // namespace
}  // namespace equipoise::profiled_split_test
