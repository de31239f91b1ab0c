// Tests of equipoise, our own policy: its makespans against bounds that were worked out by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shared_policies/machine/item_costs.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/policy_schedule.hpp"

namespace equipoise::equipoise_test {
namespace {

using Sizes = std::vector<Items>;

/// The makespan of units that take `item_s` per item, if all end together.
double equal_finish_s(Items items, const std::vector<double>& item_s) {
  double speed = 0.0;
  for (const double per_item_s : item_s) speed += 1.0 / per_item_s;
  return static_cast<double>(items) / speed;
}

/// The largest number of blocks that a unit had at the same time.
std::size_t most_at_once(const Schedule& schedule, std::uint32_t unit) {
  const std::vector<BlockRecord> blocks = schedule.blocks_on(unit);
  std::size_t most = 0;
  for (const BlockRecord& one : blocks) {
    most = std::max(most, static_cast<std::size_t>(std::count_if(
                              blocks.begin(), blocks.end(), [&](const BlockRecord& other) {
                                return other.assigned <= one.assigned && one.assigned < other.end;
                              })));
  }
  return most;
}

double last_end_s(const Schedule& schedule, std::uint32_t unit) {
  double end_s = 0.0;
  for (const BlockRecord& record : schedule.blocks_on(unit)) {
    end_s = std::max(end_s, record.end.value);
  }
  return end_s;
}

TEST(Equipoise, EndsWithinTwoPercentOfTheEqualFinishOnSteadyUnits) {
  for (const std::vector<double>& item_s : std::vector<std::vector<double>>{
           {1e-3, 1e-3}, {1e-3, 3e-3}, {1e-4, 1e-3, 5e-3}, {2e-4, 2e-4, 1e-3, 1e-3, 1e-2}}) {
    SCOPED_TRACE(testing::PrintToString(item_s));
    const Schedule schedule = run_schedule(equipoise_on(100'000, item_s));
    EXPECT_LE(schedule.makespan(), 1.02 * equal_finish_s(100'000, item_s));
    expect_all_done(schedule, 100'000);
  }
}

TEST(Equipoise, EndsWithinTwoPercentOfTheEqualFinishWhereBlocksHaveFixedCosts) {
  // If each unit has one block: T = (100000 + 2 * 0.01 / 1e-3 + 0.01 / 4e-3) / (2 / 1e-3 + 1 /
  // 4e-3) = 44.454 s.
  const Schedule schedule = run_schedule(equipoise_on(100'000, {1e-3, 1e-3, 4e-3}, 0.01));
  EXPECT_LE(schedule.makespan(), 1.02 * 44.454);
  expect_all_done(schedule, 100'000);
}

TEST(Equipoise, EndsHundredsOfUnitsTogether) {
  // With more than eight units, only the part of the unit whose block ended is renewed each time.
  std::vector<double> item_s;
  for (int unit = 0; unit < 200; ++unit) item_s.push_back(1e-3 * (1 + unit % 4));
  const Schedule schedule = run_schedule(equipoise_on(4'000'000, item_s));
  EXPECT_LE(schedule.makespan(), 1.02 * equal_finish_s(4'000'000, item_s));
  expect_all_done(schedule, 4'000'000);
}

TEST(Equipoise, LeavesNoGrainToUnitsThatStopWhereHundredsAreLeftWithFewGrains) {
  // A grain takes 1 s. 100 of 200 units stop at 1.5 s, for long, with one grain each. The other
  // 100 units do the 1100 - 100 others in 10 s if none is idle; some may wait for others to end
  // until the grains are divided anew.
  PolicyTest test = equipoise_on(1100, std::vector<double>(200, 1.0));
  test.parameters["backup"] = "off";
  for (int unit = 100; unit < 200; ++unit) {
    Disturbance stop = disturb(DisturbanceKind::profile, fmt::format("u{}", unit), 1.5);
    stop.profile = {{Seconds{0}, 0.0}, {Seconds{1000}, 1.0}};
    test.fake.scenario.events.push_back(stop);
  }
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 1100);
  for (std::uint32_t unit = 0; unit < 100; ++unit) EXPECT_LE(last_end_s(schedule, unit), 13.0);
  for (const BlockRecord& record : schedule.blocks) EXPECT_LE(record.assigned.value, 12.0);
}

TEST(Equipoise, ReportsADecisionWhenAllUnitsAreKnown) {
  PolicyTest test = equipoise_on(100'000, {1e-3, 2e-3});
  const Schedule alone = run_schedule(test);
  ASSERT_EQ(alone.decisions_called(DecisionKind::divide), 1U);
  EXPECT_EQ(alone.decisions.front().decision.estimates.size(), 2U);
  // The slower unit has done its first block, of 25 items.
  EXPECT_DOUBLE_EQ(alone.decisions.front().at.value, 0.05);
  test.fake.scenario.events.push_back(disturb(DisturbanceKind::fail, "u1", 10.0));
  EXPECT_EQ(run_schedule(test).decisions_called(DecisionKind::divide), 2U);
}

TEST(Equipoise, BeginsWithTheSharesOfItsParameters) {
  PolicyTest test = equipoise_on(1'000'000, {1e-3, 1e-3, 1e-4, 1e-4});
  test.kinds = {UnitKind::cpu, UnitKind::cpu, UnitKind::gpu, UnitKind::mic};
  // 0.0005 and 0.02 of a million items, divided by four units.
  const auto firsts = [&] {
    const Schedule schedule = run_schedule(test);
    Sizes sizes;
    for (std::uint32_t unit = 0; unit < 4; ++unit) {
      sizes.push_back(schedule.blocks_on(unit).front().block.items);
    }
    return sizes;
  };
  EXPECT_EQ(firsts(), (Sizes{125, 125, 5000, 5000}));
  test.parameters = {{"first_share", "0.004"}, {"first_accelerator_share", "0.008"}};
  EXPECT_EQ(firsts(), (Sizes{1000, 1000, 2000, 2000}));
}

TEST(Equipoise, GrowsTwofoldAtMostAndEightfoldOnAccelerators) {
  PolicyTest test = equipoise_on(1'000'000, {1e-3, 1e-3});
  test.kinds = {UnitKind::cpu, UnitKind::gpu};
  const Schedule schedule = run_schedule(test);
  for (const std::uint32_t unit : {0U, 1U}) {
    Items largest = schedule.blocks_on(unit).front().block.items;
    for (const BlockRecord& record : schedule.blocks_on(unit)) {
      EXPECT_LE(record.block.items, (unit == 0 ? 2 : 8) * largest);
      largest = std::max(largest, record.block.items);
    }
  }
}

TEST(Equipoise, DividesItemsWhoseCostsDependOnTheirPlace) {
  // 8000 items of 1 ms in the mean on eight equal units: 1 s.
  const std::vector<std::vector<CostRange>> patterns = {
      {{0, 4000, 0.02}, {4000, 4000, 1.98}},                    // dear ones last
      {{0, 4000, 1.98}, {4000, 4000, 0.02}},                    // first
      {{0, 3200, 0.1}, {3200, 1600, 4.6}, {4800, 3200, 0.1}}};  // in the middle
  for (const std::vector<CostRange>& pattern : patterns) {
    SCOPED_TRACE(pattern[0].cost);
    PolicyTest test = equipoise_on(8000, std::vector<double>(8, 1e-3));
    test.fake.items = {std::make_shared<const ItemCosts>(pattern)};
    const Schedule schedule = run_schedule(test);
    expect_all_done(schedule, 8000);
    EXPECT_LE(schedule.makespan(), 1.03);
  }
}

TEST(Equipoise, MakesBlocksSmallOnAcceleratorsOnceItemsAreSeenToDiffer) {
  // Items of the last three quarters cost twenty times as much as those before them.
  PolicyTest test = equipoise_on(80'000, {1e-3, 1e-3, 1e-3, 1e-3});
  test.kinds.assign(4, UnitKind::gpu);
  test.fake.items = {std::make_shared<const ItemCosts>(
      std::vector<CostRange>{{0, 20'000, 0.05}, {20'000, 60'000, 1.0}})};
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 80'000);
  EXPECT_LE(schedule.makespan(), 1.05 * 20.0) << "80000 items of 1 ms on four units";
}

TEST(Equipoise, LearnsAKernelOnce) {
  PolicyTest test = equipoise_on(100'000, {1e-3, 2e-3});
  test.later_kernels = {"second", "first"};
  const Schedule schedule = run_schedule(test);
  for (const std::uint32_t unit : {0U, 1U}) {
    Sizes firsts(3, 0);
    for (const BlockRecord& record : schedule.blocks_on(unit)) {
      Items& first = firsts.at(static_cast<std::size_t>(record.block.phase));
      if (first == 0) first = record.block.items;
    }
    EXPECT_EQ(firsts[0], 25);  // 0.0005 / 2
    EXPECT_EQ(firsts[1], 25);
    // A twentieth of the unit's share, two or one third of the items, shortened by the cushion.
    EXPECT_GE(firsts[2], unit == 0 ? 2'000 : 1'000);
  }
  expect_all_done(schedule, 300'000);
}

/// What earlier runs would have shown of units that take `item_s` seconds per item.
Experience experience_of(const std::vector<double>& item_s) {
  Experience experience(1);
  for (const double per_item_s : item_s) {
    LearnedCost cost;
    for (const double items : {1e2, 1e3, 1e4})
      cost.alone.push_back({items, 10.0, items * per_item_s});
    cost.scatter = cost.uncertainty = 0.05;
    experience[0].emplace_back(cost);
  }
  return experience;
}

TEST(Equipoise, LosesLittleByWrongExperience) {
  const std::vector<double> item_s = {1e-3, 1e-4};
  const double cold_s = run_schedule(equipoise_on(100'000, item_s)).makespan();
  const std::vector<std::vector<double>> remembered = {
      {1e-3, 1e-4}, {4e-3, 4e-4}, {2.5e-4, 2.5e-5}, {1e-4, 1e-3}, {4e-3, 2.5e-5}};
  for (const std::vector<double>& wrong : remembered) {
    SCOPED_TRACE(wrong[0]);
    PolicyTest test = equipoise_on(100'000, item_s);
    test.known.experience = experience_of(wrong);
    const Schedule schedule = run_schedule(test);
    expect_all_done(schedule, 100'000);
    EXPECT_LE(schedule.makespan(), 1.03 * cold_s);
  }
}

TEST(Equipoise, BelievesEarlierRunsOfNoUnitOnceOneWasWrong) {
  // The first unit's block contradicts what is remembered of it, so the second one, which joins
  // later, begins as if nothing were known.
  PolicyTest test = equipoise_on(100'000, {1e-3, 1e-3});
  test.known.experience = experience_of({1e-4, 1e-3});
  test.fake.scenario.events.push_back(disturb(DisturbanceKind::join, "u1", 5.0));
  const Schedule schedule = run_schedule(test);
  ASSERT_FALSE(schedule.blocks_on(1).empty());
  EXPECT_EQ(schedule.blocks_on(1).front().block.items, 25) << "0.0005 / 2 of the items";
}

TEST(Equipoise, GivesASlowUnitNoGrainThatWouldEndAfterAllOthers) {
  // The GPU takes 1 s for each of 200 grains. A CPU that takes 2 to 25 s per grain may take some.
  for (const double ratio : {2.0, 5.0, 10.0, 17.0, 25.0}) {
    SCOPED_TRACE(ratio);
    PolicyTest test = equipoise_on(200'000, {1e-3, ratio * 1e-3});
    test.grain_items = 1000;
    test.kinds = {UnitKind::gpu, UnitKind::cpu};
    const Schedule schedule = run_schedule(test);
    EXPECT_GT(schedule.items_by_unit()[1], 0);
    EXPECT_LE(last_end_s(schedule, 1), last_end_s(schedule, 0) + 1e-9);
    // The bound is one grain of the GPU above the equal finish, and 2 %.
    EXPECT_LE(schedule.makespan(), 1.02 * equal_finish_s(200'000, {1e-3, ratio * 1e-3}) + 1.0);
    expect_all_done(schedule, 200'000);
  }
}

TEST(Equipoise, GivesASlowUnitNothingWhereAGrainWouldOutlastTheRun) {
  // The GPU takes 10 s for all 10 grains, the CPU 50 s for one.
  PolicyTest test = equipoise_on(10'000, {1e-3, 5e-2});
  test.grain_items = 1000;
  test.kinds = {UnitKind::gpu, UnitKind::cpu};
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{10'000, 0}));
  EXPECT_NEAR(schedule.makespan(), 10.0, 1e-9);
  expect_all_done(schedule, 10'000);
}

TEST(Equipoise, FollowsAUnitThatSlowsDown) {
  PolicyTest test = equipoise_on(100'000, {1e-3, 1e-3});
  test.fake.scenario.events.push_back(disturb(DisturbanceKind::slow, "u0", 10.0, 3.0));
  const Schedule schedule = run_schedule(test);
  // 20000 items in the first 10 s, then 1333.3 items/s.
  const double bound_s = 10.0 + 80'000 / (1000.0 + 1000.0 / 3.0);
  EXPECT_LE(schedule.makespan(), 1.05 * bound_s);
  expect_all_done(schedule, 100'000);
  // The first block that the unit begins after it slowed down was still sized by the old speed. All
  // later ones must be smaller.
  Items largest_before = 0;
  Items largest_after = 0;
  int slow_blocks = 0;
  for (const BlockRecord& record : schedule.blocks_on(0)) {
    if (record.assigned < Seconds{10.0}) {
      largest_before = std::max(largest_before, record.block.items);
    } else if (slow_blocks++ > 0) {
      largest_after = std::max(largest_after, record.block.items);
    }
  }
  EXPECT_GT(slow_blocks, 1);
  EXPECT_LT(largest_after, largest_before / 2);
}

TEST(Equipoise, GivesTheShareOfAUnitThatFailsToTheOthers) {
  PolicyTest test = equipoise_on(60'000, {1e-3, 1e-3, 1e-3});
  test.fake.scenario.events.push_back(disturb(DisturbanceKind::fail, "u0", 5.0));
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 60'000);
  EXPECT_LE(last_end_s(schedule, 0), 5.0);
  // The two other units do all that it did not bring back, without idle time.
  const double left_s = 1e-3 * static_cast<double>(60'000 - schedule.items_by_unit()[0]) / 2.0;
  EXPECT_LE(schedule.makespan(), 1.01 * left_s);
}

TEST(Equipoise, KeepsASecondBlockQueuedWhereCopiesTakeAsLongAsComputing) {
  PolicyTest test = equipoise_on(50'000, {1e-3, 1e-3});
  test.fake.units[0].in_s = [](double items) { return 1e-3 * items; };
  const Schedule schedule = run_schedule(test);
  EXPECT_GE(most_at_once(schedule, 0), 2U);
  EXPECT_EQ(most_at_once(schedule, 1), 1U);
  // With hidden copies both units do 1000 items/s and end at 25 s; without, at 33.3 s. Only the
  // copy of a block eight times as large as the one before cannot be hidden.
  EXPECT_LE(schedule.makespan(), 0.5 * (25.0 + 33.3));
  expect_all_done(schedule, 50'000);
}

TEST(Equipoise, QueuesEnoughForCopiesBothWaysOverTwoEngines) {
  PolicyTest test = equipoise_on(50'000, {1e-3, 1e-3});
  for (FakeUnit& unit : test.fake.units) {
    unit.in_s = unit.out_s = [](double items) { return 1e-3 * items; };
    unit.copy_engines = 2;
  }
  const Schedule two = run_schedule(test);
  EXPECT_GE(most_at_once(two, 0), 3U);
  EXPECT_LE(two.makespan(), 0.5 * (25.0 + 75.0));  // copies hidden: 25 s; not hidden: 75 s
  expect_all_done(two, 50'000);
}

TEST(Equipoise, QueuesNothingWhereNothingIsCopied) {
  const Schedule schedule = run_schedule(equipoise_on(50'000, {1e-3, 2e-3, 5e-3}, 0.01));
  for (const std::uint32_t unit : {0U, 1U, 2U}) {
    EXPECT_EQ(most_at_once(schedule, unit), 1U) << unit;
  }
}

TEST(Equipoise, DealsNoGrainsWhileNothingIsKnown) {
  // Eight grains for two units. One unit fails before any block has ended.
  PolicyTest test = equipoise_on(8, {10.0, 10.0});
  test.fake.scenario.events.push_back(disturb(DisturbanceKind::fail, "u1", 5.0));
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 8);
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{8, 0}));
}

TEST(Equipoise, IsNotMisledByAUnitThatTakesAsLongForAnyBlock) {
  // u0 takes 1 ms for any block, u1 takes 1 ms per item. In blocks of the largest size allowed (8,
  // 64, ..., 32768 items), u0 has done all items after 7 ms. More items seem to cost nothing on u0,
  // but the policy must not conclude that the end of the run is now.
  PolicyTest test = equipoise_on(30'000, {1e-3, 1e-3});
  test.fake.units[0].compute_s = [](double) { return 1e-3; };
  const Schedule schedule = run_schedule(test);
  EXPECT_LE(schedule.makespan(), 0.02);
  expect_all_done(schedule, 30'000);
}

TEST(Equipoise, MindsThatMemoryCutsAUnitsBlocks) {
  // u0 takes 1 ms per block and 0.1 ms per item, but its memory holds one item: 1.1 ms per item. u1
  // takes 3 ms per item. Together they do 30 items in 30 / (1 / 1.1 + 1 / 3) = 24.1 ms.
  PolicyTest test;
  test.policy = "equipoise";
  test.items = 30;
  add_affine(test, 1e-3, 1e-4);
  add_affine(test, 0.0, 3e-3);
  test.memory_bytes = {1.0, 1e9};
  const Schedule schedule = run_schedule(test);
  EXPECT_LE(schedule.makespan(), 24.1e-3 + 3e-3);  // plus one grain of the slower unit
  expect_all_done(schedule, 30);
}

TEST(Equipoise, GivesAUnitThatStoppedNoShareOfLaterIterations) {
  // The third of three units stops within the first iteration; the others do 30,000 items in 15 s.
  PolicyTest test = equipoise_on(30'000, {1e-3, 1e-3, 1e-3});
  test.iterations = 6;
  test.fake.scenario.events.push_back(disturb(DisturbanceKind::slow, "u2", 2.0, 1e9));
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 180'000);
  EXPECT_LE(schedule.makespan(), 1.05 * 6 * 15.0);
}

TEST(Equipoise, GivesWorkToAUnitThatComesLate) {
  PolicyTest test = equipoise_on(100'000, {1e-3, 1e-3});
  test.fake.scenario.events.push_back(disturb(DisturbanceKind::join, "u1", 20.0));
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 100'000);
  ASSERT_FALSE(schedule.blocks_on(1).empty());
  EXPECT_EQ(schedule.blocks_on(1).front().assigned, Seconds{20.0});
  // 20000 items in 20 s, then 2000 items/s: 60 s.
  EXPECT_LE(schedule.makespan(), 1.05 * 60.0);
}

TEST(Equipoise, TakesUpAUnitThatComesBack) {
  PolicyTest test = equipoise_on(100'000, {1e-3, 1e-3});
  test.fake.scenario.events.push_back(disturb(DisturbanceKind::fail, "u1", 10.0));
  test.fake.scenario.events.back().until = Seconds{20.0};
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 100'000);
  // The block that it had at 10 s, up to 37 % of the rest, may be lost. The blocks that it had
  // brought back are not.
  const double lost = 10'000 - 1e3 * [&] {
    double back_s = 0.0;
    for (const BlockRecord& record : schedule.blocks_on(1)) {
      if (record.end <= Seconds{10.0}) back_s = std::max(back_s, record.end.value);
    }
    return back_s;
  }();
  EXPECT_LE(schedule.makespan(), 1.05 * (20.0 + (100'000 - 30'000 + lost) / 2000.0));
}

TEST(Equipoise, DoesOneGrainOnOneOfManyUnits) {
  PolicyTest test = equipoise_on(10, {1e-3, 1e-3, 1e-3, 1e-3, 1e-3});
  test.grain_items = 10;
  expect_all_done(run_schedule(test), 10);
  EXPECT_EQ(run_schedule(test).blocks.size(), 1U);
  // An accelerator gets the grain first.
  test.kinds = {UnitKind::cpu, UnitKind::cpu, UnitKind::cpu, UnitKind::gpu, UnitKind::cpu};
  EXPECT_EQ(run_schedule(test).items_by_unit(), (Sizes{0, 0, 0, 10, 0}));
}

TEST(Equipoise, DealsAFewGrainsSoThatNoneIsWaitedFor) {
  // 20 grains that take 1, 2 and 4 s. In 11 s the units do 11 + 5 + 2 of them, in 12 s 12 + 6 + 3.
  PolicyTest test = equipoise_on(200, {0.1, 0.2, 0.4});
  test.grain_items = 10;
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 200);
  EXPECT_LE(schedule.makespan(), 12.0 + 1e-9);
}

}  // namespace
}  // namespace equipoise::equipoise_test
