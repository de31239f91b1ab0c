// Tests of hdss on schedules that were worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/policy_schedule.hpp"

namespace equipoise::hdss_test {
namespace {

using Sizes = std::vector<Items>;

/// Units of 6, 3 and 1 items per second, x0 = 5, equal blocks in phase 1. Rounds of 5, 10 and 20
/// items on every unit are 105 items in 35 s.
PolicyTest three_speeds(Items items) {
  PolicyTest test;
  test.policy = "hdss";
  test.parameters = {{"initial_block_items", "5"}};
  test.items = items;
  for (const double speed : {6.0, 3.0, 1.0}) add_affine(test, 0.0, 1.0 / speed);
  return test;
}

/// Sizes of all blocks with `tag`, in the order in which they were handed out.
Sizes sizes_in_order(const Schedule& schedule, BlockTag tag) {
  std::vector<std::pair<std::uint64_t, Items>> blocks;
  for (const BlockRecord& record : schedule.blocks) {
    if (record.block.tag == tag) blocks.emplace_back(record.block.id, record.block.items);
  }
  std::sort(blocks.begin(), blocks.end());
  Sizes sizes;
  for (const auto& [id, items] : blocks) sizes.push_back(items);
  return sizes;
}

TEST(Hdss, HandsOutWeightedShrinkingBlocksAfterPhaseOne) {
  const Schedule schedule = run_schedule(three_speeds(905));
  for (const std::uint32_t unit : {0U, 1U, 2U}) {
    EXPECT_EQ(schedule.sizes(unit, BlockTag::train), (Sizes{5, 10, 20}));
  }
  // The weights are 0.6, 0.3 and 0.1, and 800 items are left. Each block is half of the rest times
  // the weight, rounded up: 0.3 * 800, 0.15 * 560, 0.05 * 476, ...
  const Sizes grants = sizes_in_order(schedule, BlockTag::run);
  ASSERT_GE(grants.size(), 7U);
  EXPECT_EQ(Sizes(grants.begin(), grants.begin() + 7), (Sizes{240, 84, 24, 23, 65, 110, 13}));
  std::vector<double> ends(3, 0.0);
  for (const BlockRecord& record : schedule.blocks) {
    ends[record.unit.index] = std::max(ends[record.unit.index], record.end.value - 35.0);
  }
  EXPECT_NEAR(ends[0], 79.8, 0.05);
  EXPECT_NEAR(ends[1], 79.7, 0.05);
  EXPECT_NEAR(ends[2], 82.0, 0.05);
  EXPECT_EQ(schedule.decisions_called(DecisionKind::fit), 1U);
  expect_all_done(schedule, 905);
}

TEST(Hdss, KeepsItsWeightsWhateverHappensAfterPhaseOne) {
  PolicyTest test = three_speeds(905);
  test.fake.units[0].compute_s = [clock = test.clock](double items) {
    return (clock->now_s() < 34.0 ? 1.0 : 10.0) * items / 6.0;
  };
  const Schedule schedule = run_schedule(test);
  // Every grant is still half of the remaining items times 0.6, 0.3 or 0.1, and at least 5.
  std::vector<const BlockRecord*> run;
  for (const BlockRecord& record : schedule.blocks) {
    if (record.block.tag == BlockTag::run) run.push_back(&record);
  }
  std::sort(run.begin(), run.end(),
            [](const BlockRecord* a, const BlockRecord* b) { return a->block.id < b->block.id; });
  const std::vector<double> weights = {0.6, 0.3, 0.1};
  Items left = 800;
  for (const BlockRecord* record : run) {
    const double part = weights[record->unit.index] * static_cast<double>(left) / 2.0;
    const Items wanted = std::max<Items>(5, static_cast<Items>(std::ceil(part - 1e-6)));
    EXPECT_EQ(record->block.items, std::min(wanted, left));
    left -= record->block.items;
  }
  EXPECT_EQ(left, 0);
  EXPECT_EQ(schedule.decisions.size(), 1U);
  EXPECT_NEAR(schedule.makespan(), 35.0 + 400.0, 1e-6);  // 240 items at 0.6 items/s
}

TEST(Hdss, GrowsBlocksInProportionToSpeedsWhereThatIsRobust) {
  PolicyTest test = three_speeds(905);
  test.parameters.erase("phase1_sizes");
  test.parameters["preset"] = "robust";
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{5, 10, 20}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), (Sizes{5, 5, 10}));
  EXPECT_EQ(schedule.sizes(2, BlockTag::train), (Sizes{5, 2, 3}));
  expect_all_done(schedule, 905);
}

TEST(Hdss, EndsPhaseOneWhenItsShareIsUsedUp) {
  // Blocks take 1 s whatever their size, so the speed doubles with each doubling of the size.
  PolicyTest test = three_speeds(1000);
  test.fake.units = {affine_unit(1.0, 0.0), affine_unit(1.0, 0.0)};
  const Schedule schedule = run_schedule(test);
  // 10, 20, 40 and 80 items. 160 more would exceed the limit of 200.
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{5, 10, 20, 40}));
  EXPECT_NEAR(schedule.decisions.front().at.value, 4.0, 1e-9);
  test.parameters["training_share_max"] = "0.4";
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::train), (Sizes{5, 10, 20, 40, 80}));
}

