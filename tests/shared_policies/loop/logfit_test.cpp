// Tests of logfit on schedules that were worked out by hand.
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/policy_schedule.hpp"

namespace equipoise::logfit_test {
namespace {

using Sizes = std::vector<Items>;

const Sizes doublings = {10, 20, 40, 80, 160, 320};

/// An accelerator whose blocks take 0.1 s and 0.1 s per item: 10 x / (1 + x) items per second. The
/// first chunks have 10 items.
///
/// After six points, 80 items (9.877 items/s) are not exceeded by 0.98 times 160 (9.938) or 320
/// items (9.969): 9.739 and 9.769. The exploration ends at 32.1 + 16.1 + 8.1 + 4.1 + 2.1 + 1.1 =
/// 63.6 s with 630 items done.
PolicyTest accelerator(Items items) {
  PolicyTest test;
  test.policy = "logfit";
  test.parameters = {{"initial_block_items", "10"}};
  test.items = items;
  add_affine(test, 0.1, 0.1);
  test.kinds = {UnitKind::gpu};
  return test;
}

TEST(LogFit, DoublesTheChunkUntilTheThroughputIsFlatAndKeepsItsSlope) {
  const Schedule schedule = run_schedule(accelerator(5000));
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), doublings);
  // The fit does not change, so a / theta = 320. 5000 - 630 = 13 * 320 + 210.
  Sizes expected(13, 320);
  expected.push_back(210);
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), expected);
  EXPECT_EQ(schedule.decisions_called(DecisionKind::fit), 15U);
}

TEST(LogFit, NeedsTwoPointsMoreThanTheSmallestNumber) {
  PolicyTest test = accelerator(5000);
  test.parameters["min_points"] = "5";
  // 160 items (9.938) are not exceeded by 0.98 times 320 or 640 items (9.984): 9.769 and 9.785.
  Sizes expected = doublings;
  expected.push_back(640);
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::train), expected);
  test = accelerator(5000);
  test.parameters["discount"] = "1";
  // Throughputs always grow: until the next chunk would exceed all items.
  expected.insert(expected.end(), {1280, 2560});
  test.items = 5110;  // 10 + 20 + ... + 2560
  EXPECT_EQ(run_schedule(test).sizes(0, BlockTag::train), expected);
}

TEST(LogFit, ChunksFollowTheSlopeOfTheFit) {
  PolicyTest test = accelerator(4000);
  // From 63 s on blocks take twice as long: 4.984 items/s in the next chunk of 320 items, at the
  // end of which the slope is less.
  test.fake.units[0].compute_s = [clock = test.clock](double items) {
    return (clock->now_s() < 63.0 ? 1.0 : 2.0) * (0.1 + 0.1 * items);
  };
  const Sizes sizes = run_schedule(test).sizes(0, BlockTag::run);
  ASSERT_GE(sizes.size(), 2U);
  EXPECT_EQ(sizes[0], 320);
  // ln x: 2.303 and 0.693 more at each doubling. With v = 9.091, 9.524, 9.756, 9.877, 9.938 and
  // 9.969, a = sum((ln x - mean) v) / sum((ln x - mean)^2)
  //   = 0.693 * (-2.5 * 9.091 - 1.5 * 9.524 - 0.5 * 9.756 + 0.5 * 9.877 + 1.5 * 9.938
  //              + 2.5 * 9.969) / (0.480 * 17.5) = 0.693 * 2.876 / 8.408 = 0.237.
  // With 4.984 in the place of 9.969: the slope is negative, and the chunk the smallest.
  EXPECT_EQ(sizes[1], 10);
}

TEST(LogFit, CpuUnitsKeepStepAndTheAcceleratorStopsBeforeTheEnd) {
  PolicyTest test = accelerator(2000);
  add_affine(test, 0.0, 1.0);
  test.kinds = {UnitKind::gpu, UnitKind::cpu};
  const Schedule schedule = run_schedule(test);
  // The CPU, 1 item/s:
  //   0 s: nothing is known, 10 items;
  //   10 s: a chunk of 80 at 40 / 4.1 s takes 8.2 s, but 10 is the least;
  //   20 s: 160 at 80 / 8.1 s, 16.2 s; 36 s: 320 at 160 / 16.1 s, 32.2 s;
  //   68, 100 s: 320 at 320 / 32.1 s, 32.1 s;
  //   132 s: its part of the 278 items left, 278 / 10.969 = 25.3; 157 s: 253 / 10.969 = 23.1.
  // The accelerator, after 63.6 s: chunks of 320 at 63.6, 95.7 and 127.8 s. At 159.9 s, 230 items
  // are left, less than a chunk. 209 = 230 * 9.969 / 10.969 of them take 21 s, as the other 21 do
  // on the CPU; it would need 230 s alone, the accelerator 23 s.
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), doublings);
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), Sizes(3, 320));
  EXPECT_EQ(schedule.sizes(0, BlockTag::tail), (Sizes{209}));
  // With the accelerator stopped, the CPU takes halves, at least 10 items.
  EXPECT_EQ(schedule.sizes(1, BlockTag::run), (Sizes{10, 10, 16, 32, 32, 32, 25, 23, 10, 10, 1}));
  EXPECT_NEAR(schedule.makespan(), 201.0, 1e-9);
}

TEST(LogFit, AStoppedAcceleratorDoesWhatALostUnitLeaves) {
  PolicyTest test = accelerator(2000);
  add_affine(test, 0.0, 1.0);
  test.kinds = {UnitKind::gpu, UnitKind::cpu};
  // As above, but the CPU is lost at 185 s, 5 s after it began 10 of the last 21 items.
  test.fake.faults.push_back({Seconds{185.0}, UnitId{1}, false});
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 2000);
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{1799 + 21, 180}));
}

TEST(LogFit, EveryAcceleratorHasItsOwnFit) {
  PolicyTest test = accelerator(2000);
  add_affine(test, 0.11, 0.1);
  test.kinds = {UnitKind::gpu, UnitKind::gpu};
  const Schedule schedule = run_schedule(test);
  // 740 items are left at 63.6 s. The first takes 320: the 320 + 420 items that are left besides
  // take the other 74 s, this chunk 32 s. The second takes 320 at 63.66 s, for which the rest, 420
  // items, is enough, too. At 95.7 s, 100 items are left, less than a chunk: all of them end before
  // the other's chunk does.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{320}));
  EXPECT_EQ(schedule.sizes(0, BlockTag::tail), (Sizes{100}));
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{630 + 320 + 100, 630 + 320}));
}

TEST(LogFit, KeepsWhatItKnowsOfAKernel) {
  PolicyTest test = accelerator(1270);
  test.iterations = 2;
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.sizes(0, BlockTag::train), doublings);
  // 640 items are left in the first iteration; 1270 = 3 * 320 + 310.
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (Sizes{320, 320, 320, 320, 320, 310}));
}

TEST(LogFit, WithoutAcceleratorsCpuUnitsGuideThemselves) {
  PolicyTest test;
  test.policy = "logfit";
  test.parameters = {{"initial_block_items", "1"}};
  test.items = 100;
  add_affine(test, 1.0, 0.0);
  add_affine(test, 1.0, 0.0);
  EXPECT_EQ(run_schedule(test).sizes_as_handed_out(),
            (Sizes{33, 22, 15, 10, 6, 4, 3, 2, 1, 1, 1, 1, 1}));
}

}  // namespace
}  // namespace equipoise::logfit_test
