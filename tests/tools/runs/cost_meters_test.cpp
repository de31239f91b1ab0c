// Tests of --decision-cost: what counts as a decision is one rule for all policies.
#include "tools/runs/cost_meters.hpp"

#include <gtest/gtest.h>

#include <ctime>

#include "real/threads/clock.hpp"

namespace equipoise::cost_meters_test {
namespace {

const Decision solved{};

TEST(CostMeters, ChargeEachDecisionTheSame) {
  const auto meter = make_cost_meter("0.5", {{0.17}});
  meter->begin(0);  // hands out two blocks
  EXPECT_EQ(meter->price_answer(false), Seconds{0.5});
  EXPECT_EQ(meter->price_answer(false), Seconds{});
  EXPECT_EQ(meter->price_answer(true), Seconds{});
  meter->begin(0);  // solves two models and hands out a block
  EXPECT_EQ(meter->price(solved), Seconds{0.5});
  EXPECT_EQ(meter->price(solved), Seconds{0.5});
  EXPECT_EQ(meter->price_answer(false), Seconds{});
  EXPECT_EQ(meter->price_answer(true), Seconds{});
  meter->begin(0);  // does nothing
  EXPECT_EQ(meter->price_answer(true), Seconds{});
}

TEST(CostMeters, ChargeModelsAloneByAPaper) {
  const auto meter = make_cost_meter("paper", {{0.17}});
  meter->begin(0);
  EXPECT_EQ(meter->price_answer(false), Seconds{});
  EXPECT_EQ(meter->price(solved), Seconds{{0.17}});
  EXPECT_EQ(meter->price_answer(true), Seconds{});
  EXPECT_EQ(meter->price(solved), Seconds{{0.17}});
  EXPECT_EQ(make_cost_meter("paper", {{}})->price(solved), Seconds{});
}

TEST(CostMeters, ChargeTheTotalOfARunWithItsFirstModel) {
  const auto meter = make_cost_meter("paper", {{0.665, true}});
  meter->begin(0);
  EXPECT_EQ(meter->price_answer(false), Seconds{});
  EXPECT_EQ(meter->price(solved), Seconds{0.665});
  EXPECT_EQ(meter->price(solved), Seconds{});
  EXPECT_EQ(meter->price_answer(true), Seconds{});
  meter->begin(0);
  EXPECT_EQ(meter->price(solved), Seconds{});
}

TEST(CostMeters, ChargeEachPhaseByItsOwnKernel) {
  const auto meter = make_cost_meter("paper", {{0.665}, {0.201}});
  meter->begin(0);
  EXPECT_EQ(meter->price(solved), Seconds{0.665});
  meter->begin(1);
  EXPECT_EQ(meter->price(solved), Seconds{0.201});
}

TEST(CostMeters, ChargeNothingByDefault) { EXPECT_EQ(make_cost_meter("none", {{0.17}}), nullptr); }

TEST(CostMeters, MeasureEveryCall) {
  const auto work = [] {  // 2 ms of this thread's processor time
    const double until_s = seconds_of(CLOCK_THREAD_CPUTIME_ID) + 2e-3;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < until_s) continue;
  };
  const auto meter = make_cost_meter("measured", {{0.17}});
  meter->begin(0);
  work();
  meter->pause();
  EXPECT_GE(meter->price_answer(false), Seconds{0.001999});
  EXPECT_EQ(meter->price_answer(false), Seconds{});  // all is paid, and the meter pauses
  meter->resume();
  work();
  meter->pause();
  EXPECT_GE(meter->price_answer(true), Seconds{0.001999});
}

}  // namespace
}  // namespace equipoise::cost_meters_test
