// Tests of fixed on schedules that were worked out by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/policy_schedule.hpp"
#include "tests/support/refusal.hpp"

namespace equipoise::fixed_test {
namespace {

using Sizes = std::vector<Items>;

/// Two units of 100 and 50 items per second.
PolicyTest two_units(const std::string& shares) {
  PolicyTest test;
  test.policy = "fixed";
  if (!shares.empty()) test.parameters = {{"shares", shares}};
  test.items = 100;
  add_affine(test, 0.0, 0.01);
  add_affine(test, 0.0, 0.02);
  return test;
}

std::string refusal(const std::string& shares, const std::vector<std::string>& names) {
  std::vector<Unit> units(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) units[i].name = names[i];
  return refusal_of([&] {
    (void)make_policy(find_policy("fixed"), {{{"shares", shares}}, nullptr, units});
  });
}

TEST(Fixed, GivesEachUnitItsShareAsOneBlock) {
  const Schedule schedule = run_schedule(two_units("3/1"));
  EXPECT_EQ(schedule.sizes_as_handed_out(), (Sizes{75, 25}));
  EXPECT_NEAR(schedule.makespan(), 0.75, 1e-12);
  EXPECT_TRUE(schedule.decisions.empty());
  expect_all_done(schedule, 100);
}

TEST(Fixed, DividesEvenlyUnlessItIsToldOtherwise) {
  const Schedule schedule = run_schedule(two_units(""));
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{50, 50}));
  EXPECT_NEAR(schedule.makespan(), 1.0, 1e-12);
}

TEST(Fixed, LeavesOutAUnitWithoutAShare) {
  const Schedule schedule = run_schedule(two_units("0/1"));
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{0, 100}));
  EXPECT_NEAR(schedule.makespan(), 2.0, 1e-12);
  expect_all_done(schedule, 100);
  EXPECT_EQ(run_schedule(two_units("0.25/0")).items_by_unit(), (Sizes{100, 0}));
}

TEST(Fixed, RoundsBoundariesToGrainsAndGivesOutAllItems) {
  PolicyTest test = two_units("1/1");
  test.grain_items = 8;  // the boundary, 50, is rounded to 48; the last block is no whole grain
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{48, 52}));
  expect_all_done(schedule, 100);
}

TEST(Fixed, CutsSharesIntoBlocksAsItIsToldOrAsMemoryRequires) {
  PolicyTest test = two_units("3/1");
  test.parameters["blocks"] = "2";
  Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{38, 37}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), (Sizes{13, 12}));
  test.memory_bytes = {30.0, 30.0};
  schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{25, 25, 25}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), (Sizes{13, 12}));
}

TEST(Fixed, RepeatsTheDivisionInEveryIteration) {
  PolicyTest test = two_units("3/1");
  test.iterations = 2;
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{150, 50}));
  EXPECT_NEAR(schedule.makespan(), 1.5, 1e-12);
}

TEST(Fixed, GivesTheShareOfALostUnitToTheOthers) {
  PolicyTest test = two_units("1/1");
  test.fake.faults = {{Seconds{0.3}, UnitId{1}}};
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{100, 0}));
  EXPECT_NEAR(schedule.makespan(), 1.0, 1e-12);
  expect_all_done(schedule, 100);
}

TEST(Fixed, RefusesSharesThatDoNotFitTheUnits) {
  EXPECT_EQ(refusal("1/2", {"cpu0", "gpu0"}), "not refused");
  EXPECT_EQ(refusal("1/2", {"cpu0", "gpu0", "gpu1"}),
            "policy: shares=1/2 are 2, and the run has 3 units; give one share for each, in this "
            "order: cpu0, gpu0, gpu1");
  EXPECT_NE(refusal("0/0", {"a", "b"}).find("at least one positive share"), std::string::npos);
  EXPECT_NE(refusal("1/-1", {"a", "b"}).find("not negative"), std::string::npos);
  EXPECT_NE(refusal("1//1", {"a", "b"}).find("shares"), std::string::npos);
  EXPECT_NE(refusal("half", {"a", "b"}).find("not a number"), std::string::npos);
}

}  // namespace
}  // namespace equipoise::fixed_test