TEST(Hdss, ConvergesWhenGrowthBringsLittleMore) {
  // Block time 1 + x / 100: with doubled sizes the speed almost doubles at first, and hardly grows
  // from 160 on.
  PolicyTest test = three_speeds(100'000);
  test.fake.units = {affine_unit(1.0, 0.01), affine_unit(1.0, 0.01)};
  const Schedule loose = [&] {
    test.parameters["convergence"] = "0.5";
    return run_schedule(test);
  }();
  const Schedule strict = [&] {
    test.parameters["convergence"] = "0.05";
    return run_schedule(test);
  }();
  // 0.5: from 80 items (80 / 1.8 = 44.4) to 160 (61.5) the speed grows by 38 %, and a fit over 5 to
  // 80 already promises less than half. 0.05: from 1280 (92.8) to 2560 (96.2) it grows by 3.8 %.
  EXPECT_LT(loose.sizes(0, BlockTag::train).back(), 160);
  EXPECT_EQ(strict.sizes(0, BlockTag::train).back(), 2560);
}

TEST(Hdss, EveryoneGrowsAloneWithoutBarriersWhenAskedTo) {
  PolicyTest test = three_speeds(10'000);
  test.parameters["phase1_sync"] = "false";
  const Schedule schedule = run_schedule(test);
  // u0 has its three points at 5.83 s. Then it repeats blocks of 20 items in 3.33 s until u2 has
  // its points at 35 s. The ninth repetition ends at 35.83 s.
  EXPECT_EQ(schedule.sizes(0, BlockTag::train),
            (Sizes{5, 10, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20}));
  EXPECT_EQ(schedule.sizes(2, BlockTag::train), (Sizes{5, 10, 20}));
  std::vector<double> last_end(3, 0.0);
  for (const BlockRecord& record : schedule.blocks) {
    EXPECT_NEAR(record.assigned.value, last_end[record.unit.index], 1e-9);
    last_end[record.unit.index] = record.end.value;
  }
  expect_all_done(schedule, 10'000);
}

TEST(Hdss, DividesMoreOrLessOfWhatIsLeft) {
  PolicyTest test = three_speeds(905);
  test.parameters["divisor"] = "1";
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::run).front(), 480);
  test.parameters["min_block_items"] = "300";
  EXPECT_EQ(run_schedule(test).sizes(1, BlockTag::run).front(), 300);
}

TEST(Hdss, AFullMemoryEndsAUnitsPhaseOne) {
  PolicyTest test = three_speeds(1000);
  test.fake.units = {affine_unit(1.0, 0.0), affine_unit(1.0, 0.0)};
  test.memory_bytes = {16.0, 16.0};
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{5, 10, 16}));
  expect_all_done(schedule, 1000);
}

TEST(Hdss, AUnitThatComesLateLearnsItsOwnWeightBesideTheOthersWork) {
  PolicyTest test = three_speeds(4000);
  test.fake.faults.push_back({Seconds{0.1}, UnitId{1}, false});
  test.fake.faults.push_back({Seconds{100.0}, UnitId{1}, true});
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 4000);
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), (Sizes{5, 10, 20}));
  EXPECT_FALSE(schedule.sizes(1, BlockTag::run).empty());
  EXPECT_EQ(schedule.decisions_called(DecisionKind::unit_joined), 1U);
}

TEST(Hdss, SurvivesTheLossOfAUnitAtAnyStage) {
  for (const char* sync : {"true", "false"}) {
    for (const double at : {0.0, 3.0, 20.0, 35.0, 50.0, 200.0}) {
      for (const std::uint32_t unit : {0U, 2U}) {
        SCOPED_TRACE(std::string(sync) + " at " + std::to_string(at) + " unit " +
                     std::to_string(unit));
        PolicyTest test = three_speeds(2000);
        test.parameters["phase1_sync"] = sync;
        test.fake.faults.push_back({Seconds{at}, UnitId{unit}, false});
        expect_all_done(run_schedule(test), 2000);
      }
    }
  }
}

TEST(Hdss, WorksWithOneItemOneUnitAndMoreUnitsThanItems) {
  expect_all_done(run_schedule(three_speeds(1)), 1);
  EXPECT_EQ(run_schedule(three_speeds(2)).notes_of("exhausted_in_training"), 1U);
  PolicyTest alone;
  alone.policy = "hdss";
  alone.items = 5000;
  add_affine(alone, 0.1, 0.01);
  expect_all_done(run_schedule(alone), 5000);
}

TEST(Hdss, KeepsItsWeightsForIterationsAndForPhasesOfTheSameKernel) {
  PolicyTest test = three_speeds(905);
  test.iterations = 3;
  test.later_kernels = {"second", "first"};
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 8145);
  EXPECT_EQ(schedule.decisions_called(DecisionKind::fit), 2U);
  for (const BlockRecord& record : schedule.blocks) {
    EXPECT_TRUE(record.block.tag != BlockTag::train ||
                (record.block.iteration == 0 && record.block.phase < 2));
  }
}

}  // namespace
}  // namespace equipoise::hdss_test
