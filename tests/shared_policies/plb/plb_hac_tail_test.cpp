// Tests of the last steps of plb-hac, whose blocks shrink, on schedules that were worked out by
// hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "shared_policies/policies/plb/shrinking_tail.hpp"
#include "tests/support/plb_hac_units.hpp"

namespace equipoise::plb_hac_tail_test {
namespace {

using Sizes = std::vector<Items>;

TEST(PlbHac, ShrinksTheBlocksOfTheLastSteps) {
  const Schedule schedule = run_schedule(two_alike(10'000));
  // 60 items of training, then steps of 1000. After seven steps 7060 items are assigned. Then come
  // steps of 900, 810 and 729 (365 per unit), and the last 500.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run),
            (Sizes{500, 500, 500, 500, 500, 500, 500, 450, 405, 365, 250}));
  PolicyTest test = two_alike(10'000);
  test.parameters["tail_rule"] = "constant";
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::run),
            (Sizes{500, 500, 500, 500, 500, 500, 500, 450, 450, 450, 120}));
  test.parameters["tail_start"] = "1";
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::run),
            (Sizes{500, 500, 500, 500, 500, 500, 500, 500, 500, 470}));
}

TEST(PlbHac, MultipliesTheBlocksOfTheTailOrTheStepThatTheyAreChosenFor) {
  // E_0 = 0.1 x, E_1 = 2 + 0.1 x: a step of 1000 is 510 and 490. Training takes 10, 20, 10 and 7
  // items, so that the tail begins after seven steps. Multiplied by 0.9 and 0.81: 459 and 441,
  // 413.1 and 396.9. Chosen for 900 and 810: 460 and 440, 415 and 395.
  PolicyTest test = two_alike(10'000);
  test.fake.units[1].in_s = [](double) { return 2.0; };
  const auto tail_of = [&](std::uint32_t unit) {
    const Sizes sizes = run_schedule(test).sizes(unit, BlockTag::run);
    return Sizes(sizes.begin() + 6, sizes.begin() + 9);
  };
  EXPECT_EQ(tail_of(0), (Sizes{510, 459, 413}));
  EXPECT_EQ(tail_of(1), (Sizes{490, 441, 397}));
  test.parameters["tail_of"] = "step";
  EXPECT_EQ(tail_of(0), (Sizes{510, 460, 415}));
  EXPECT_EQ(tail_of(1), (Sizes{490, 440, 395}));
}

TEST(PlbHac, KeepsBlocksAboveTheFloor) {
  PolicyTest test = two_alike(10'000);
  test.parameters["min_block_items"] = "420";
  // A step of 900, then two of 840. u0 takes all of the last 360, because they are less than its
  // smallest block.
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::run),
            (Sizes{500, 500, 500, 500, 500, 500, 500, 450, 420, 420, 360}));
}

TEST(ShrinkingTail, BeginsWithWhatIsAssignedOrWithWhatIsProcessed) {
  Workload workload;
  workload.items = 100;
  View view(std::vector<Unit>(1), {workload});
  view.grant({Block{0, 0, 70}, Seconds{}}, UnitId{0});
  ShrinkingTail assigned({0.7, 0.1, TailRule::compounding, TailFrom::assigned});
  ShrinkingTail processed({0.7, 0.1, TailRule::compounding, TailFrom::processed});
  assigned.step(view);
  processed.step(view);
  EXPECT_DOUBLE_EQ(assigned.factor(), 0.9);
  EXPECT_DOUBLE_EQ(processed.factor(), 1.0);
  view.include({Seconds{1.0}, BlockFinished{UnitId{0}, Block{0, 0, 70}, {}, {}, {}}});
  assigned.step(view);
  processed.step(view);
  EXPECT_DOUBLE_EQ(assigned.factor(), 0.81);
  EXPECT_DOUBLE_EQ(processed.factor(), 0.9);
  assigned.reset();
  EXPECT_DOUBLE_EQ(assigned.factor(), 1.0);
}

TEST(PlbHac, WithoutAFloorTheShrinkingTailStrandsTheRest) {
  // Steps of 2 % that each shrink by a tenth hold 2 % * (0.9 + 0.81 + ...) = 18 % together.
  PolicyTest test = four_speeds(100'000);
  test.parameters["initial_block_items"] = "100";
  test.parameters["step_fraction"] = "0.02";
  test.parameters["min_block_items"] = "0";
  const Schedule stranded = run_schedule(test);
  EXPECT_TRUE(stranded.outcome.complete);  // the run loop does the items that the policy left
  EXPECT_TRUE(stranded.outcome.policy_stalled);
  const auto stall = std::find_if(
      stranded.events.begin(), stranded.events.end(),
      [](const EventRecord& event) { return std::holds_alternative<PolicyStall>(event.what); });
  ASSERT_NE(stall, stranded.events.end());
  Items before_mark = 0;  // assigned when the tail begins: the first step at or after 70 %
  Items assigned = 0;
  for (const BlockRecord& record : stranded.blocks) {
    assigned += record.assigned < stall->at ? record.block.items : 0;
  }
  for (const DecisionRecord& decision : stranded.decisions) {
    Items so_far = 0;
    for (const BlockRecord& record : stranded.blocks) {
      so_far += record.assigned < decision.at ? record.block.items : 0;
    }
    if (so_far >= 70'000) {
      before_mark = so_far;
      break;
    }
  }
  // The tolerance of half a percent covers rounding to whole items on four units, and blocks of the
  // step before that slower units have yet to take.
  EXPECT_NEAR(static_cast<double>(assigned - before_mark), 18'000.0, 500.0);
  test.parameters.erase("min_block_items");
  expect_all_done(run_schedule(test), 100'000);
}

}  // namespace
}  // namespace equipoise::plb_hac_tail_test
