// Tests of disturbances (speeds, bandwidths and presence), with values worked out by hand, and of
// step functions, their integrals and the inverse of these.
#include "shared_policies/machine/scenario.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace equipoise::scenario_test {
namespace {

using Kind = DisturbanceKind;

Disturbance event(double at_s, Kind kind, const std::string& target, double amount = 1.0,
                  double until_s = Seconds::infinity().value) {
  return {Seconds{at_s}, Seconds{until_s}, kind, target, amount, {}};
}

/// The values of `f` at several times.
std::vector<double> at(const StepFunction& f, const std::vector<double>& times_s) {
  std::vector<double> factors;
  for (const double time_s : times_s) factors.push_back(f.at(Seconds{time_s}));
  return factors;
}

std::vector<double> change_times(const StepFunction& f) {
  std::vector<double> times_s;
  for (const Seconds time : f.changes()) times_s.push_back(time.value);
  return times_s;
}

/// The integral of `f` from `from` to `until`, summed up between its changes.
Seconds work_of(const StepFunction& f, Seconds from, Seconds until) {
  Seconds sum;
  for (const Seconds change : f.changes()) {
    if (change <= from || change >= until) continue;
    sum += f.at(from) * (change - from);
    from = change;
  }
  return f.at(from) > 0.0 ? sum + f.at(from) * (until - from) : sum;
}

TEST(StepFunction, IsOneUntilToldOtherwise) {
  const StepFunction f;
  EXPECT_TRUE(f.is_one());
  EXPECT_TRUE(f.changes().empty());
  EXPECT_EQ(f.at(Seconds{7.0}), 1.0);
  EXPECT_EQ(work_of(f, Seconds{0.1}, Seconds{0.4}).value, 0.4 - 0.1);
  EXPECT_EQ(f.end_of(Seconds{0.1}, Seconds{0.2}).value, 0.1 + 0.2);
}

TEST(StepFunction, MultipliesWhereStretchesOverlap) {
  StepFunction f;
  f.multiply(Seconds{10}, Seconds{30}, 0.5);
  f.multiply(Seconds{20}, Seconds::infinity(), 4.0);
  EXPECT_FALSE(f.is_one());
  EXPECT_EQ(change_times(f), (std::vector<double>{10, 20, 30}));
  EXPECT_EQ(at(f, {0, 9.9, 10, 19.9, 20, 30, 1e9}), (std::vector<double>{1, 1, 0.5, 0.5, 2, 4, 4}));
}

TEST(StepFunction, TakesAStretchThatBeginsAtZero) {
  StepFunction f;
  f.multiply(Seconds{0}, Seconds{5}, 0.25);
  EXPECT_EQ(change_times(f), (std::vector<double>{5}));
  EXPECT_EQ(at(f, {0, 4, 5}), (std::vector<double>{0.25, 0.25, 1}));
}

TEST(StepFunction, AddsUpWorkOverItsSteps) {
  StepFunction f;  // 1 until 10, 0.5 until 30, 0 until 40, then 2
  f.multiply(Seconds{10}, Seconds{30}, 0.5);
  f.multiply(Seconds{30}, Seconds{40}, 0.0);
  f.multiply(Seconds{40}, Seconds::infinity(), 2.0);
  EXPECT_EQ(work_of(f, Seconds{0}, Seconds{10}).value, 10);
  EXPECT_EQ(work_of(f, Seconds{5}, Seconds{20}).value, 5 + 5);
  EXPECT_EQ(work_of(f, Seconds{20}, Seconds{45}).value, 5 + 0 + 10);
  EXPECT_EQ(work_of(f, Seconds{31}, Seconds{39}).value, 0);
  EXPECT_EQ(f.end_of(Seconds{0}, Seconds{10}).value, 10);
  EXPECT_EQ(f.end_of(Seconds{5}, Seconds{10}).value, 20);
  EXPECT_EQ(f.end_of(Seconds{20}, Seconds{15}).value, 45);
  EXPECT_EQ(f.end_of(Seconds{32}, Seconds{4}).value, 42);
  EXPECT_EQ(f.end_of(Seconds{32}, Seconds{0}).value, 32);
}

TEST(StepFunction, BecomesAnotherFromATimeOn) {
  StepFunction f;
  f.multiply(Seconds{5}, Seconds{15}, 3.0);
  f.become(Seconds{10}, 0.5);
  EXPECT_EQ(change_times(f), (std::vector<double>{5, 10}));
  EXPECT_EQ(at(f, {4, 5, 10, 100}), (std::vector<double>{1, 3, 0.5, 0.5}));
  f.become(Seconds{0}, 2.0);
  EXPECT_EQ(at(f, {0, 7, 100}), (std::vector<double>{2, 2, 2}));
}

TEST(StepFunction, IsCombinedPointByPoint) {
  StepFunction f;  // 1, but 4 from 10 to 20
  f.multiply(Seconds{10}, Seconds{20}, 4.0);
  StepFunction g;  // 1, but 2 from 15 on
  g.multiply(Seconds{15}, Seconds::infinity(), 2.0);
  const StepFunction least =
      combined({f, g}, [](std::span<const double> now) { return std::min(now[0], now[1]); });
  EXPECT_EQ(at(least, {0, 10, 15, 20}), (std::vector<double>{1, 1, 2, 1}));
  EXPECT_EQ(change_times(least), (std::vector<double>{15, 20}));
}

TEST(StepFunction, NeverEndsWhatIsNeverWorkedOn) {
  StepFunction f;
  f.multiply(Seconds{10}, Seconds::infinity(), 0.0);
  EXPECT_EQ(f.end_of(Seconds{4}, Seconds{6}).value, 10);
  EXPECT_EQ(f.end_of(Seconds{4}, Seconds{6.5}), Seconds::infinity());
  EXPECT_EQ(work_of(f, Seconds{4}, Seconds::infinity()).value, 6);
}

TEST(StepFunction, EndsWorkWhereItsIntegralSaysSo) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> time_s(0.0, 100.0);
    std::uniform_real_distribution<double> factor(0.0, 3.0);
    StepFunction f;
    for (int i = 0; i < 6; ++i) {
      const double from_s = time_s(random);
      f.multiply(Seconds{from_s}, Seconds{from_s + time_s(random)}, i == 0 ? 0.0 : factor(random));
    }
    for (int i = 0; i < 20; ++i) {
      const Seconds from{time_s(random)};
      const Seconds work{time_s(random)};
      const Seconds end = f.end_of(from, work);
      ASSERT_LT(end, Seconds::infinity());  // the factor is 1 after all stretches
      EXPECT_NEAR(work_of(f, from, end).value, work.value, 1e-9);
      const double a_little_s = 1e-6 * (end - from).value;
      EXPECT_LT(work_of(f, from, end - Seconds{a_little_s}).value, work.value);
    }
  }
}

