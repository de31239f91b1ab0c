// Tests of static-steal on schedules that were worked out by hand.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/policy_schedule.hpp"
#include "tests/support/refusal.hpp"

namespace equipoise::static_steal_test {
namespace {

using Sizes = std::vector<Items>;
using Steals = std::vector<std::pair<std::string, Items>>;

/// Units that take `item_s` seconds per item.
PolicyTest units_of(Items items, const std::vector<double>& item_s) {
  PolicyTest test;
  test.policy = "static-steal";
  test.items = items;
  for (const double per_item_s : item_s) add_affine(test, 0.0, per_item_s);
  return test;
}

/// From whom how many items were stolen, in order.
Steals steals_of(const Schedule& schedule) {
  Steals steals;
  for (const DecisionRecord& record : schedule.decisions) {
    const UnitEstimate& estimate = record.decision.estimates.front();
    EXPECT_EQ(decision_word(record.decision.what), "steal");
    steals.emplace_back(estimate.cost, estimate.block_items);
  }
  return steals;
}

TEST(StaticSteal, StealsAQuarterOfTheChunksThatAreLeftOrOneOfFewerThanEight) {
  const Schedule schedule = run_schedule(units_of(64, {1.0, 1000.0}));
  // Parts of 32. The second unit is in its first item all the time. The first, from 32 s on, steals
  // from 31, 24, 18, 14, 11, 9 and then from 7, 6, 5, ... items.
  Steals expected;
  for (const Items items : {7, 6, 4, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1}) {
    expected.emplace_back("from u1", items);
  }
  EXPECT_EQ(steals_of(schedule), expected);
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{63, 1}));
  EXPECT_EQ(schedule.sizes_as_handed_out(), Sizes(64, 1));
  EXPECT_FALSE(schedule.outcome.policy_stalled);
}

TEST(StaticSteal, AsksTheNextUnitFirstAndThenTheOneThatItStoleFromLast) {
  const Schedule schedule = run_schedule(units_of(27, {1.0, 1000.0, 1000.0}));
  // Parts of 9, of which the slow units have begun one item.
  Steals expected;
  for (const char* victim : {"from u1", "from u2"}) {
    for (const Items items : {2, 1, 1, 1, 1, 1, 1}) expected.emplace_back(victim, items);
  }
  EXPECT_EQ(steals_of(schedule), expected);
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{25, 1, 1}));
}

TEST(StaticSteal, GivesTheFirstUnitsOneChunkMore) {
  const Schedule schedule = run_schedule(units_of(10, {1.0, 1.0, 1.0, 1.0}));
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{3, 3, 2, 2}));
  EXPECT_TRUE(steals_of(schedule).empty());
}

TEST(StaticSteal, TakesChunksOfWholeGrains) {
  PolicyTest test = units_of(1000, {});
  for (int p = 0; p < 4; ++p) add_affine(test, 1.0, 0.0);
  test.grain_items = 10;
  test.parameters = {{"chunk_items", "64"}};
  // Chunks of 70: 14 and a last one of 20. Parts of 4, 4, 4 and 3 chunks.
  const Schedule schedule = run_schedule(test);
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{280, 280, 280, 160}));
  EXPECT_EQ(schedule.sizes(3, BlockTag::run), (Sizes{70, 70, 20}));
}

TEST(StaticSteal, IsDynamicWithFewerChunksThanUnits) {
  const Schedule schedule = run_schedule(units_of(3, {1.0, 1.0, 1.0, 1.0}));
  EXPECT_EQ(schedule.sizes_as_handed_out(), (Sizes{1, 1, 1}));
  EXPECT_EQ(schedule.items_by_unit(), (Sizes{1, 1, 1, 0}));
  EXPECT_TRUE(steals_of(schedule).empty());
}

TEST(StaticSteal, DividesByGivenShares) {
  PolicyTest test = units_of(40, {1.0, 1.05});
  test.parameters = {{"shares", "3/1"}};
  // Parts of 30 and 10. The second is empty at 10.5 s, when the first unit has begun 11 items.
  EXPECT_EQ(steals_of(run_schedule(test)).front(), (Steals::value_type{"from u0", 4}));
  test.parameters = {{"shares", "3/1/1"}};
  const std::string refusal = refusal_of([&] { (void)run_schedule(test); });
  EXPECT_NE(refusal.find("3 numbers for 2 units"), std::string::npos) << refusal;
}

TEST(StaticSteal, DividesByMeasuredSpeedsFromTheSecondIterationOn) {
  PolicyTest test = units_of(40, {1.0, 3.1});
  const std::size_t in_one = steals_of(run_schedule(test)).size();
  EXPECT_GT(in_one, 0U);
  test.iterations = 2;
  EXPECT_EQ(steals_of(run_schedule(test)).size(), 2 * in_one);
  // 40 * 3.1 / 4.1 = 30.2: parts of 30 and 10 items. The last item begins at 27.9 s.
  test.parameters = {{"shares", "measured"}};
  EXPECT_EQ(steals_of(run_schedule(test)).size(), in_one);
}

TEST(StaticSteal, LeavesThePartOfALostUnitToTheOthers) {
  PolicyTest test = units_of(64, {1.0, 1000.0, 7.0});
  test.fake.faults.push_back({Seconds{5.5}, UnitId{1}, false});
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 64);
  EXPECT_EQ(schedule.items_by_unit()[1], 0);
}

}  // namespace
}  // namespace equipoise::static_steal_test
