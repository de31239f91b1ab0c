// Tests of when equipoise, our own policy, lets remote units fetch the resident data.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/disturb.hpp"
#include "tests/support/policy_schedule.hpp"

namespace equipoise::remote_units_test {
namespace {

using Sizes = std::vector<Items>;

/// One unit beside the input, whose copy of the resident data takes `near_s`, and `far` remote
/// units, which fetch the same data in 10 s. A probe of a thousandth of them takes 0.01 s, or
/// `together` times as long while others are probed, which comes second.
PolicyTest near_and_far(Items items, double near_s = 1.0, std::size_t far = 1,
                        double together = 1.0) {
  PolicyTest test = equipoise_on(items, std::vector<double>(1 + far, 1e-3));
  test.units.resize(1 + far);
  test.resident_bytes = 1.25e9;
  test.fake.units[0].resident_s = near_s;
  for (std::size_t unit = 1; unit <= far; ++unit) {
    test.units[unit].is_remote = true;
    test.units[unit].node = "far" + std::to_string(unit);
    test.fake.units[unit].resident_s = 10.0;
    test.fake.units[unit].probe_there_s = [together, is_asked = false](double bytes) mutable {
      const double factor = is_asked ? together : 1.0;
      is_asked = is_asked || bytes > 0.0;
      return factor * bytes * 8e-9;
    };
  }
  return test;
}

/// What earlier runs have shown of a unit that needs `item_s` an item.
LearnedCost learned(double item_s) {
  LearnedCost cost;
  for (const double items : {1e2, 1e3, 1e4}) cost.alone.push_back({items, 10.0, items * item_s});
  cost.scatter = cost.uncertainty = 0.05;
  return cost;
}

TEST(RemoteUnits, DoNotFetchWhatTakesMostOfTheTimeLeft) {
  // The near unit needs 10 s, as long as fetching takes, and has shown that with a block of 3 items
  // before the probe ends.
  const Schedule schedule = run_schedule(near_and_far(10'000, 0.0));
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{10'000, 0}));
  EXPECT_NEAR(schedule.makespan(), 10.0, 1e-6);
  expect_all_done(schedule, 10'000);
}

TEST(RemoteUnits, DoNotLengthenARunByAFetchInVain) {
  // The near unit copies the data for 1 s, then needs 1 s. At 0.01 s its first item seems to take
  // 0.02 s: 20 s for all, so fetching for 10 s seems worthwhile. The near unit does again what the
  // far one was given.
  const Schedule schedule = run_schedule(near_and_far(1'000, 1.0));
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{1'000, 0}));
  EXPECT_LE(schedule.makespan(), 1.01 * 2.0);
  expect_all_done(schedule, 1'000);
}

TEST(RemoteUnits, BeginAllAtOnceWhereNoUnitIsBesideTheInputThoughAllAreKnown) {
  // Both need 1e-3 s an item, as earlier runs have shown, and 10 s of fetching, which both do at
  // once: 10 s, and 5 s for half of the items.
  PolicyTest test = near_and_far(10'000, 10.0);
  test.units[0].is_remote = true;
  test.units[0].node = "near";
  test.known.experience = {{learned(1e-3), learned(1e-3)}};
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 10'000);
  EXPECT_LE(schedule.makespan(), 1.05 * 15.0);
}

TEST(RemoteUnits, FetchWhereEarlierRunsHaveShownThatTheyAreFaster) {
  // The near unit would need 10,000 s. The far one fetches for 10 s, and then needs 10 s.
  PolicyTest test = near_and_far(10'000, 0.0);
  test.fake.units[0] = affine_unit(0.0, 1.0);
  test.known.experience = {{learned(1.0), learned(1e-3)}};
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 10'000);
  EXPECT_LE(schedule.makespan(), 1.05 * 20.0);
}

TEST(RemoteUnits, CountIterationsToCome) {
  // Ten iterations of 2 s each on the near unit: 10 s of fetching serve all of them.
  PolicyTest test = near_and_far(2'000);
  test.iterations = 10;
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 20'000);
  // Both do 2,000 items a second from about 10 s on, when 11 of the 20 s of work are left.
  EXPECT_LE(schedule.makespan(), 1.05 * (10.0 + 5.5));
}

TEST(RemoteUnits, FetchWhereTheRunIsLongEnough) {
  const Schedule schedule = run_schedule(near_and_far(100'000));
  expect_all_done(schedule, 100'000);
  const std::vector<BlockRecord> far = schedule.blocks_on(1);
  ASSERT_FALSE(far.empty());
  // As soon as the network is known. The near unit still has its first block, 25 items: half of it
  // in 0.01 s would be 1,250 items/s, 80 s for all.
  EXPECT_NEAR(far.front().assigned.value, 0.01, 1e-9);
  EXPECT_GT(schedule.blocks_on(0).front().end.value, 1.0);
  EXPECT_LE(schedule.makespan(), 1.02 * (100.0 + 1.0 + 0.01 + 10.0) / 2.0);
}

TEST(RemoteUnits, BeginALaterPhaseAtOnceWhereTheyAreKnown) {
  PolicyTest test = near_and_far(100'000);
  test.later_kernels = {"first"};
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 200'000);
  Seconds begin = Seconds::infinity();  // of the second phase
  Seconds far_begin = Seconds::infinity();
  for (const BlockRecord& record : schedule.blocks) {
    if (record.block.phase == 0) continue;
    begin = std::min(begin, record.assigned);
    if (record.unit.index == 1) far_begin = std::min(far_begin, record.assigned);
  }
  EXPECT_LE((far_begin - begin).value, 0.1) << "no later than a probe takes";
}

TEST(RemoteUnits, AreAskedThroughAnotherUnitOfTheirNodeIfTheFirstFails) {
  PolicyTest test = near_and_far(100'000, 1.0, 2);
  test.units[2].node = test.units[1].node;
  test.fake.scenario.events.push_back(disturb(DisturbanceKind::fail, "u1", 1e-5));
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 100'000);
  EXPECT_GT(schedule.items_by_unit()[2], 30'000);
}

TEST(RemoteUnits, AskTheNetworkWhereNoCopyWasSeen) {
  EXPECT_TRUE(run_schedule(near_and_far(1'000, 0.0)).blocks_on(1).empty());
  const Schedule schedule = run_schedule(near_and_far(25'000, 0.0));
  ASSERT_FALSE(schedule.blocks_on(1).empty());
  EXPECT_LE(schedule.blocks_on(1).front().assigned.value, 0.1);
  expect_all_done(schedule, 25'000);
}

TEST(RemoteUnits, FetchAtOnceWhereLinksAreNotShared) {
  const Schedule schedule = run_schedule(near_and_far(100'000, 1.0, 2));
  ASSERT_FALSE(schedule.blocks_on(1).empty());
  ASSERT_FALSE(schedule.blocks_on(2).empty());
  EXPECT_EQ(schedule.blocks_on(1).front().assigned, schedule.blocks_on(2).front().assigned);
  expect_all_done(schedule, 100'000);
}

TEST(RemoteUnits, FetchOneAfterAnotherWhereLinksAreShared) {
  const Schedule schedule = run_schedule(near_and_far(100'000, 1.0, 2, 2.0));
  const std::vector<BlockRecord> first = schedule.blocks_on(1);
  const std::vector<BlockRecord> second = schedule.blocks_on(2);
  ASSERT_FALSE(first.empty());
  ASSERT_FALSE(second.empty());
  EXPECT_EQ(second.front().assigned, first.front().end);
  expect_all_done(schedule, 100'000);
}

TEST(RemoteUnits, LeaveOutANodeThatWouldComeTooLate) {
  // When the first has its data, at about 10 s, some 23 s of one unit's work are left: 11.5 s with
  // the first. Fetching takes 10 s, more than 0.8 of that.
  const Schedule schedule = run_schedule(near_and_far(32'000, 1.0, 2, 2.0));
  EXPECT_FALSE(schedule.blocks_on(1).empty());
  EXPECT_TRUE(schedule.blocks_on(2).empty());
  expect_all_done(schedule, 32'000);
}

TEST(RemoteUnits, FetchAsSoonAsTheNetworkIsKnownWhereAllAreRemote) {
  PolicyTest test = near_and_far(15'000, 10.0);
  test.units[0].is_remote = true;
  const Schedule schedule = run_schedule(test);
  for (const std::uint32_t unit : {0U, 1U}) {
    ASSERT_FALSE(schedule.blocks_on(unit).empty());
    EXPECT_LE(schedule.blocks_on(unit).front().assigned.value, 0.05);
  }
  EXPECT_LE(schedule.makespan(), 1.02 * (10.0 + 7.5));
  expect_all_done(schedule, 15'000);
}

TEST(RemoteUnits, StartAtOnceWhereNothingIsCopied) {
  PolicyTest test = near_and_far(15'000);
  test.resident_bytes = 0.0;
  for (FakeUnit& unit : test.fake.units) unit.resident_s = 0.0;
  const Schedule schedule = run_schedule(test);
  ASSERT_FALSE(schedule.blocks_on(1).empty());
  EXPECT_EQ(schedule.blocks_on(1).front().assigned, Seconds{});
  EXPECT_LE(schedule.makespan(), 1.02 * 7.5);
}

/// A near core that needs 1 s an item, and a far GPU that needs 1 ms. The items are 10 GB.
PolicyTest core_and_far_gpu() {
  PolicyTest test = near_and_far(10'000, 0.0);
  test.fake.units[0] = affine_unit(0.0, 1.0);
  test.fake.units[1].resident_s = 0.0;
  test.kinds = {UnitKind::cpu, UnitKind::gpu};
  test.resident_bytes = 0.0;
  test.in_bytes_per_item = 1e6;
  return test;
}

TEST(RemoteUnits, BeginBeforeALocalBlockHasEnded) {
  // A probe copies 10 MB, in 0.08 s. If the core had done half of its first three items by then,
  // all would take 533 s, one hundredth of which is enough to copy a first block of 0.02 / 2 of the
  // items, 0.8 s.
  const Schedule schedule = run_schedule(core_and_far_gpu());
  expect_all_done(schedule, 10'000);
  const std::vector<BlockRecord> far = schedule.blocks_on(1);
  ASSERT_GE(far.size(), 2U);
  EXPECT_NEAR(far.front().assigned.value, 0.08, 1e-9);
  EXPECT_EQ(far.front().block.items, 100);
  EXPECT_NEAR(schedule.blocks_on(0).front().end.value, 3.0, 1e-9);
}

TEST(RemoteUnits, BeginALaterPhaseOfANewKernelBeforeALocalBlockHasEnded) {
  // Nothing is asked again. The first look is after 1 ms: if the core had done half of its first
  // three items by then, all would take 6.7 s, one hundredth of which is enough to copy 8 items.
  PolicyTest test = core_and_far_gpu();
  test.later_kernels = {"second"};
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 20'000);
  Seconds begin = Seconds::infinity();  // of the second phase
  Seconds far_begin = Seconds::infinity();
  for (const BlockRecord& record : schedule.blocks) {
    if (record.block.phase == 0) continue;
    begin = std::min(begin, record.assigned);
    if (record.unit.index == 1) far_begin = std::min(far_begin, record.assigned);
  }
  EXPECT_NEAR((far_begin - begin).value, 1e-3, 1e-9);
}

TEST(RemoteUnits, AreLookedAtAgainWhileALocalFirstBlockGoesOn) {
  // A near GPU takes 100 s for its first 100 items. If it had done half of them in t, all 10,000
  // would take 200 t: that is more than the 10 s of fetching / 0.8 from 0.06 s on. The looks are at
  // 0.01 s, when the probe ends, 0.02, 0.04 and 0.08 s.
  PolicyTest test = near_and_far(10'000, 0.0);
  test.fake.units[0] = affine_unit(0.0, 1.0);
  test.kinds = {UnitKind::gpu, UnitKind::gpu};
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 10'000);
  ASSERT_FALSE(schedule.blocks_on(1).empty());
  EXPECT_NEAR(schedule.blocks_on(1).front().assigned.value, 0.08, 1e-9);
}

TEST(RemoteUnits, DoAllWhereTheLocalUnitIsSilentFromTheStart) {
  PolicyTest test = near_and_far(10'000, 0.0);
  test.fake.units[0] = affine_unit(1e6, 1e-3);
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 10'000);
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{0, 10'000}));
  EXPECT_LE(schedule.makespan(), 1.05 * 20.0);
}

TEST(RemoteUnits, BeginWhereALocalUnitGetsSlow) {
  // The near unit would need 10 s, as long as fetching takes. After 1 s it is 1,000 times slower.
  PolicyTest test = near_and_far(10'000, 0.0);
  test.fake.scenario.events.push_back(disturb(DisturbanceKind::slow, "u0", 1.0, 1000.0));
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 10'000);
  EXPECT_LE(schedule.makespan(), 40.0);
}

TEST(RemoteUnits, StartWhenTheOthersFail) {
  // The near unit would need 10 s, as long as fetching takes.
  PolicyTest test = near_and_far(10'000, 0.0);
  test.fake.scenario.events.push_back(disturb(DisturbanceKind::fail, "u0", 5.0));
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 10'000);
  ASSERT_FALSE(schedule.blocks_on(1).empty());
  EXPECT_NEAR(schedule.blocks_on(1).front().assigned.value, 5.0, 1e-6);
}

}  // namespace
}  // namespace equipoise::remote_units_test