TEST(Scenario, TakesTheShareOfACompetitorFromAUnitsSpeed) {
  const Scenario scenario{"", {event(10, Kind::compete, "a", 0.25, 20)}};
  EXPECT_EQ(at(scenario.speed_of("a"), {9, 10, 19, 20}), (std::vector<double>{1, 0.75, 0.75, 1}));
  EXPECT_TRUE(scenario.speed_of("b").is_one());
}

TEST(Scenario, DividesTheSpeedOfASlowedUnit) {
  const Scenario scenario{"",
                          {event(10, Kind::slow, "a", 4.0), event(20, Kind::slow, "a", 0.5, 30)}};
  EXPECT_EQ(at(scenario.speed_of("a"), {0, 10, 20, 30}), (std::vector<double>{1, 0.25, 0.5, 0.25}));
}

TEST(Scenario, FollowsAProfileFromItsEventOnUntilItsEnd) {
  Disturbance profile = event(100, Kind::profile, "a", 1.0, 130);
  profile.profile = {{Seconds{5}, 0.5}, {Seconds{20}, 2.0}, {Seconds{40}, 9.0}};
  const Scenario scenario{"", {profile, event(110, Kind::compete, "a", 0.5, 125)}};
  EXPECT_EQ(at(scenario.speed_of("a"), {100, 105, 110, 120, 125, 129, 130, 141}),
            (std::vector<double>{1, 0.5, 0.25, 1, 2, 2, 1, 1}));
}

TEST(Scenario, ChangesTheBandwidthOfALinkAndNotTheSpeedOfAUnitOfItsName) {
  const Scenario scenario{"", {event(10, Kind::bandwidth, "x", 0.5, 20)}};
  EXPECT_EQ(at(scenario.bandwidth_of("x"), {9, 10, 20}), (std::vector<double>{1, 0.5, 1}));
  EXPECT_TRUE(scenario.speed_of("x").is_one());
  EXPECT_TRUE(scenario.bandwidth_of("y").is_one());
}

TEST(Scenario, SaysWhenUnitsComeAndGo) {
  const Scenario scenario{"",
                          {event(60, Kind::fail, "a"), event(90, Kind::join, "a"),
                           event(5, Kind::join, "b"), event(50, Kind::fail, "b", 1.0, 55)}};
  const Presence a = scenario.presence_of("a");
  EXPECT_TRUE(a.at_start);
  ASSERT_EQ(a.changes.size(), 2u);
  EXPECT_EQ(a.changes[0].at.value, 60);
  EXPECT_FALSE(a.changes[0].present);
  EXPECT_EQ(a.changes[1].at.value, 90);
  EXPECT_TRUE(a.changes[1].present);
  EXPECT_EQ(at(a.function(), {0, 59, 60, 89, 90}), (std::vector<double>{1, 1, 0, 0, 1}));
  const Presence b = scenario.presence_of("b");
  EXPECT_FALSE(b.at_start);
  ASSERT_EQ(b.changes.size(), 3u);
  EXPECT_EQ(b.changes[0].at.value, 5);
  EXPECT_EQ(b.changes[1].at.value, 50);
  EXPECT_FALSE(b.changes[1].present);
  EXPECT_EQ(b.changes[2].at.value, 55);
  EXPECT_EQ(at(b.function(), {0, 5, 50, 55}), (std::vector<double>{0, 1, 0, 1}));
  EXPECT_TRUE(scenario.presence_of("c").at_start);
  EXPECT_TRUE(scenario.presence_of("c").changes.empty());
}

}  // namespace
}  // namespace equipoise::scenario_test
