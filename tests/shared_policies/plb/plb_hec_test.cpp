// Tests of plb-hec on schedules that were worked out by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/policy_schedule.hpp"

namespace equipoise::plb_hec_test {
namespace {

using Sizes = std::vector<Items>;

/// Units of 10, 5, 1 and 0.5 items per second, x0 = 10: training rounds take 20, 2, 4 and 8 s.
PolicyTest four_speeds(Items items) {
  PolicyTest test;
  test.policy = "plb-hec";
  test.parameters = {{"initial_block_items", "10"}, {"step_fraction", "0.05"}};
  test.items = items;
  for (const double speed : {10.0, 5.0, 1.0, 0.5}) {
    add_affine(test, 0.0, 1.0 / speed);
  }
  return test;
}

TEST(PlbHec, TrainsInRoundsThatGrowWithTheMeasuredSpeeds) {
  const Schedule schedule = run_schedule(four_speeds(10000));
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{10, 20, 40, 80}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), (Sizes{10, 10, 20, 40}));
  EXPECT_EQ(schedule.sizes(2, BlockTag::train), (Sizes{10, 2, 4, 8}));
  EXPECT_EQ(schedule.sizes(3, BlockTag::train), (Sizes{10, 1, 2, 4}));
  Items trained = 0;
  for (const BlockRecord& record : schedule.blocks) {
    trained += record.block.tag == BlockTag::train ? record.block.items : 0;
  }
  EXPECT_EQ(trained, 271);
  // Rounds take 20, 2, 4 and 8 s. Then the fit is made.
  std::vector<double> begins_s;
  for (const BlockRecord& record : schedule.blocks) {
    if (record.unit.index == 0 && record.block.id < 16) begins_s.push_back(record.assigned.value);
  }
  EXPECT_EQ(begins_s, (std::vector<double>{0.0, 20.0, 22.0, 26.0}));
  ASSERT_FALSE(schedule.decisions.empty());
  EXPECT_TRUE(schedule.decisions.front().decision.is(DecisionKind::fit));
  EXPECT_NEAR(schedule.decisions.front().at.value, 34.0, 1e-9);
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_FALSE(schedule.outcome.policy_stalled);
}

TEST(PlbHec, RepeatsBlocksOfAStepThatEndTogether) {
  const Schedule schedule = run_schedule(four_speeds(10000));
  // A step of 5 % = 500 items at 16.5 items per second takes 30.30 s.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run).front(), 303);
  EXPECT_EQ(schedule.sizes(1, BlockTag::run).front(), 152);
  EXPECT_EQ(schedule.sizes(2, BlockTag::run).front(), 30);
  EXPECT_EQ(schedule.sizes(3, BlockTag::run).front(), 15);
  EXPECT_EQ(schedule.decisions_called(DecisionKind::rebalance), 0U);
  ASSERT_EQ(schedule.decisions.front().decision.estimates.size(), 4U);
  EXPECT_EQ(schedule.decisions.front().decision.estimates[0].cost, "0.1 x");
  EXPECT_EQ(schedule.decisions.front().decision.estimates[0].block_items, 303);
  EXPECT_NEAR(*schedule.decisions.front().decision.estimates[0].r2, 1.0, 1e-9);
  EXPECT_EQ(schedule.items(), 10000);
}

TEST(PlbHec, GivesEachUnitOneBlockOfTheRestWhereSharesAddUpToAllItems) {
  // Equation 3 to the letter: 10,000 - 271 = 9729 items at 16.5 items per second, 589.6 s.
  PolicyTest test = four_speeds(10000);
  test.parameters["step_fraction"] = "1";
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{5896}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), (Sizes{2948}));
  EXPECT_EQ(schedule.sizes(2, BlockTag::run), (Sizes{590}));
  EXPECT_EQ(schedule.sizes(3, BlockTag::run), (Sizes{295}));
  EXPECT_EQ(schedule.decisions_called(DecisionKind::rebalance), 0U);
  expect_all_done(schedule, 10000);
}

TEST(PlbHec, TheLiteralRatioMakesTheThirdRoundEqualSized) {
  PolicyTest test = four_speeds(10000);
  test.parameters["ratio_mode"] = "literal";
  const Schedule literal = run_schedule(test);
  EXPECT_EQ(literal.sizes(0, BlockTag::train), (Sizes{10, 20, 40, 80}));
  EXPECT_EQ(literal.sizes(3, BlockTag::train)[1], 1);
  EXPECT_EQ(literal.sizes(3, BlockTag::train)[2], 40);  // 80 s instead of 4 s
  test.parameters["ratio_mode"] = "first";
  const Schedule first = run_schedule(test);
  EXPECT_EQ(first.sizes(3, BlockTag::train), (Sizes{10, 1, 2, 4}));
}

