// Tests of acosta on schedules that were worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/policy_schedule.hpp"

namespace equipoise::acosta_test {
namespace {

using Sizes = std::vector<Items>;

/// Steps are slices of a tenth of the items, the first one, too: `first` items for every unit.
PolicyTest tenths(Items items, Items first) {
  PolicyTest test;
  test.policy = "acosta";
  test.parameters = {{"step_fraction", "0.1"}, {"initial_block_items", std::to_string(first)}};
  test.items = items;
  return test;
}

/// Block times 1 + 0.01 x and 0.1 + 0.02 x s for x thousand items. A slice has a thousand
/// thousands.
PolicyTest two_affine_units() {
  PolicyTest test = tenths(10'000'000, 500'000);
  add_affine(test, 1.0, 1e-5);
  add_affine(test, 0.1, 2e-5);
  return test;
}

/// Two units that take `first_s` and `second_s` for 200 items. A step has 400 items.
PolicyTest two_times(double first_s, double second_s) {
  PolicyTest test = tenths(4000, 200);
  add_affine(test, 0.0, first_s / 200.0);
  add_affine(test, 0.0, second_s / 200.0);
  return test;
}

TEST(Acosta, ComesNearerToBalanceWithEveryRedistribution) {
  PolicyTest test = two_affine_units();
  test.parameters["threshold"] = "0";
  const Schedule schedule = run_schedule(test);
  const Sizes first = schedule.sizes(0, BlockTag::run);
  ASSERT_GE(first.size(), 5U);
  // New shares are proportional to items per second. At first the units do 500,000 items in 6 s and
  // in 10.1 s, which gives 627,330 and 372,670 items.
  EXPECT_EQ(first[0], 500'000);
  EXPECT_NEAR(static_cast<double>(first[1]), 627'330, 10);
  EXPECT_NEAR(static_cast<double>(first[2]), 636'120, 10);
  EXPECT_NEAR(static_cast<double>(first[3]), 636'640, 10);
  EXPECT_NEAR(static_cast<double>(first[4]), 636'660, 10);
  const Sizes second = schedule.sizes(1, BlockTag::run);
  EXPECT_EQ(second[0], 500'000);
  EXPECT_NEAR(static_cast<double>(second[1]), 372'670, 10);
  EXPECT_NEAR(static_cast<double>(second[2]), 363'880, 10);
  EXPECT_NEAR(static_cast<double>(second[3]), 363'360, 10);
  EXPECT_NEAR(static_cast<double>(second[4]), 363'340, 10);
  // The imbalance is the difference of the times over the longer time: 0.406, 0.037, 0.0022. The
  // optimum, 636,667 and 363,333 items, takes 7.36667 s.
  const std::vector<double> imbalance = {0.406, 0.037, 0.0022};
  for (std::size_t i = 0; i < imbalance.size(); ++i) {
    const double one_s = 1.0 + 1e-5 * static_cast<double>(first[i]);
    const double other_s = 0.1 + 2e-5 * static_cast<double>(second[i]);
    EXPECT_NEAR(std::abs(one_s - other_s) / std::max(one_s, other_s), imbalance[i], 5e-4);
  }
  EXPECT_NEAR(1.0 + 1e-5 * static_cast<double>(first[4]), 7.36667, 2e-4);
  expect_all_done(schedule, 10'000'000);
}

TEST(Acosta, BeginsWithASliceOfTheFirstBlockOfEveryUnit) {
  // First blocks of 30 items take 0.9 and 0.3 s, so that the shares are 1/4 and 3/4 from then on:
  // 50 and 150 of slices of 200.
  PolicyTest test = two_times(6, 2);
  test.parameters = {{"initial_block_items", "30"}};
  const Schedule given = run_schedule(test);
  EXPECT_EQ(given.sizes(0, BlockTag::run).front(), 30);
  EXPECT_EQ(given.sizes(1, BlockTag::run).front(), 30);
  EXPECT_EQ(given.sizes(0, BlockTag::run)[1], 50);
  EXPECT_EQ(given.sizes(1, BlockTag::run)[1], 150);
  expect_all_done(given, 4000);
  // auto: 0.10 x 4000 / (15 x 2) = 13.3.
  test.parameters.clear();
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::run).front(), 13);
  // Only one slice, the first of the run, is so small.
  test.iterations = 2;
  test.parameters = {{"initial_block_items", "30"}, {"mode", "slices"}};
  const Schedule twice = run_schedule(test);
  const Sizes sizes = twice.sizes(0, BlockTag::run);
  EXPECT_EQ(std::count(sizes.begin(), sizes.end(), 30), 1);
  expect_all_done(twice, 8000);
}

TEST(Acosta, StopsAfterOneRedistributionAtItsThreshold) {
  const Schedule schedule = run_schedule(two_affine_units());
  // The imbalances are 0.406 and 0.037, the default threshold is between them.
  EXPECT_EQ(schedule.decisions_called(DecisionKind::rebalance), 1U);
  for (const Items items : schedule.sizes(1, BlockTag::run)) {
    EXPECT_TRUE(items == 500'000 || std::abs(items - 372'670) < 10) << items;
  }
}

TEST(Acosta, BalancesProportionalUnitsInOneStep) {
  PolicyTest test = tenths(10'000, 334);
  add_affine(test, 0.0, 0.01);
  add_affine(test, 0.0, 0.02);
  add_affine(test, 0.0, 0.05);
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::run)[0], 334);
  EXPECT_EQ(schedule.sizes(0, BlockTag::run)[1], 588);
  EXPECT_EQ(schedule.sizes(1, BlockTag::run)[1], 294);
  EXPECT_EQ(schedule.sizes(2, BlockTag::run)[1], 118);
}

TEST(Acosta, EveryoneWaitsForEveryoneAfterEveryStep) {
  PolicyTest test = tenths(10'000, 500);
  add_affine(test, 0.3, 0.01);
  add_affine(test, 0.0, 0.03);
  const Schedule schedule = run_schedule(test);
  double barrier = 0.0;
  double end = 0.0;
  for (const BlockRecord& record : schedule.blocks) {
    if (record.assigned.value > barrier) barrier = end;
    EXPECT_DOUBLE_EQ(record.assigned.value, barrier);
    end = std::max(end, record.end.value);
  }
}

TEST(Acosta, AgreesWithTheLibraryOfItsAuthorsOnWhatIsBalanced) {
  EXPECT_EQ(run_schedule(two_times(98, 102)).decisions_called(DecisionKind::rebalance), 0U);
  const Schedule unbalanced = run_schedule(two_times(3, 1));
  EXPECT_EQ(unbalanced.sizes(0, BlockTag::run)[1], 100);
  EXPECT_EQ(unbalanced.sizes(1, BlockTag::run)[1], 300);
}

TEST(Acosta, ReadsTheThresholdAsSecondsWhenAskedTo) {
  PolicyTest test = two_times(98, 102);
  test.parameters["threshold_mode"] = "absolute";
  test.parameters["threshold"] = "3.9";
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::run)[1], 204);
  test.parameters["threshold"] = "4.1";
  EXPECT_EQ(run_schedule(test).decisions_called(DecisionKind::rebalance), 0U);
}

TEST(Acosta, DampingGoesAPartOfTheWay) {
  PolicyTest test = two_times(3, 1);
  test.parameters["damping"] = "0.5";
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::run)[1], 150);
}

TEST(Acosta, TakesAnIterationAsOneStepWhereTheWorkloadIterates) {
  PolicyTest test = tenths(900, 45);
  test.iterations = 3;
  add_affine(test, 0.0, 0.01);
  add_affine(test, 0.0, 0.02);
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{450, 600, 600}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), (Sizes{450, 300, 300}));
  expect_all_done(schedule, 2700);
  test.parameters["mode"] = "slices";
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::run)[1], 60);
  test.iterations = 1;
  test.parameters["mode"] = "iterations";
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::run), (Sizes{450}));
}

