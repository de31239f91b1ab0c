// Tests of the equal-finish division on problems whose answers were computed independently.
#include "shared_policies/solve/equal_finish.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <initializer_list>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/fit/speed_curve.hpp"
#include "shared_policies/solve/integer_rounding.hpp"

namespace equipoise::equal_finish_test {
namespace {

/// A cost given by a function and its derivative.
class FormulaCurve final : public CostModel {
 public:
  FormulaCurve(std::function<double(double)> seconds, std::function<double(double)> slope,
               bool non_decreasing)
      : seconds_(std::move(seconds)), slope_(std::move(slope)), non_decreasing_(non_decreasing) {}
  [[nodiscard]] CostAt at(double items) const override { return {seconds_(items), slope_(items)}; }
  [[nodiscard]] bool non_decreasing() const override { return non_decreasing_; }

 private:
  std::function<double(double)> seconds_;
  std::function<double(double)> slope_;
  bool non_decreasing_;
};

Split split_of(std::initializer_list<const CostModel*> costs, double items,
               std::vector<double> caps = {}) {
  const std::vector<const CostModel*> list = costs;
  if (caps.empty()) {
    caps.assign(list.size(), 1e18);
  }
  return solve_equal_finish({list, caps, items});
}

const AffineCurve unit_a(0.1, 0.01);
const AffineCurve unit_b(0.5, 0.004);
const AffineCurve unit_c(2.0, 0.002);

TEST(EqualFinish, MatchesTheClosedFormForAffineCosts) {
  const Split split = split_of({&unit_a, &unit_b, &unit_c}, 1000.0);
  ASSERT_EQ(split.status, SplitStatus::solved);
  EXPECT_NEAR(split.finish_s, (1000.0 + 10.0 + 125.0 + 1000.0) / (100.0 + 250.0 + 500.0), 1e-9);
  EXPECT_NEAR(split.items[0], 241.176471, 1e-6);
  EXPECT_NEAR(split.items[1], 502.941176, 1e-6);
  EXPECT_NEAR(split.items[2], 255.882353, 1e-6);
}

TEST(EqualFinish, LeavesAUnitIdleWhoseFixedCostIsTooHigh) {
  const Split split = split_of({&unit_a, &unit_b, &unit_c}, 100.0);
  EXPECT_NEAR(split.finish_s, 0.671429, 1e-6);
  EXPECT_NEAR(split.items[0], 57.142857, 1e-6);
  EXPECT_NEAR(split.items[1], 42.857143, 1e-6);
  EXPECT_EQ(split.items[2], 0.0);
}

TEST(EqualFinish, GivesLittleWorkToTheOneUnitThatStartsQuickly) {
  const Split split = split_of({&unit_a, &unit_b, &unit_c}, 10.0);
  EXPECT_NEAR(split.finish_s, 0.2, 1e-12);
  EXPECT_NEAR(split.items[0], 10.0, 1e-9);
  EXPECT_EQ(split.items[1], 0.0);
  EXPECT_EQ(split.items[2], 0.0);
}

TEST(EqualFinish, StopsAtACapAndSharesTheRest) {
  const Split split = split_of({&unit_a, &unit_b, &unit_c}, 1000.0, {1e9, 200.0, 1e9});
  EXPECT_NEAR(split.finish_s, 3.0166666667, 1e-9);
  EXPECT_NEAR(split.items[0], 291.6666667, 1e-6);
  EXPECT_NEAR(split.items[1], 200.0, 1e-9);
  EXPECT_NEAR(split.items[2], 508.3333333, 1e-6);
}

TEST(EqualFinish, TakesTheEarliestTimeWhenTheCapsHoldJustTheItems) {
  const Split split = split_of({&unit_a, &unit_b, &unit_c}, 300.0, {100.0, 200.0, 1e9});
  EXPECT_NEAR(split.finish_s, 1.3, 1e-9);
  EXPECT_NEAR(split.items[0], 100.0, 1e-7);
  EXPECT_NEAR(split.items[1], 200.0, 1e-7);
  EXPECT_NEAR(split.items[2], 0.0, 1e-7);
}

TEST(EqualFinish, SaysCappedWhenTheCapsHoldLessThanTheItems) {
  const Split split = split_of({&unit_a, &unit_b}, 1000.0, {100.0, 200.0});
  EXPECT_EQ(split.status, SplitStatus::capped);
  EXPECT_EQ(split.items, (std::vector<double>{100.0, 200.0}));
  EXPECT_NEAR(split.finish_s, 1.3, 1e-12);
}

TEST(EqualFinish, GivesOneUnitEverything) {
  const Split split = split_of({&unit_c}, 50.0);
  EXPECT_NEAR(split.finish_s, 2.1, 1e-12);
  EXPECT_NEAR(split.items[0], 50.0, 1e-12);
}

TEST(EqualFinish, SolvesAConcaveAndAConvexCost) {
  const AffineCurve line(0.0, 0.02);
  const FormulaCurve concave([](double x) { return 0.05 * std::pow(x, 0.8); },
                             [](double x) { return 0.04 * std::pow(x, -0.2); }, true);
  const Split first = split_of({&concave, &line}, 1000.0);
  EXPECT_NEAR(first.finish_s, 8.222313, 1e-6);
  EXPECT_NEAR(first.items[0], 588.884, 1e-3);
  EXPECT_NEAR(first.items[1], 411.116, 1e-3);
  const FormulaCurve convex([](double x) { return 1e-5 * x * x; },
                            [](double x) { return 2e-5 * x; }, true);
  const Split second = split_of({&convex, &line}, 1000.0);
  EXPECT_NEAR(second.finish_s, 5.359, 1e-3);
  EXPECT_NEAR(second.items[0], 732.05, 1e-2);
  EXPECT_NEAR(second.items[1], 267.95, 1e-2);
}

TEST(EqualFinish, ReadsACostThatFallsAsItsEnvelope) {
  // 1 s at 100 items, 0.5 s at 150 items, then 0.01 s per additional item, so 1 s again at 200
  // items.
  const FormulaCurve hill(
      [](double x) {
        return x <= 100.0   ? 0.01 * x
               : x <= 150.0 ? 1.0 - 0.01 * (x - 100.0)
                            : 0.5 + 0.01 * (x - 150.0);
      },
      [](double x) { return x < 100.0 || x >= 150.0 ? 0.01 : -0.01; }, false);
  const AffineCurve line(0.0, 0.01);
  // Below 1 s each unit does 100 T items, so 180 items take 0.9 s.
  const Split below = split_of({&hill, &line}, 180.0);
  EXPECT_NEAR(below.finish_s, 0.9, 1e-9);
  EXPECT_NEAR(below.items[0], 90.0, 1e-6);
  // At 1 s the envelope of the falling cost holds 100 to 200 items, so 250 items also take 1 s.
  const Split at_the_jump = split_of({&hill, &line}, 250.0);
  EXPECT_NEAR(at_the_jump.finish_s, 1.0, 1e-9);
  EXPECT_NEAR(at_the_jump.items[0], 150.0, 1e-5);
  EXPECT_NEAR(at_the_jump.items[1], 100.0, 1e-5);
  // Above 1 s the units do 200 + 100 (T - 1) and 100 T items.
  const Split above = split_of({&hill, &line}, 400.0);
  EXPECT_NEAR(above.finish_s, 1.5, 1e-9);
  EXPECT_NEAR(above.items[0], 250.0, 1e-6);
}

TEST(EqualFinish, SharesWorkAmongUnitsThatTakeTheSameTimeWhateverTheirWork) {
  const AffineCurve flat(1.0, 0.0);
  const Split split = split_of({&flat, &flat}, 100.0);
  EXPECT_EQ(split.status, SplitStatus::solved);
  EXPECT_NEAR(split.finish_s, 1.0, 1e-9);
  EXPECT_NEAR(split.items[0] + split.items[1], 100.0, 1e-9);
}

TEST(EqualFinish, DividesByPiecewiseLinearSpeeds) {
  // 1 item/s at 10 items and 3 items/s at 30 items, so t(20) = 20 / 2.
  const SpeedCurve saturating(
      std::vector<CostSample>{{10.0, 10.0, 1.0, 0.0}, {30.0, 10.0, 1.0, 0.0}});
  EXPECT_NEAR(saturating.at(20.0).seconds, 10.0, 1e-12);
  EXPECT_FALSE(saturating.non_decreasing());
  const SpeedCurve slowing(std::vector<CostSample>{{10.0, 10.0, 1.0, 0.0}, {30.0, 60.0, 1.0, 0.0}});
  EXPECT_TRUE(slowing.non_decreasing());
  // Speeds 1 at 10 items and 0.75 at 20 items. In 20 / 0.75 s a unit of 1 item/s does 26.67 items.
  const AffineCurve line(0.0, 1.0);
  const Split split = split_of({&slowing, &line}, 20.0 + 20.0 / 0.75);
  EXPECT_NEAR(split.finish_s, 20.0 / 0.75, 1e-8);
  EXPECT_NEAR(split.items[0], 20.0, 1e-7);
}

TEST(IntegerRounding, KeepsTheSumAndGivesTheRestWhereItCostsLeast) {
  const std::vector<const CostModel*> costs = {&unit_a, &unit_b, &unit_c};
  const std::vector<double> shares = {241.176471, 502.941176, 255.882353};
  const std::vector<Items> caps(3, 1'000'000);
  const auto blocks = round_to_sum({costs, shares, caps, 1000, 1});
  // Rounding down leaves two items. One more takes 2.516 s, 2.514 s or 2.512 s; the second 2.516,
  // 2.514 or 2.514 s.
  EXPECT_EQ(blocks, (std::vector<Items>{241, 503, 256}));
}

TEST(IntegerRounding, RespectsGrainCapsAndThePartialLastGrain) {
  const std::vector<const CostModel*> costs = {&unit_a, &unit_b};
  const std::vector<double> shares = {50.0, 57.0};
  const std::vector<Items> caps = {1000, 60};
  const auto blocks = round_to_sum({costs, shares, caps, 107, 10});
  // Rounding down to whole grains gives 50 and 50. The last 7 items cost 0.74 s on b, where 60 fit,
  // and 0.7 s on a.
  EXPECT_EQ(blocks[0] + blocks[1], 107);
  EXPECT_LE(blocks[1], 60);
  EXPECT_EQ(nearest_block(14.9, 10, 1000), 10);
  EXPECT_EQ(nearest_block(15.0, 10, 1000), 20);
  EXPECT_EQ(nearest_block(4.9, 10, 1000), 0);
  EXPECT_EQ(nearest_block(99.0, 10, 47), 40);
}

TEST(IntegerRounding, IsOptimalAgainstEveryWayToDivideASmallNumber) {
  const std::vector<const CostModel*> costs = {&unit_a, &unit_b, &unit_c};
  const std::vector<Items> caps(3, 1'000'000);
  for (Items items = 1; items <= 60; items += 7) {
    const std::vector<double> limits(3, 1e9);
    const Split split = solve_equal_finish({costs, limits, static_cast<double>(items)});
    const auto blocks = round_to_sum({costs, split.items, caps, items, 1});
    const auto finish = [&](Items a, Items b, Items c) {
      double slowest = 0.0;
      const Items list[] = {a, b, c};
      for (std::size_t p = 0; p < 3; ++p) {
        slowest = std::max(slowest,
                           list[p] > 0 ? costs[p]->at(static_cast<double>(list[p])).seconds : 0.0);
      }
      return slowest;
    };
    double best = 1e9;
    for (Items a = 0; a <= items; ++a) {
      for (Items b = 0; a + b <= items; ++b) {
        best = std::min(best, finish(a, b, items - a - b));
      }
    }
    EXPECT_DOUBLE_EQ(finish(blocks[0], blocks[1], blocks[2]), best) << items;
  }
}

}  // namespace
}  // namespace equipoise::equal_finish_test
