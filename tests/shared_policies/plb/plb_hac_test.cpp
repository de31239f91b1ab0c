// Tests of plb-hac on schedules that were worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/plb_hac_units.hpp"

namespace equipoise::plb_hac_test {
namespace {

using Sizes = std::vector<Items>;

TEST(PlbHac, TrainsWithTwoBlocksAUnitAndOneBarrier) {
  const Schedule schedule = run_schedule(four_speeds(10'000));
  // u0 comes back first, at 1 s, and gets 2 x0. The others get 20 times t_f / t_p.
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), (Sizes{10, 20}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::train), (Sizes{10, 10}));
  EXPECT_EQ(schedule.sizes(2, BlockTag::train), (Sizes{10, 2}));
  EXPECT_EQ(schedule.sizes(3, BlockTag::train), (Sizes{10, 1}));
  // The units end at 3, 4, 12 and 22 s; the last is the barrier. Then 500 items at 16.5 items per
  // second.
  ASSERT_FALSE(schedule.decisions.empty());
  EXPECT_TRUE(schedule.decisions[0].decision.is(DecisionKind::fit));
  EXPECT_NEAR(schedule.decisions[0].at.value, 22.0, 1e-9);
  EXPECT_EQ(schedule.sizes(0, BlockTag::run).front(), 303);
  EXPECT_EQ(schedule.sizes(1, BlockTag::run).front(), 152);
  EXPECT_EQ(schedule.sizes(2, BlockTag::run).front(), 30);
  EXPECT_EQ(schedule.sizes(3, BlockTag::run).front(), 15);
  expect_all_done(schedule, 10'000);
}

TEST(PlbHac, NobodyWaitsBetweenItsTwoTrainingBlocks) {
  const Schedule schedule = run_schedule(four_speeds(10'000));
  std::vector<double> last_end(4, 0.0);
  for (const BlockRecord& record : schedule.blocks) {
    if (record.block.tag == BlockTag::train) {
      EXPECT_NEAR(record.assigned.value, last_end[record.unit.index], 1e-9);
    }
    last_end[record.unit.index] = record.end.value;
  }
}

TEST(PlbHac, TheFirstUnitToEnterAStepSolvesAndTheOthersTakeItsSizes) {
  const Schedule schedule = run_schedule(four_speeds(10'000));
  // In the first step u2 and u3 end at 52.0 s, u0 at 52.3 s and u1 at 52.4 s.
  ASSERT_GE(schedule.decisions.size(), 2U);
  EXPECT_TRUE(schedule.decisions[1].decision.is(DecisionKind::step));
  EXPECT_NEAR(schedule.decisions[1].at.value, 52.0, 1e-9);
  EXPECT_GT(schedule.decisions.at(2).at.value, 80.0);  // once a step, not once a unit
  // After the barrier no unit waits.
  std::vector<double> last_end(4, 22.0);
  for (const BlockRecord& record : schedule.blocks) {
    if (record.block.tag != BlockTag::train) {
      EXPECT_NEAR(record.assigned.value, last_end[record.unit.index], 1e-9);
      last_end[record.unit.index] = record.end.value;
    }
  }
}

TEST(PlbHac, CanSolveWhenTheLastUnitHasEndedAStepAsTheTextSays) {
  PolicyTest test = four_speeds(10'000);
  test.parameters["update_on"] = "all_units";
  const Schedule schedule = run_schedule(test);
  ASSERT_GE(schedule.decisions.size(), 2U);
  EXPECT_NEAR(schedule.decisions[1].at.value, 52.4, 1e-9);
  expect_all_done(schedule, 10'000);
}

/// u0's first block after training, of 100 items, takes 5 s instead of 10.
PolicyTest one_early_end() {
  PolicyTest test = two_alike(2000);
  test.fake.units[0].compute_s = [clock = test.clock](double items) {
    const bool is_early = clock->now_s() > 2.5 && clock->now_s() < 7.0;
    return (is_early ? 0.05 : 0.1) * items;
  };
  return test;
}

TEST(PlbHac, FillsTheGapOfAUnitThatEndsEarly) {
  const Schedule schedule = run_schedule(one_early_end());
  // Training ends at 3 s. The block of 100 ends at 8 s instead of 13 s, and 50 items fit into the 5
  // s.
  EXPECT_EQ(schedule.sizes(0, BlockTag::gap), (Sizes{50}));
  const auto gap =
      std::find_if(schedule.blocks.begin(), schedule.blocks.end(),
                   [](const BlockRecord& record) { return record.block.tag == BlockTag::gap; });
  EXPECT_NEAR(gap->assigned.value, 8.0, 1e-9);
  EXPECT_NEAR(gap->end.value, 13.0, 1e-9);
  // No step begins before the gap is filled.
  EXPECT_NEAR(schedule.decisions.at(1).at.value, 13.0, 1e-9);
  expect_all_done(schedule, 2000);
}

TEST(PlbHac, GoesOnWithTheNextStepWhereTheGapIsTooShort) {
  PolicyTest test = one_early_end();
  test.parameters["gap_threshold_s"] = "5.5";
  const Schedule by_time = run_schedule(test);
  EXPECT_TRUE(by_time.sizes(0, BlockTag::gap).empty());
  EXPECT_NEAR(by_time.decisions.at(1).at.value, 8.0, 1e-9);
  test = one_early_end();
  test.parameters["min_block_items"] = "51";  // more than the gap holds
  EXPECT_TRUE(run_schedule(test).sizes(0, BlockTag::gap).empty());
}

TEST(PlbHac, ReadsGapsAsThePapersCodeDoesWhenAskedTo) {
  PolicyTest test = one_early_end();
  test.parameters["gap_rule"] = "ratio";
  test.parameters["gap_ratio"] = "0.5";
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::gap), (Sizes{50}));
  test.parameters["gap_ratio"] = "0.49";
  EXPECT_TRUE(run_schedule(test).sizes(0, BlockTag::gap).empty());
  test.parameters["gap_ratio"] = "0.5";
  test.parameters["gap_fill"] = "whole";
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::gap), (Sizes{100}));
}

/// Two machines, items of 1 KB: GPU A 625 KB/s, GPU B 600 KB/s, two CPUs of 87.5 KB/s. A step takes
/// 4 s, with 2500 KB for GPU A. At 142 s GPU A slows down to 0.334 of its speed. Then its share of
/// a step is 5600 * 208.75 / 983.75 = 1188 KB, the figure in the paper.
PolicyTest competitor_on_gpu_a() {
  PolicyTest test;
  test.policy = "plb-hac";
  test.items = 560'000;
  test.parameters = {{"initial_block_items", "1024"}, {"step_fraction", "0.01"}};
  for (const double speed : {625.0, 600.0, 87.5, 87.5}) {
    add_affine(test, 0.0, 1.0 / speed);
  }
  test.fake.units[0].compute_s = [clock = test.clock](double items) {
    const double alone_s = items / 625.0;
    const double until_then_s = std::clamp(142.0 - clock->now_s(), 0.0, alone_s);
    return until_then_s + (alone_s - until_then_s) / 0.334;
  };
  test.kinds = {UnitKind::gpu, UnitKind::gpu, UnitKind::cpu, UnitKind::cpu};
  return test;
}

/// The block size of GPU A that was valid at `at_s`.
Items block_of_gpu_a(const Schedule& schedule, double at_s) {
  Items items = 0;
  for (const DecisionRecord& decision : schedule.decisions) {
    if (decision.at.value <= at_s) items = decision.decision.estimates.at(0).block_items;
  }
  return items;
}

TEST(PlbHac, AllMeasurementsAlikeCannotFollowAUnitThatSlowsDown) {
  const Schedule schedule = run_schedule(competitor_on_gpu_a());
  EXPECT_NEAR(static_cast<double>(block_of_gpu_a(schedule, 141.0)), 2500.0, 1.0);
  // Within 38 s u0 does three slow blocks after thirty fast ones. A least-squares slope grows by at
  // most (30 + 3 * 3) / 33 = 1.18, which leaves 2500 / (0.446 + 0.554 * 1.18) = 2280.
  EXPECT_GT(block_of_gpu_a(schedule, 180.0), 2250);
  EXPECT_LT(block_of_gpu_a(schedule, 180.0), 2450);
  expect_all_done(schedule, 560'000);
}

TEST(PlbHac, ForgettingFollowsItAsThePapersFigureDoes) {
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"forgetting", "0.5"}, {"window", "2"}}) {
    SCOPED_TRACE(name);
    PolicyTest test = competitor_on_gpu_a();
    test.parameters[name] = value;
    const Schedule schedule = run_schedule(test);
    EXPECT_NEAR(static_cast<double>(block_of_gpu_a(schedule, 141.0)), 2500.0, 1.0);
    EXPECT_LT(block_of_gpu_a(schedule, 180.0), 1350);
    EXPECT_GT(block_of_gpu_a(schedule, 180.0), 1188 - 50);
    expect_all_done(schedule, 560'000);
  }
}

TEST(PlbHac, ForgettingKeepsTheSlowedUnitAtItsShare) {
  // While sizes change, the remembered samples are large fast blocks and small slow ones. A curve
  // through both falls, and would leave almost nothing for GPU A.
  for (const char* const forgetting : {"0.5", "0.7"}) {
    SCOPED_TRACE(forgetting);
    PolicyTest test = competitor_on_gpu_a();
    test.parameters["forgetting"] = forgetting;
    const Schedule schedule = run_schedule(test);
    for (double at_s = 190.0; at_s < 350.0; at_s += 1.0) {
      ASSERT_GT(block_of_gpu_a(schedule, at_s), 1100) << at_s;
      ASSERT_LT(block_of_gpu_a(schedule, at_s), 1400) << at_s;
    }
  }
}

TEST(PlbHac, TheFirstCpuToBeIdleSpendsTheTimeOfSolving) {
  const Schedule schedule = run_schedule(competitor_on_gpu_a());
  for (const DecisionRecord& decision : schedule.decisions) {
    ASSERT_TRUE(decision.decision.unit.has_value());
    EXPECT_GE(decision.decision.unit->index, 2U);
  }
  PolicyTest test = competitor_on_gpu_a();
  test.kinds.assign(4, UnitKind::gpu);
  const Schedule no_cpu = run_schedule(test);
  EXPECT_FALSE(no_cpu.decisions.at(0).decision.unit.has_value());  // after the barrier: the master
  EXPECT_TRUE(no_cpu.decisions.at(1).decision.unit.has_value());   // then the entering unit
}

TEST(PlbHac, RespectsGrainAndMemory) {
  PolicyTest test = four_speeds(10'000);
  test.grain_items = 8;
  test.memory_bytes = {100.0, 1e9, 1e9, 1e9};
  const Schedule schedule = run_schedule(test);
  for (const BlockRecord& record : schedule.blocks) {
    EXPECT_TRUE(record.block.items % 8 == 0 || record.block.first + record.block.items == 10'000);
    EXPECT_TRUE(record.unit.index != 0 || record.block.items <= 96);
  }
  expect_all_done(schedule, 10'000);
}

TEST(PlbHac, WorksWithOneUnitOneItemAndMoreUnitsThanItems) {
  PolicyTest test = four_speeds(1);
  expect_all_done(run_schedule(test), 1);
  EXPECT_EQ(run_schedule(test).notes_of("exhausted_in_training"), 1U);
  test.items = 3;
  expect_all_done(run_schedule(test), 3);
  PolicyTest alone;
  alone.policy = "plb-hac";
  add_affine(alone, 0.1, 0.01);
  alone.items = 5000;
  expect_all_done(run_schedule(alone), 5000);
}

TEST(PlbHac, KeepsWhatItLearnedForIterationsAndForPhasesOfTheSameKernel) {
  PolicyTest test = four_speeds(2000);
  test.iterations = 3;
  test.later_kernels = {"second", "first"};
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 18'000);  // three phases of three iterations
  EXPECT_EQ(schedule.decisions_called(DecisionKind::fit), 2U);
  for (const BlockRecord& record : schedule.blocks) {
    EXPECT_TRUE(record.block.tag != BlockTag::train ||
                (record.block.iteration == 0 && record.block.phase < 2));
  }
}

TEST(PlbHac, SurvivesTheLossOfAUnitAtAnyStage) {
  for (const double at : {0.5, 2.0, 21.0, 22.0, 30.0, 52.0, 100.0, 400.0}) {
    for (const std::uint32_t unit : {0U, 3U}) {
      SCOPED_TRACE(std::to_string(at) + " unit " + std::to_string(unit));
      PolicyTest test = four_speeds(10'000);
      test.fake.faults.push_back({Seconds{at}, UnitId{unit}, false});
      expect_all_done(run_schedule(test), 10'000);
    }
  }
}

TEST(PlbHac, TrainsAUnitThatComesLateBesideTheOthersWork) {
  PolicyTest test = four_speeds(20'000);
  test.fake.faults.push_back({Seconds{0.5}, UnitId{1}, false});
  test.fake.faults.push_back({Seconds{60.0}, UnitId{1}, true});
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 20'000);
  EXPECT_EQ(schedule.sizes(1, BlockTag::train).front(), 10);
  EXPECT_FALSE(schedule.sizes(1, BlockTag::run).empty());
}

TEST(PlbHac, EveryWordOfEveryParameterRuns) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> words = {
      {"fit", {"subset", "single", "full_ridge", "nnls"}},
      {"solver", {"direct", "ipopt"}},
      {"update_on", {"first_unit", "all_units"}},
      {"solve_on", {"first_cpu", "entering_unit"}},
      {"tail_from", {"assigned", "processed"}},
      {"min_solve_interval_s", {"0", "50", "1e6"}},
      {"forgetting", {"0.001", "0.5", "0.9"}},
      {"window", {"1", "4", "100"}},
      {"narrow_span", {"0", "1.5", "1e9"}},
      {"tail_shrink", {"0", "0.9", "1"}},
      {"tail_of", {"blocks", "step"}},
      {"step_fraction", {"0", "1"}}};
  for (const auto& [name, values] : words) {
    for (const std::string& value : values) {
      SCOPED_TRACE(name + "=" + value);
      PolicyTest test = four_speeds(2000);
      test.parameters[name] = value;
      expect_all_done(run_schedule(test), 2000);
      test.slots = 2;
      test.parameters["forgetting"] = "0.5";
      expect_all_done(run_schedule(test), 2000);
    }
  }
}

}  // namespace
}  // namespace equipoise::plb_hac_test