TEST(Acosta, GivesToTheOthersWhatAMemoryDoesNotHold) {
  PolicyTest test = two_times(1, 3);
  test.memory_bytes = {250.0, 1e9};
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::run)[1], 250);  // its speed would give it 300
  EXPECT_EQ(schedule.sizes(1, BlockTag::run)[1], 150);
  expect_all_done(schedule, 4000);
}

TEST(Acosta, KeepsGivingWorkToUnitsWithOneBadStep) {
  // The second unit is a thousand times slower, but still gets one item per step.
  const Schedule schedule = run_schedule(two_times(1, 1000));
  const Sizes sizes = schedule.sizes(1, BlockTag::run);
  EXPECT_EQ(sizes.size(), 10U);
  EXPECT_EQ(sizes[1], 1);
}

TEST(Acosta, SurvivesLossesAndGivesTheirSharesBackToThoseWhoReturn) {
  PolicyTest test = two_times(3, 1);
  test.fake.faults.push_back({Seconds{4.0}, UnitId{0}, false});
  test.fake.faults.push_back({Seconds{7.0}, UnitId{0}, true});
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 4000);
  // It lost its 100 items of the second step at 4 s. Its next block comes after its return.
  const Sizes sizes = schedule.sizes(0, BlockTag::run);
  EXPECT_EQ(sizes[0], 200);
  EXPECT_EQ(sizes[1], 100);
}

TEST(Acosta, UsesAUnitThatComesLate) {
  PolicyTest test = two_times(1, 1);
  test.fake.faults.push_back({Seconds{0.0}, UnitId{1}, false});
  test.fake.faults.push_back({Seconds{5.0}, UnitId{1}, true});
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 4000);
  EXPECT_EQ(schedule.sizes(1, BlockTag::run).front(), 200);
}

TEST(Acosta, WorksWithOneItemOneUnitAndMoreUnitsThanItems) {
  for (const Items items : {1, 2, 3}) {
    PolicyTest test = tenths(items, 1);
    for (int p = 0; p < 4; ++p) add_affine(test, 0.1, 0.01 * (p + 1));
    expect_all_done(run_schedule(test), items);
  }
  PolicyTest alone = tenths(1000, 100);
  add_affine(alone, 0.1, 0.01);
  expect_all_done(run_schedule(alone), 1000);
  EXPECT_EQ(run_schedule(alone).decisions_called(DecisionKind::rebalance), 0U);
}

TEST(Acosta, KeepsSharesForPhasesOfTheSameKernel) {
  PolicyTest test = two_times(3, 1);
  test.later_kernels = {"second", "first"};
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 12'000);
  std::vector<Items> first_of_phase(3, 0);
  for (const BlockRecord& record : schedule.blocks) {
    Items& items = first_of_phase[static_cast<std::size_t>(record.block.phase)];
    if (record.unit.index == 0 && items == 0) items = record.block.items;
  }
  EXPECT_EQ(first_of_phase, (Sizes{200, 200, 100}));
}

}  // namespace
}  // namespace equipoise::acosta_test
