// Tests of the formulas of loop self-scheduling and of the learned item times, against numbers from
// an independent computation.
#include "shared_policies/policies/loop/loop_sizes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "shared_policies/fit/speed_curve.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/policies/loop/item_times.hpp"
#include "shared_policies/policies/loop/speed_shares.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise::loop_sizes_test {
namespace {

/// The size between `low` and `high` for which `cost` is least, by golden-section search.
double cheapest(const std::function<double(double)>& cost, double low, double high) {
  const double golden = (std::sqrt(5.0) - 1.0) / 2.0;
  while (high - low > 1e-7 * high) {
    const double left = high - golden * (high - low);
    const double right = low + golden * (high - low);
    (cost(left) < cost(right) ? high : low) = cost(left) < cost(right) ? right : left;
  }
  return (low + high) / 2.0;
}

TEST(LoopSizes, FixedSizeBalancesOverheadAgainstScatter) {
  EXPECT_NEAR(fixed_size_items(1000, 4, 0.5, 0.3), 63.04, 0.005);
  EXPECT_DOUBLE_EQ(fixed_size_items(1000, 4, 0.0, 0.3), 0.0);
  // 1000 / c blocks on 4 units take 0.5 s each to hand out. The last of 4 units ends later than
  // their mean by sqrt(2 ln 4) deviations of a block, which has c independent items.
  const auto cost = [](double c) {
    return 1000.0 / c / 4.0 * 0.5 + std::sqrt(2.0 * std::log(4.0)) * 0.3 * std::sqrt(c);
  };
  EXPECT_NEAR(fixed_size_items(1000, 4, 0.5, 0.3), cheapest(cost, 1.0, 250.0), 1e-3);
}

TEST(LoopSizes, FixedSizeOfItemsThatAreAlikeCostsLeast) {
  // As above, but a block of c items, which takes 0.3 c on average, scatters by a tenth of that.
  const auto cost = [](double c) {
    return 1000.0 / c / 4.0 * 0.5 + std::sqrt(2.0 * std::log(4.0)) * 0.1 * 0.3 * c;
  };
  EXPECT_NEAR(fixed_size_alike_items(1000, 4, 0.5, 0.3, 0.1), cheapest(cost, 1.0, 250.0), 1e-3);
  // 125 / (0.03 * 1.665109) = 50.023^2
  EXPECT_NEAR(fixed_size_alike_items(1000, 4, 0.5, 0.3, 0.1), 50.023, 0.001);
  const auto dear = [](double c) {
    return 2e6 / c / 28.0 * 2e-5 + std::sqrt(2.0 * std::log(28.0)) * 0.9 * 1e-7 * c;
  };
  EXPECT_NEAR(fixed_size_alike_items(2e6, 28, 2e-5, 1e-7, 0.9), cheapest(dear, 1.0, 7e4), 0.1);
}

TEST(LoopSizes, FixedSizeIsAnEvenShareAtMost) {
  EXPECT_DOUBLE_EQ(fixed_size_items(1000, 4, 0.5, 0.0), 250.0);
  EXPECT_DOUBLE_EQ(fixed_size_items(1000, 4, 50.0, 1e-6), 250.0);
  EXPECT_DOUBLE_EQ(fixed_size_items(1000, 1, 0.5, 0.3), 1000.0);
  EXPECT_DOUBLE_EQ(fixed_size_alike_items(1000, 4, 0.5, 0.3, 0.0), 250.0);
  EXPECT_DOUBLE_EQ(fixed_size_alike_items(1000, 4, 50.0, 1e-6, 0.1), 250.0);
  EXPECT_DOUBLE_EQ(fixed_size_alike_items(1000, 1, 0.5, 0.3, 0.1), 1000.0);
}

TEST(LoopSizes, AsManyAsFactoringNeedsNoKnowledge) {
  EXPECT_DOUBLE_EQ(as_many_as_factoring_items(1000, 4), 31.0);
  EXPECT_DOUBLE_EQ(as_many_as_factoring_items(8, 4), 2.0);
  EXPECT_DOUBLE_EQ(as_many_as_factoring_items(3, 4), 1.0);
}

TEST(LoopSizes, FactoringTakesLessTheMoreTimesScatter) {
  EXPECT_DOUBLE_EQ(factoring_divisor(1000, 4, 0.0, true), 1.0);
  EXPECT_DOUBLE_EQ(factoring_divisor(1000, 4, 0.0, false), 2.0);
  // b = 0.018974: 1 + 0.00036 + 0.018974 * 1.414341.
  EXPECT_NEAR(factoring_divisor(1000, 4, 0.3, true), 1.027196, 1e-6);
  // R = 24: b = 0.122474: 2 + 0.015 + 0.122474 * 2.003747.
  EXPECT_NEAR(factoring_divisor(24, 4, 0.3, false), 2.260408, 1e-6);
}

TEST(LoopSizes, TaperingIsNoLongerThanAnEvenShareByAlphaDeviations) {
  for (const double v : {0.1, 1.0, 5.0}) {
    // T - K = v sqrt(T + K)
    const double k = tapered_items(1000, 4, 1, v);
    EXPECT_NEAR(250.5 - k, v * std::sqrt(250.5 + k), 1e-9) << v;
  }
  EXPECT_DOUBLE_EQ(tapered_items(1000, 4, 1, 0.0), 250.5);
  EXPECT_LT(tapered_items(1, 4, 1, 3.0), 0.0);
}

TEST(LoopSizes, BoldGrowsWithTheItemsThatAreNotDone) {
  const BoldInputs known{1.0, 0.5, 0.1};
  EXPECT_NEAR(bold_items(known, {1000, 1000, 1000, 4}), 214.782, 0.001);
  EXPECT_NEAR(bold_items(known, {785, 1000, 1000, 4}), 215.315, 0.001);
  EXPECT_NEAR(bold_items(known, {352, 1000, 1000, 4}), 217.236, 0.001);
  EXPECT_DOUBLE_EQ(bold_items(known, {4, 1000, 1000, 4}), 1.0);
}

TEST(LoopSizes, BoldWithoutOverheadOrScatterIsAsSmallOrLargeAsPossible) {
  EXPECT_DOUBLE_EQ(bold_items({1.0, 0.5, 0.0}, {1000, 1000, 1000, 4}), 0.0);
  EXPECT_DOUBLE_EQ(bold_items({1.0, 0.0, 0.1}, {1000, 1000, 1000, 4}), 250.0);
  EXPECT_DOUBLE_EQ(bold_items({1.0, 0.5, 1e6}, {1000, 1000, 1000, 4}), 250.0);
  // 8 a = 0.16 < 1: b = 0.16 ln 0.16 = -0.29321, v = 1.00117, d = 1000 / 0.17994 = 5557.6,
  // s = 0.02 * 9.6401 * 1.25 = 0.24100, w = ln 5.5215 = 1.70864:
  // 250 + 0.24650 + 0.12050 - sqrt(0.24100 * 250.06025) = 242.604.
  EXPECT_NEAR(bold_items({1.0, 0.1, 0.1}, {1000, 1000, 1000, 4}), 242.604, 0.001);
}

TEST(LoopSizes, HGuidedIsTunedForThreeDevicesAndBetweenThem) {
  const auto expect = [](std::optional<double> rank, double divisor, double min_grains) {
    EXPECT_DOUBLE_EQ(tuned_by_rank(rank).divisor, divisor);
    EXPECT_DOUBLE_EQ(tuned_by_rank(rank).min_grains, min_grains);
  };
  expect(0.0, 3.5, 1.0);
  expect(0.25, 2.5, 8.0);
  expect(0.5, 1.5, 15.0);
  expect(0.75, 1.25, 22.5);
  expect(1.0, 1.0, 30.0);
  expect(std::nullopt, 2.0, 1.0);
}

TEST(LoopSizes, AdaptiveFactoringPutsTheVarianceIntoItsSum) {
  const std::vector<ItemTime> units = {{1, 0.01}, {2, 0.04}, {4, 0.16}, {4, 0.16}};
  const std::array<double, 4> expected = {492.64, 246.32, 123.16, 123.16};
  for (std::size_t p = 0; p < units.size(); ++p) {
    EXPECT_NEAR(adaptive_factoring_items(1000, units, p), expected[p], 0.005) << p;
  }
}

TEST(LoopSizes, AdaptiveFactoringWithoutVarianceIsAShareOfAllThatRemains) {
  const std::vector<ItemTime> units = {{1, 0}, {3, 0}};
  EXPECT_DOUBLE_EQ(adaptive_factoring_items(1000, units, 0), 750.0);
  EXPECT_DOUBLE_EQ(adaptive_factoring_items(1000, units, 1), 250.0);
}

TEST(LoopSizes, TrapezoidFallsToItsLastSizeInAllItsSteps) {
  TrapezoidSizes sizes(1000, 4, 1, false);
  std::vector<double> list;
  double sum = 0.0;
  while (!sizes.is_over()) {
    list.push_back(sizes.next());
    sum += list.back();
  }
  ASSERT_EQ(list.size(), 16U);
  EXPECT_DOUBLE_EQ(list.front(), 125.0);
  EXPECT_NEAR(list[0] - list[1], 8.2667, 1e-4);
  EXPECT_DOUBLE_EQ(list.back(), 1.0);
  EXPECT_GE(sum, 1000.0);
}

TEST(LoopSizes, TrapezoidOfOneItemHasOneStep) {
  TrapezoidSizes sizes(1, 4, 1, false);
  EXPECT_FALSE(sizes.is_over());
  EXPECT_DOUBLE_EQ(sizes.next(), 1.0);
  EXPECT_TRUE(sizes.is_over());
}

/// Feeds item times with the events of one run.
class LearnedItemTimes : public testing::Test {
 protected:
  void begin(ItemTimes& times) { tell(times, Seconds{}, PhaseStarted{}); }