TEST(PlbHec, GoesOnTrainingUntilEveryFitIsGoodOrTheShareIsUsedUp) {
  PolicyTest test = four_speeds(2000);
  test.parameters["min_r2"] = "1";  // no fit exceeds it
  const Schedule schedule = run_schedule(test);
  // Four rounds have 271 items. The fifth would have 160 + 80 + 16 + 8 = 264, but only 400 - 271 =
  // 129 are allowed: 160 * 129 / 264 = 78.2, 39.1, 7.8, 3.9. Then 398 of 400 are used. A sixth
  // round of 528, scaled to 2, has 1 item for the fastest unit and none for the others. So has a
  // seventh.
  EXPECT_EQ(schedule.sizes(0, BlockTag::train)[4], 78);
  EXPECT_EQ(schedule.sizes(1, BlockTag::train)[4], 39);
  EXPECT_EQ(schedule.sizes(2, BlockTag::train)[4], 7);
  EXPECT_EQ(schedule.sizes(3, BlockTag::train)[4], 3);
  EXPECT_EQ(schedule.notes_of("poor_fit"), 1U);
  Items trained = 0;
  for (const BlockRecord& record : schedule.blocks) {
    trained += record.block.tag == BlockTag::train ? record.block.items : 0;
  }
  EXPECT_LE(trained, 400);
  EXPECT_GE(trained, 398);
  EXPECT_TRUE(schedule.outcome.complete);
}

TEST(PlbHec, SaysSoWhenTheWorkEndsInsideTraining) {
  const Schedule schedule = run_schedule(four_speeds(100));
  EXPECT_EQ(schedule.items(), 100);
  EXPECT_EQ(schedule.notes_of("exhausted_in_training"), 1U);
  EXPECT_TRUE(schedule.decisions.empty());
  // 40 items, then 33, then 27 of the 66 of round 3, all for the fastest unit.
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{10, 20, 27}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), (Sizes{10, 10}));
  EXPECT_FALSE(schedule.outcome.policy_stalled);
}

TEST(PlbHec, ServesTheFirstUnitsWhenThereIsLessThanOneRound) {
  const Schedule schedule = run_schedule(four_speeds(25));
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{10}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), (Sizes{10}));
  EXPECT_EQ(schedule.sizes(2, BlockTag::train), (Sizes{5}));
  EXPECT_TRUE(schedule.sizes(3, BlockTag::train).empty());
}

TEST(PlbHec, WorksWithOneUnitAndOneItem) {
  PolicyTest test;
  test.policy = "plb-hec";
  add_affine(test, 0.1, 0.01);
  test.items = 1;
  EXPECT_TRUE(run_schedule(test).outcome.complete);
  test.items = 5000;
  const Schedule schedule = run_schedule(test);
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_EQ(schedule.decisions_called(DecisionKind::rebalance), 0U);
}

/// Two units that take 1 s for 100 items. The second takes twice as long for blocks above 150
/// items.
PolicyTest one_unit_surprises() {
  PolicyTest test;
  test.policy = "plb-hec";
  test.parameters = {{"initial_block_items", "10"}, {"step_fraction", "0.1"}};
  test.items = 4000;
  add_affine(test, 0.0, 0.01);
  test.fake.units.push_back(affine_unit(0.0, 0.01));
  test.fake.units.back().compute_s = [](double x) { return x > 150.0 ? 0.02 * x : 0.01 * x; };
  return test;
}

TEST(PlbHec, RebalancesAfterADrainInWhichTheDetectingUnitGetsOneMoreBlock) {
  const Schedule schedule = run_schedule(one_unit_surprises());
  // Rounds of 10, 20, 40 and 80 on both units end at 0.1, 0.3, 0.7 and 1.5 s. With blocks of 200,
  // unit 0 ends at 3.5, 5.5, ... and unit 1 at 5.5 s, so at 5.5 s both have done a block, of 2 s
  // and 4 s. Unit 0's finish at 5.5 s comes first, and it gets its third block. Unit 1's finish
  // detects the imbalance, and it gets one more block, until 9.5 s. Unit 0 ends its third block at
  // 7.5 s, which begins the drain, and waits until 9.5 s.
  EXPECT_GE(schedule.decisions_called(DecisionKind::rebalance), 1U);
  const auto rebalance =
      std::find_if(schedule.decisions.begin(), schedule.decisions.end(),
                   [](const DecisionRecord& d) { return d.decision.is(DecisionKind::rebalance); });
  ASSERT_NE(rebalance, schedule.decisions.end());
  EXPECT_NEAR(rebalance->at.value, 9.5, 1e-9);
  std::vector<double> starts_of_unit_0;
  for (const BlockRecord& record : schedule.blocks) {
    if (record.unit.index == 0 && record.block.tag == BlockTag::run) {
      starts_of_unit_0.push_back(record.assigned.value);
    }
  }
  ASSERT_GE(starts_of_unit_0.size(), 4U);
  EXPECT_NEAR(starts_of_unit_0[2], 5.5, 1e-9);
  EXPECT_NEAR(starts_of_unit_0[3], 9.5, 1e-9);
  // From then on the slow unit gets less.
  const auto& estimates = rebalance->decision.estimates;
  EXPECT_LT(estimates[1].block_items, estimates[0].block_items);
  EXPECT_TRUE(schedule.outcome.complete);
}

