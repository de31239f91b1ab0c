// Tests of ss, fsc, mfsc, gss, tss, fac, fac2 and wf: the reference sequences for 1000 items on 4
// units, and our additions for heterogeneous units.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/policy_schedule.hpp"
#include "tests/support/refusal.hpp"

namespace equipoise::loop_self_scheduling_test {
namespace {

using Sizes = std::vector<Items>;

/// Blocks of any size take 1 s, so that the units ask in turns.
PolicyTest in_turns(const std::string& policy, std::size_t units = 4) {
  PolicyTest test;
  test.policy = policy;
  test.items = 1000;
  for (std::size_t p = 0; p < units; ++p) {
    test.fake.units.push_back(affine_unit(1.0, 0.0));
    test.known.phases.front().push_back(std::make_unique<AffineCurve>(0.0, 1.0));
  }
  return test;
}

Sizes sequence(PolicyTest test, const std::map<std::string, std::string>& parameters = {}) {
  test.parameters = parameters;
  const Schedule schedule = run_schedule(test);
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_FALSE(schedule.outcome.policy_stalled);
  return schedule.sizes_as_handed_out();
}

TEST(LoopSelfScheduling, SsGivesOneGrain) {
  EXPECT_EQ(sequence(in_turns("ss")), Sizes(1000, 1));
  PolicyTest grains = in_turns("ss");
  grains.grain_items = 250;
  EXPECT_EQ(sequence(std::move(grains)), Sizes(4, 250));
}

TEST(LoopSelfScheduling, GssGivesAnEvenShareOfTheRest) {
  EXPECT_EQ(sequence(in_turns("gss")), (Sizes{250, 188, 141, 106, 79, 59, 45, 33, 25, 19, 14,
                                              11,  8,   6,   4,   3,  3,  2,  1,  1,  1,  1}));
}

TEST(LoopSelfScheduling, TssFallsOnALineWithAWholeOrARealStep) {
  EXPECT_EQ(sequence(in_turns("tss")),
            (Sizes{125, 117, 109, 101, 93, 85, 77, 69, 61, 53, 45, 37, 28}));
  EXPECT_EQ(sequence(in_turns("tss"), {{"delta", "real"}}),
            (Sizes{125, 117, 109, 101, 92, 84, 76, 68, 59, 51, 43, 35, 26, 14}));
}

TEST(LoopSelfScheduling, Fac2HalvesTheRestBatchByBatch) {
  Sizes expected;
  for (const Items size : {125, 63, 31, 16, 8, 4, 2, 1}) expected.insert(expected.end(), 4, size);
  EXPECT_EQ(sequence(in_turns("fac2")), expected);
}

TEST(LoopSelfScheduling, FacFollowsTheScatterOfItemTimes) {
  EXPECT_EQ(sequence(in_turns("fac"), {{"coefficient_of_variation", "0.3"}}),
            (Sizes{244, 244, 244, 244, 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1}));
  EXPECT_EQ(sequence(in_turns("fac"), {{"coefficient_of_variation", "1"}}),
            (Sizes{229, 229, 229, 229, 9, 9, 9, 9, 5, 5, 5, 5, 3, 3,
                   3,   3,   2,   2,   2, 2, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(sequence(in_turns("fac"), {{"coefficient_of_variation", "0"}}), Sizes(4, 250));
}

TEST(LoopSelfScheduling, FacTakesTheVariationFromTheProfileUnlessTold) {
  PolicyTest test;
  test.policy = "fac";
  test.items = 1000;
  add_affine(test, 0.0, 1.0);
  add_affine(test, 0.0, 3.0);
  // The mean is 2 and the deviation 1: b = 0.5 / sqrt(1000), x = 1.022612, 1000 / (2 x) = 488.94.
  EXPECT_EQ(sequence(std::move(test)).front(), 489);
}

TEST(LoopSelfScheduling, FscAndMfscGiveOneSize) {
  Sizes expected(15, 64);
  expected.push_back(40);
  EXPECT_EQ(sequence(in_turns("fsc"), {{"overhead_s", "0.5"}, {"sigma_s", "0.3"}}), expected);
  expected = Sizes(32, 31);
  expected.push_back(8);
  EXPECT_EQ(sequence(in_turns("mfsc")), expected);
}

TEST(LoopSelfScheduling, FscReadsOverheadAndScatterOffTheProfileUnlessTold) {
  PolicyTest test;
  test.policy = "fsc";
  test.items = 1000;
  add_affine(test, 0.001, 0.01);
  add_affine(test, 0.003, 0.004);
  // h = 0.002 s. Items take 10.002 and 4.006 ms in blocks of 500: s m = 2.998 ms,
  // c^2 = 1000 * 2 / (2 * 2.998 * sqrt(2 ln 2)) = 283.3 = 16.83^2.
  EXPECT_EQ(sequence(std::move(test)).front(), 17);
}

TEST(LoopSelfScheduling, KnowsNothingBeforehandUnlessItsFormulaNeedsIt) {
  for (const char* policy : {"fsc", "fac", "wf", "bold"}) {
    EXPECT_EQ(find_policy(policy).foresight, Foresight::informed) << policy;
  }
  for (const char* policy :
       {"ss", "mfsc", "gss", "tss", "fac2", "awf-b", "awf-c", "awf-d", "awf-e", "af", "taper",
        "naive", "asymmetric", "hguided", "dmda", "logfit", "static-steal", "auto"}) {
    EXPECT_EQ(find_policy(policy).foresight, Foresight::none) << policy;
  }
}

const Sizes weighted_sequence = {250, 125, 63, 63, 126, 63, 32, 32, 62, 31, 16, 16, 32, 16, 8,
                                 8,   16,  8,  4,  4,   8,  4,  2,  2,  4,  2,  1,  1,  1};

TEST(LoopSelfScheduling, WfWeighsTheBlocksOfABatch) {
  EXPECT_EQ(sequence(in_turns("wf"), {{"weights", "2/1/.5/.5"}}), weighted_sequence);
  EXPECT_EQ(sequence(in_turns("wf"), {{"weights", "8/4/2/2"}}), weighted_sequence);
}

TEST(LoopSelfScheduling, WfTakesItsWeightsFromTheProfileUnlessTold) {
  PolicyTest test = in_turns("wf");
  test.known.phases.front().clear();
  for (const double item_s : {0.1, 0.2, 0.4, 0.4}) {
    test.known.phases.front().push_back(std::make_unique<AffineCurve>(0.0, item_s));
  }
  EXPECT_EQ(sequence(std::move(test)), weighted_sequence);
}

TEST(LoopSelfScheduling, WfRefusesWeightsThatAreNotOneAUnit) {
  const PolicyTest test = in_turns("wf");
  const PolicyInputs inputs{{{"weights", "2/1"}}, &test.known};
  const std::string refusal = refusal_of([&] { (void)make_policy(find_policy("wf"), inputs); });
  EXPECT_NE(refusal.find("2 numbers for 4 units"), std::string::npos) << refusal;
}

TEST(LoopSelfScheduling, BatchesAreOverWhenTheirItemsAreHandedOutWhoeverTookThem) {
  PolicyTest test = in_turns("fac2", 0);
  add_affine(test, 0.0, 1.0);
  add_affine(test, 0.0, 100.0);
  // Both units take 250. The first is back at 250 s and takes the next batch, 125 twice, and so on.
  const Schedule schedule = run_schedule(test);
  const Sizes first = schedule.sizes(0, BlockTag::run);
  ASSERT_GE(first.size(), 7U);
  EXPECT_EQ(Sizes(first.begin(), first.begin() + 7), (Sizes{250, 125, 125, 63, 63, 31, 31}));
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), (Sizes{250}));
}

TEST(LoopSelfScheduling, KeepsToTheSmallestBlockAndToGrains) {
  EXPECT_EQ(sequence(in_turns("gss"), {{"min_block_items", "80"}}),
            (Sizes{250, 188, 141, 106, 80, 80, 80, 75}));
  PolicyTest grains = in_turns("gss");
  grains.grain_items = 64;
  // ceil(R / 4) in whole grains. The last block also takes the remaining 40 items, less than a
  // grain.
  EXPECT_EQ(sequence(std::move(grains)), (Sizes{256, 192, 192, 128, 64, 64, 104}));
}

TEST(LoopSelfScheduling, StartsAnewInEveryIteration) {
  for (const char* policy : {"fsc", "mfsc", "gss", "tss", "fac", "fac2", "wf"}) {
    const Sizes once = sequence(in_turns(policy));
    PolicyTest twice = in_turns(policy);
    twice.iterations = 2;
    Sizes expected = once;
    expected.insert(expected.end(), once.begin(), once.end());
    EXPECT_EQ(sequence(std::move(twice)), expected) << policy;
  }
}

TEST(LoopSelfScheduling, BeginsABatchOverWorkThatCameBackAndCountsTheUnitsThatAreThere) {
  PolicyTest test;
  test.policy = "fac2";
  test.items = 100;
  add_affine(test, 0.0, 1.0);
  add_affine(test, 0.0, 100.0);
  test.fake.faults.push_back({Seconds{60.0}, UnitId{1}, false});
  // 25 each, then 13, 13, 6, 6 until 63 s, when 12 items and the lost 25 are left for one unit: 19.
  // The next batch is one block of 9 of the 18 items left. The lost range has only 6 of them, so
  // the batch lasts for another block.
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::run), (Sizes{25, 13, 13, 6, 6, 19, 6, 9, 2, 1}));
}

TEST(LoopSelfScheduling, TssBeginsATrapezoidOverWorkThatCameBackAfterItsLastStep) {
  PolicyTest test;
  test.policy = "tss";
  test.items = 100;
  add_affine(test, 0.0, 1.0);
  add_affine(test, 0.0, 100.0);
  test.fake.faults.push_back({Seconds{90.0}, UnitId{1}, false});
  // f = 25, S = ceil(200 / 26) = 8, delta = floor(24 / 7) = 3. The second unit's 22 items come back
  // at 90 s. By 78 s, 25 + 19 + 16 + 13 + 5 = 78 items are done, and the first unit waits. Six of
  // eight steps were taken. 7 and 4 follow, then a new line over the 11 items left: f = 6, S = 4,
  // delta = floor(5 / 3) = 1.
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::run), (Sizes{25, 19, 16, 13, 5, 7, 4, 6, 5}));
}

TEST(LoopSelfScheduling, GivesUnitsWithLittleMemoryWhatFits) {
  PolicyTest test = in_turns("fac2");
  test.memory_bytes = {1e9, 50.0, 1e9, 1e9};
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(1, BlockTag::run).front(), 50);
  EXPECT_EQ(schedule.items(), 1000);
}

}  // namespace
}  // namespace equipoise::loop_self_scheduling_test