  /// A block that was assigned at `assigned_s` and ended at `end_s`.
  void finish(ItemTimes& times, std::uint32_t unit, Items items, const StageTimes& stages,
              double assigned_s, double end_s) {
    Block block;
    block.id = next_id++;
    block.first = view.not_handed_out().begin()->first;
    block.items = items;
    view.grant({block, Seconds{assigned_s}}, UnitId{unit});
    tell(times, Seconds{end_s},
         BlockFinished{UnitId{unit}, block, Seconds{assigned_s}, stages, {}});
  }

  template <class What>
  void tell(ItemTimes& times, Seconds at, const What& what) {
    const Event event{at, what};
    view.include(event);
    times.include(view, event);
  }

  View view{setup_of(3, items_of(1000)).units, {items_of(1000)}};
  std::uint64_t next_id = 0;
};

StageTimes stages(double in_s, double compute_s, double out_s, double setup_s = 0.0) {
  return {Seconds{setup_s}, Seconds{in_s}, Seconds{compute_s}, Seconds{out_s}};
}

TEST_F(LearnedItemTimes, WeighLaterBlocksMore) {
  ItemTimes times(TimedPart::compute);
  begin(times);
  finish(times, 0, 10, stages(0, 20, 0), 0, 20);
  finish(times, 0, 20, stages(0, 20, 0), 20, 40);
  EXPECT_DOUBLE_EQ(*times.mean_s()[0], 40.0 / 30.0);
  EXPECT_DOUBLE_EQ(*times.recency_weighted_s()[0], 60.0 / 50.0);
  EXPECT_FALSE(times.mean_s()[1]);
}

TEST_F(LearnedItemTimes, EstimateTheVarianceOfItemsFromTheLatestBlocks) {
  ItemTimes times(TimedPart::compute);
  begin(times);
  finish(times, 0, 10, stages(0, 10, 0), 0, 20);
  finish(times, 0, 10, stages(0, 20, 0), 20, 40);
  EXPECT_DOUBLE_EQ(times.variance_s2(UnitId{0}), 0.0);
  finish(times, 0, 10, stages(0, 10, 0), 40, 60);
  // The second block takes 10 s more than its neighbours: 10^2 over 10 + (10 + 10) / 4 items.
  EXPECT_NEAR(times.variance_s2(UnitId{0}), 100.0 / 15.0, 1e-9);
  EXPECT_DOUBLE_EQ(times.variance_s2(UnitId{1}), 0.0);
  for (int i = 0; i < 64; ++i) finish(times, 0, 10, stages(0, 20, 0), 60, 80);
  EXPECT_DOUBLE_EQ(times.variance_s2(UnitId{0}), 0.0);
}

TEST_F(LearnedItemTimes, OfAnyUnitScatterWithinAndBetweenUnits) {
  ItemTimes times(TimedPart::compute);
  begin(times);
  EXPECT_FALSE(times.of_any_unit());
  for (const double s : {10.0, 20.0, 10.0}) finish(times, 0, 10, stages(0, s, 0), 0, s);
  EXPECT_NEAR(times.of_any_unit()->variance_s2, 100.0 / 15.0, 1e-9);
  finish(times, 1, 10, stages(0, 40, 0), 0, 40);
  // 30 items of 4/3 s and 10 of 4 s: 80 / 40 = 2, (30 (6.667 + 0.444) + 10 (0 + 4)) / 40.
  EXPECT_NEAR(times.of_any_unit()->mean_s, 2.0, 1e-12);
  EXPECT_NEAR(times.of_any_unit()->variance_s2, 6.0 + 1.0 / 3.0, 1e-9);
}

TEST_F(LearnedItemTimes, AreReadOffAProfileAtAnEvenShare) {
  KnownCosts known;
  known.phases.front().push_back(std::make_unique<AffineCurve>(5.0, 1.0));
  known.phases.front().push_back(std::make_unique<AffineCurve>(5.0, 3.0));
  const auto item_s = profile_item_times(known, view);
  ASSERT_EQ(item_s.size(), 2U);
  EXPECT_DOUBLE_EQ(*item_s[0], 505.0 / 500.0);
  EXPECT_DOUBLE_EQ(*item_s[1], 1505.0 / 500.0);
  EXPECT_NEAR(item_time_between_units(item_s).mean_s, 2.01, 1e-12);
  EXPECT_NEAR(item_time_between_units(item_s).variance_s2, 1.0, 1e-12);
}

TEST_F(LearnedItemTimes, CountTheStagesThatAreAskedFor) {
  ItemTimes compute(TimedPart::compute);
  ItemTimes block(TimedPart::block);
  ItemTimes request(TimedPart::request);
  begin(compute);
  begin(block);
  begin(request);
  for (ItemTimes* times : {&compute, &block, &request}) {
    finish(*times, 0, 10, stages(1, 5, 2), 0, 9);
    finish(*times, 0, 10, stages(1, 5, 2), 3, 20);  // queued at 3; the block before it ended at 9
  }
  EXPECT_DOUBLE_EQ(*compute.mean_s()[0], 0.5);
  EXPECT_DOUBLE_EQ(*block.mean_s()[0], 0.8);
  EXPECT_DOUBLE_EQ(*request.mean_s()[0], 1.0);
}

TEST_F(LearnedItemTimes, LeaveTheSetupOut) {
  ItemTimes block(TimedPart::block);
  ItemTimes request(TimedPart::request);
  begin(block);
  begin(request);
  for (ItemTimes* times : {&block, &request}) {
    finish(*times, 0, 10, stages(3, 5, 2, 6), 0, 16);
    finish(*times, 0, 10, stages(3, 5, 2), 16, 26);
    tell(*times, Seconds{26}, UnitLost{UnitId{0}});
    tell(*times, Seconds{26}, UnitJoined{UnitId{0}});
    finish(*times, 0, 10, stages(3, 5, 2, 6), 26, 42);
    EXPECT_DOUBLE_EQ(*times->mean_s()[0], 1.0);
  }
}

TEST_F(LearnedItemTimes, GiveSharesInWhichTheUnknownPassForTheFastestOrTheSlowest) {
  ItemTimes times(TimedPart::compute);
  begin(times);
  SpeedShares shares;
  shares.begin(view, times.mean_s());
  EXPECT_DOUBLE_EQ(shares.of(UnitId{1}, UnknownUnit::as_fastest), 1.0 / 3);
  finish(times, 0, 10, stages(0, 10, 0), 0, 10);
  finish(times, 1, 10, stages(0, 20, 0), 0, 20);
  for (const std::uint32_t unit : {0U, 1U}) {
    shares.set(view.unit(UnitId{unit}), times.mean_s()[unit]);
  }
  // The speeds are 1, 1/2 and 1 (unknown as fastest), or 1, 1/2 and 1/2 (as slowest).
  EXPECT_DOUBLE_EQ(shares.of(UnitId{1}, UnknownUnit::as_fastest), 0.2);
  EXPECT_DOUBLE_EQ(shares.of(UnitId{1}, UnknownUnit::as_slowest), 0.25);
  view.mark_absent(UnitId{2});
  shares.include(view, {Seconds{20}, UnitLost{UnitId{2}}});
  EXPECT_DOUBLE_EQ(shares.of(UnitId{1}, UnknownUnit::as_fastest), 1.0 / 3);
}

TEST_F(LearnedItemTimes, GiveSharesThatFollowEachChange) {
  SpeedShares shares;
  shares.begin(view, {4.0, 2.0, 1.0});  // speeds 1/4, 1/2 and 1
  EXPECT_DOUBLE_EQ(shares.of(UnitId{0}, UnknownUnit::as_fastest), 1.0 / 7);
  shares.set(view.unit(UnitId{0}), 2.0);
  EXPECT_DOUBLE_EQ(shares.of(UnitId{0}, UnknownUnit::as_fastest), 0.25);
  view.mark_absent(UnitId{2});
  shares.include(view, {Seconds{1}, UnitLost{UnitId{2}}});
  EXPECT_DOUBLE_EQ(shares.of(UnitId{0}, UnknownUnit::as_fastest), 0.5);
  const Event joined{Seconds{2}, UnitJoined{UnitId{2}}};
  view.include(joined);
  shares.include(view, joined);
  EXPECT_DOUBLE_EQ(shares.of(UnitId{0}, UnknownUnit::as_fastest), 0.25);
}

}  // namespace
}  // namespace equipoise::loop_sizes_test