TEST(PlbHec, CanFitBeforeItSynchronisesAsThePapersCodeDoes) {
  PolicyTest test = one_unit_surprises();
  test.parameters["sync_order"] = "fit_then_sync";
  const Schedule schedule = run_schedule(test);
  const auto rebalance =
      std::find_if(schedule.decisions.begin(), schedule.decisions.end(),
                   [](const DecisionRecord& d) { return d.decision.is(DecisionKind::rebalance); });
  ASSERT_NE(rebalance, schedule.decisions.end());
  EXPECT_NEAR(rebalance->at.value, 7.5, 1e-9);
  EXPECT_TRUE(schedule.outcome.complete);
}

TEST(PlbHec, NeverRebalancesBelowTheThreshold) {
  PolicyTest test = one_unit_surprises();
  test.parameters["threshold"] = "0.7";  // spread 2 s, mean 3 s
  EXPECT_EQ(run_schedule(test).decisions_called(DecisionKind::rebalance), 0U);
  test.parameters["threshold"] = "0.6";
  EXPECT_GE(run_schedule(test).decisions_called(DecisionKind::rebalance), 1U);
}

TEST(PlbHec, SolvesTheTailOnceMoreWhenAskedTo) {
  PolicyTest test = four_speeds(10000);
  const Schedule without = run_schedule(test);
  test.parameters["tail_resolve"] = "true";
  const Schedule with = run_schedule(test);
  EXPECT_EQ(without.decisions_called(DecisionKind::tail), 0U);
  EXPECT_EQ(with.decisions_called(DecisionKind::tail), 1U);
  EXPECT_EQ(with.items(), 10000);
}

TEST(PlbHec, RespectsGrainAndMemory) {
  PolicyTest test = four_speeds(10000);
  test.grain_items = 8;
  test.memory_bytes = {100.0, 1e9, 1e9, 1e9};
  const Schedule schedule = run_schedule(test);
  for (const BlockRecord& record : schedule.blocks) {
    EXPECT_TRUE(record.block.items % 8 == 0 || record.block.first + record.block.items == 10000);
    EXPECT_TRUE(record.unit.index != 0 || record.block.items <= 96);
  }
  EXPECT_EQ(schedule.items(), 10000);
}

TEST(PlbHec, KeepsWhatItLearnedForLaterIterations) {
  PolicyTest test = four_speeds(2000);
  test.iterations = 3;
  const Schedule schedule = run_schedule(test);
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_EQ(schedule.items(), 6000);
  EXPECT_EQ(schedule.decisions_called(DecisionKind::fit), 1U);
  for (const BlockRecord& record : schedule.blocks) {
    EXPECT_TRUE(record.block.tag == BlockTag::run || record.block.iteration == 0);
  }
}

TEST(PlbHec, GoesOnTrainingInTheNextIterationWhenOneWasTooShort) {
  PolicyTest test = four_speeds(100);
  test.iterations = 8;
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 800);
  EXPECT_EQ(schedule.decisions_called(DecisionKind::fit), 1U);
}

TEST(PlbHec, LearnsAnotherKernelAnewAndRemembersTheFirst) {
  PolicyTest test = four_speeds(2000);
  test.later_kernels = {"second", "first"};
  const Schedule schedule = run_schedule(test);
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_EQ(schedule.decisions_called(DecisionKind::fit), 2U);
  for (const BlockRecord& record : schedule.blocks) {
    EXPECT_TRUE(record.block.tag == BlockTag::run || record.block.phase < 2);
  }
}

TEST(PlbHec, SurvivesALostUnitInEveryStage) {
  for (const double at : {1.0, 20.5, 21.0, 30.0, 40.0, 100.0, 400.0}) {
    for (const std::uint32_t unit : {0U, 3U}) {
      SCOPED_TRACE(fmt::format("at {} unit {}", at, unit));
      PolicyTest test = four_speeds(10000);
      test.fake.faults.push_back({Seconds{at}, UnitId{unit}, false});
      const Schedule schedule = run_schedule(test);
      expect_all_done(schedule, 10000);
    }
  }
}

