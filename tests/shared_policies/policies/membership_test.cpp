// Tests of units that leave and join at difficult moments: small cases that the contract test
// found.
#include <gtest/gtest.h>

#include "tests/support/policy_schedule.hpp"

namespace equipoise::membership_test {
namespace {

TEST(Membership, PlbHecGivesWhatALateUnitLosesToOneThatGotNothingWhenTheOthersAreGone) {
  // Rounds of 10, 20, 40, 80 items on u0 and of 10, 1, 1, 1 on u1 end at 10, 11, 12, 13 s. A step
  // of 2 % = 20 items takes u0 0.2 s, and a single item takes u1 1 s, so u0 gets all steps. u2
  // joins at 15 s and trains on 10 items until 25 s. u0 has done all other items by 21.27 s. It
  // leaves when nothing is left, and then u2 fails with its block. u1 must do that block, in 10 s.
  PolicyTest test;
  test.policy = "plb-hec";
  test.parameters = {{"initial_block_items", "10"}, {"preset", "robust"}};
  test.items = 1000;
  add_affine(test, 0.0, 0.01);
  add_affine(test, 0.0, 1.0);
  add_affine(test, 0.0, 1.0);
  const UnitId late{2};
  test.fake.faults = {{Seconds{0.0}, late, false},
                      {Seconds{15.0}, late, true},
                      {Seconds{22.0}, UnitId{0}, false},
                      {Seconds{23.0}, late, false}};
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 1000);
  EXPECT_EQ(schedule.blocks.back().unit, UnitId{1});
  EXPECT_NEAR(schedule.makespan(), 33.0, 1e-9);
  EXPECT_EQ(schedule.decisions_called(DecisionKind::block_lost), 1U);
}

TEST(Membership, EquipoiseWaitsForTheFirstFinishWhenNothingIsKnownOfTheUnitThatIsLeft) {
  // Each unit begins with one item of 1 s. u0 is lost half-way. Then the last grains must be
  // assigned while no unit has finished a block. u1 does the other 7 items at 1 s each.
  PolicyTest test;
  test.policy = "equipoise";
  test.items = 8;
  add_affine(test, 0.0, 1.0);
  add_affine(test, 0.0, 1.0);
  test.fake.faults = {{Seconds{0.5}, UnitId{0}, false}};
  const Schedule schedule = run_schedule(test);
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_FALSE(schedule.outcome.policy_stalled);
  EXPECT_EQ(schedule.items_by_unit().at(1), 8);
  EXPECT_NEAR(schedule.makespan(), 8.0, 1e-9);
}

}  // namespace
}  // namespace equipoise::membership_test