TEST(PlbHec, GoesOnWhenTheUnitThatAllWaitedForIsLostAsItComesBack) {
  // u3 ends its block of the first round at 20 s, and the others have waited for it. It fails at
  // that moment, so there is no event that it is idle.
  PolicyTest test = four_speeds(10000);
  test.fake.faults.push_back({Seconds{20.0}, UnitId{3}, false});
  const Schedule schedule = run_schedule(test);
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_FALSE(schedule.outcome.policy_stalled);
}

TEST(PlbHec, TrainsAUnitThatComesLateBesideTheOthersWork) {
  PolicyTest test = four_speeds(20000);
  test.fake.faults.push_back({Seconds{0.5}, UnitId{1}, false});
  test.fake.faults.push_back({Seconds{60.0}, UnitId{1}, true});
  const Schedule schedule = run_schedule(test);
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_FALSE(schedule.outcome.policy_stalled);
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), (Sizes{10, 10, 20, 40}));
  EXPECT_EQ(schedule.decisions_called(DecisionKind::unit_joined), 1U);
  EXPECT_FALSE(schedule.sizes(1, BlockTag::run).empty());
}

TEST(PlbHec, TrainsWithoutBarriersWhenAskedTo) {
  PolicyTest test = four_speeds(10000);
  test.parameters["async_train"] = "true";
  const Schedule schedule = run_schedule(test);
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_FALSE(schedule.outcome.policy_stalled);
  EXPECT_EQ(schedule.decisions_called(DecisionKind::fit), 1U);
  // No unit waits during training: each block is handed out when the one before it ends.
  std::vector<double> last_end(4, 0.0);
  for (const BlockRecord& record : schedule.blocks) {
    if (record.block.tag == BlockTag::train) {
      EXPECT_NEAR(record.assigned.value, last_end[record.unit.index], 1e-9);
    }
    last_end[record.unit.index] = record.end.value;
  }
}

TEST(PlbHec, EveryWordOfEveryParameterRuns) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> words = {
      {"fit", {"subset", "single", "full_ridge", "nnls"}},
      {"solver", {"direct", "ipopt"}},
      {"adjusted_r2", {"true", "false"}},
      {"step", {"fraction", "doubled"}},
      {"multipliers", {"1/3/9", "1"}},
      {"min_rounds", {"1", "2", "6"}}};
  for (const auto& [name, values] : words) {
    for (const std::string& value : values) {
      SCOPED_TRACE(name + "=" + value);
      PolicyTest test = four_speeds(10000);
      test.parameters[name] = value;
      const Schedule schedule = run_schedule(test);
      EXPECT_TRUE(schedule.outcome.complete);
      EXPECT_FALSE(schedule.outcome.policy_stalled);
    }
  }
}

TEST(PlbHec, BothSolversChooseTheSameBlocks) {
  PolicyTest test = four_speeds(10000);
  const Schedule direct = run_schedule(test);
  test.parameters["solver"] = "ipopt";
  const Schedule ipopt = run_schedule(test);
  ASSERT_EQ(direct.blocks.size(), ipopt.blocks.size());
  for (std::size_t i = 0; i < direct.blocks.size(); ++i) {
    EXPECT_EQ(direct.blocks[i].block.items, ipopt.blocks[i].block.items);
  }
}

TEST(PlbHec, QueuesMoreBlocksOnUnitsWithSlots) {
  PolicyTest test = four_speeds(10000);
  test.slots = 3;
  const Schedule schedule = run_schedule(test);
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_FALSE(schedule.outcome.policy_stalled);
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{10, 20, 40, 80}));
}

TEST(PlbHec, DoesNotLearnTheSetupAsACostOfEveryBlock) {
  // Both units take 1 s per item. The first block of u1 has a setup of 100 s. The later
  // blocks of u1 must be as large as those of u0.
  FakeSetup fake{{affine_unit(0, 1), affine_unit(0, 1)}, {}, {}};
  fake.units[1].resident_s = 100.0;
  const RunSetup setup = setup_of(2, items_of(10'000));
  const auto policy = make_policy(find_policy("plb-hec"), {});
  const auto executor = make_fake_executor(fake);
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(*executor, *policy, setup, journal).complete);
  ASSERT_FALSE(journal.decisions.empty());
  const std::vector<UnitEstimate>& estimates = journal.decisions.front().decision.estimates;
  EXPECT_EQ(estimates.at(0).block_items, estimates.at(1).block_items);
}

TEST(PlbHec, OffersTheSmallerBlocksOfTheTailToUnitsThatWereIdle) {
  // u3 is so slow that its share of a full step of 20 items is less than one item. The tail is
  // divided again and must not stall.
  PolicyTest test = four_speeds(400);
  test.parameters["tail_resolve"] = "true";
  test.parameters["async_train"] = "true";
  const Schedule schedule = run_schedule(test);
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_FALSE(schedule.outcome.policy_stalled);
}

}  // namespace
}  // namespace equipoise::plb_hec_test
