// Tests of lower bounds under scenarios: values worked out by hand, and comparison with random
// schedules, which a bound must never exceed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/solve/unit_needs.hpp"
#include "tests/support/bound_problem.hpp"

namespace equipoise::lower_bound_scenario_test {
namespace {

using Kind = DisturbanceKind;

/// Units that take 0.01 s per item, without fixed cost.
BoundProblem equal_units(int count, Items items) {
  BoundProblem problem(items);
  for (int p = 0; p < count; ++p) problem.add_affine_unit(0.0, 0.01);
  return problem;
}

TEST(RateIntegral, AddsUpFromItsStartOn) {
  StepFunction rate;
  rate.multiply(Seconds{10}, Seconds{20}, 0.5);
  rate.multiply(Seconds{20}, Seconds{25}, 0.0);
  const RateIntegral from_4(rate, Seconds{4});
  EXPECT_EQ(from_4.over(0), 0);
  EXPECT_EQ(from_4.over(6), 6);
  EXPECT_EQ(from_4.over(16), 6 + 5);
  EXPECT_EQ(from_4.over(19), 11);
  EXPECT_EQ(from_4.over(22), 12);
  const RateIntegral from_20(rate, Seconds{20});
  EXPECT_EQ(from_20.over(5), 0);
  EXPECT_EQ(from_20.over(7), 2);
  EXPECT_EQ(RateIntegral().over(0.1), 0.1);
}

TEST(DisturbedBound, WorksAtTheSpeedThatIsLeft) {
  BoundProblem problem = equal_units(1, 1000);
  EXPECT_NEAR(problem.bound().seconds, 10.0, 1e-7);
  problem.disturb(4.0, Kind::slow, "u0", 2.0);  // 4 s, then 6 s of work at half the speed
  EXPECT_NEAR(problem.bound().seconds, 16.0, 1e-7);
  // 1 s of work from 4 to 8, then 5 s of work at half the speed.
  problem.disturb(4.0, Kind::compete, "u0", 0.5, 8.0);
  EXPECT_NEAR(problem.bound().seconds, 18.0, 1e-7);
  EXPECT_NEAR(problem.bound(3.0).seconds, 1.0 + 4.0 + 2.0 * 8.0, 1e-7);
  EXPECT_NEAR(problem.bound(100.0).seconds, 20.0, 1e-7);
}

TEST(DisturbedBound, FollowsAProfile) {
  BoundProblem problem = equal_units(1, 1000);
  problem.disturb(1.0, Kind::profile, "u0");
  problem.scenario.events[0].profile = {{Seconds{0}, 0.5}, {Seconds{4}, 3.0}};
  EXPECT_NEAR(problem.bound().seconds, 1.0 + 4.0 + 7.0 / 3.0, 1e-7);
}

TEST(DisturbedBound, LeavesOutUnitsWhileTheyAreAway) {
  BoundProblem problem = equal_units(2, 1000);
  problem.disturb(2.0, Kind::fail, "u1");  // 400 items by then, the rest by u0 alone
  EXPECT_NEAR(problem.bound().seconds, 8.0, 1e-7);
  EXPECT_NEAR(problem.bound().share_items[1], 200.0, 1e-4);
  problem.disturb(3.0, Kind::join, "u1");  // away for 1 s, which costs 100 items
  EXPECT_NEAR(problem.bound().seconds, 5.5, 1e-7);
  BoundProblem late = equal_units(2, 1000);
  late.disturb(4.0, Kind::join, "u0");
  EXPECT_NEAR(late.bound().seconds, 7.0, 1e-7);
}

TEST(DisturbedBound, IsInfiniteWhereAllUnitsGoTooEarly) {
  BoundProblem problem = equal_units(2, 1000);
  problem.disturb(4.0, Kind::fail, "u0");
  problem.disturb(7.0, Kind::fail, "u1");
  EXPECT_NEAR(problem.bound().seconds, 6.0, 1e-7);
  problem.workload.items = 1101;
  EXPECT_TRUE(std::isinf(problem.bound().seconds));
  problem.workload.items = 500;
  problem.workload.iterations = 3;
  EXPECT_TRUE(std::isinf(problem.bound().seconds));
}

TEST(DisturbedBound, PassesLatenciesInRealTimeAndBytesAtTheBandwidthThatIsLeft) {
  BoundProblem problem = equal_units(1, 100);
  problem.workload.in_bytes_per_item = 10.0;
  const auto link = problem.add_link(100.0, 0.5);
  problem.platform.units[0].in.links = {link};
  EXPECT_NEAR(problem.bound().seconds, 0.5 + 10.0, 1e-7);
  BoundProblem always_half = problem;
  always_half.disturb(0.0, Kind::bandwidth, "l0", 0.5);
  EXPECT_NEAR(always_half.bound().seconds, 0.5 + 20.0, 1e-7);
  BoundProblem always_double = problem;
  always_double.disturb(0.0, Kind::bandwidth, "l0", 2.0);
  EXPECT_NEAR(always_double.bound().seconds, 0.5 + 5.0, 1e-7);
  // Half the bandwidth from 4 s on. The bound assumes the latency where it costs least: after 4 s
  // it replaces 0.25 s of bytes.
  problem.disturb(4.0, Kind::bandwidth, "l0", 0.5);
  EXPECT_NEAR(problem.bound().seconds, 4.0 + 2.0 * (10.25 - 4.0), 1e-7);
}

TEST(DisturbedBound, TakesTheNarrowestLinkOfTheMoment) {
  BoundProblem problem = equal_units(1, 100);
  problem.workload.in_bytes_per_item = 10.0;
  problem.platform.units[0].in.links = {problem.add_link(100.0), problem.add_link(200.0)};
  problem.disturb(2.0, Kind::bandwidth, "l1", 0.25, 6.0);  // 50 bytes/s from 2 to 6 s
  EXPECT_NEAR(problem.bound().seconds, 6.0 + 6.0, 1e-7);   // 200 + 200 bytes by 6 s
}

TEST(DisturbedBound, AddsBothWaysThroughOneCopyEngineAndOverOneLink) {
  BoundProblem problem = equal_units(1, 100);
  problem.workload.in_bytes_per_item = 10.0;
  problem.workload.out_bytes_per_item = 10.0;
  problem.platform.units[0].in.links = {problem.add_link(100.0)};
  problem.platform.units[0].out.links = {problem.add_link(100.0)};
  problem.platform.units[0].unit.copy_engines = 1;
  problem.disturb(2.0, Kind::bandwidth, "l0", 0.5);
  // The bound takes the speed of the faster direction for both.
  EXPECT_NEAR(problem.bound().seconds, 20.0, 1e-7);
  problem.disturb(2.0, Kind::bandwidth, "l1", 0.5);
  EXPECT_NEAR(problem.bound().seconds, 2.0 + 36.0, 1e-7);
  problem.platform.units[0].unit.copy_engines = 2;
  EXPECT_NEAR(problem.bound().seconds, 2.0 + 16.0, 1e-7);
  problem.platform.units[0].out.links = problem.platform.units[0].in.links;
  EXPECT_NEAR(problem.bound().seconds, 2.0 + 36.0, 1e-7);
  problem.disturb(5.0, Kind::fail, "u0", 1.0, 8.0);
  EXPECT_NEAR(problem.bound().seconds, 2.0 + 36.0 + 3.0, 1e-7);
}

TEST(DisturbedBound, FillsASharedLinkAsItsBandwidthChanges) {
  BoundProblem problem(1000);
  problem.workload.in_bytes_per_item = 1.0;
  const auto link = problem.add_link(100.0);
  for (int p = 0; p < 4; ++p) {
    problem.platform.units[problem.add_affine_unit(0.0, 0.001)].in.links = {link};
  }
  problem.disturb(2.0, Kind::bandwidth, "l0", 0.25, 6.0);  // 200 + 100 bytes until 6 s
  const LowerBound bound = problem.bound();
  EXPECT_NEAR(bound.seconds, 13.0, 1e-6);
  EXPECT_EQ(bound.binding, "l0");
}

TEST(DisturbedBound, ChainsIterationsAndPhases) {
  BoundProblem problem = equal_units(1, 100);
  problem.workload.iterations = 3;
  problem.disturb(1.5, Kind::slow, "u0", 2.0);
  EXPECT_NEAR(problem.bound().seconds, 1.0 + 1.5 + 2.0, 1e-7);
  problem.workload.iterations = 1003;
  EXPECT_NEAR(problem.bound().seconds, 1.0 + 1.5 + 2.0 * 1001, 1e-4);
  problem.workload.iterations = 1;
  EXPECT_NEAR(problem.bound(1.0).seconds, 1.5, 1e-7);
}

TEST(DisturbedBound, IsWhatItWasWithoutAScenarioWhereNothingIsDisturbed) {
  BoundProblem problem = equal_units(3, 1000);
  problem.workload.in_bytes_per_item = 3.0;
  problem.workload.iterations = 7;
  problem.platform.units[0].in.links = {problem.add_link(1e4, 1e-3)};
  const double seconds = problem.bound().seconds;
  problem.disturb(0.3, Kind::slow, "u0", 1.0);
  problem.disturb(0.7, Kind::compete, "u1", 0.0, 2.0);
  problem.disturb(0.9, Kind::bandwidth, "l0", 1.0);
  problem.disturb(0.0, Kind::join, "u2");
  EXPECT_NEAR(problem.bound().seconds, seconds, 1e-12 * seconds);
}

/// One random schedule. Units take blocks of random sizes in random order, one block at a time in
/// each stage. A link is used by one transfer at a time. A stage that an absence interrupts is
/// repeated after it.
class RandomSchedule {
 public:
  RandomSchedule(const BoundProblem& problem, std::mt19937_64& random)
      : problem_(problem), timings_(problem.timings()), random_(random) {
    for (const PlatformUnit& unit : problem.platform.units) {
      speeds_.push_back(problem.scenario.speed_of(unit.unit.name));
      there_.push_back(problem.scenario.presence_of(unit.unit.name).function());
    }
    for (const Link& link : problem.platform.links) {
      bandwidths_.push_back(problem.scenario.bandwidth_of(link.name));
    }
    link_free_.resize(problem.platform.links.size());
  }

  /// The time when all items are back, if the schedule begins at `start`.
  Seconds end(Seconds start) {
    const std::size_t units = problem_.platform.units.size();
    std::vector<Lanes> lanes(units, Lanes{start, start, start, true});
    std::fill(link_free_.begin(), link_free_.end(), start);
    Seconds last = start;
    Items left = problem_.workload.items;
    while (left > 0) {
      const std::size_t p = random_() % units;
      const Items items = std::min<Items>(
          left, 1 + static_cast<Items>(random_() %
                                       static_cast<std::uint64_t>(problem_.workload.items / 5)));
      const Seconds done = block_end(p, lanes[p], static_cast<double>(items));
      if (done == Seconds::infinity()) continue;  // the unit is lost before and does not come back
      left -= items;
      last = std::max(last, done);
    }
    return last;
  }

 private:
  /// The times from which the copy engines and the cores of a unit are free.
  struct Lanes {
    Seconds in;
    Seconds compute;
    Seconds out;
    bool is_first = true;
  };

  Seconds block_end(std::size_t p, Lanes& lanes, double items) {
    const PlatformUnit& unit = problem_.platform.units[p];
    const Workload& w = problem_.workload;
    Lanes next = lanes;
    std::vector<Seconds> links = link_free_;
    const double resident = lanes.is_first ? w.resident_bytes : 0.0;
    const bool one_engine = unit.unit.copy_engines < 2;
    if (one_engine) next.in = std::max(next.in, next.out);
    if (unit.unit.copy_engines == 0) next.in = std::max(next.in, next.compute);
    next.in = transfer_end(p, unit.in, next.in, w.in_bytes_per_item * items + resident, links);
    next.compute = stage_end(p, std::max(next.in, next.compute), [&](Seconds from) {
      return speeds_[p].end_of(from, timings_[p].mean(items));
    });
    next.out = transfer_end(
        p, unit.out,
        one_engine ? std::max({next.in, next.out, next.compute}) : std::max(next.out, next.compute),
        w.out_bytes_per_item * items, links);
    if (next.out == Seconds::infinity()) return next.out;
    next.is_first = false;
    lanes = next;
    link_free_ = links;
    return next.out;
  }

  Seconds transfer_end(std::size_t p, const Route& route, Seconds from, double bytes,
                       std::vector<Seconds>& links) {
    if (bytes == 0.0 || route.links.empty()) return from;
    for (const std::uint32_t link : route.links) from = std::max(from, links[link]);
    const PlatformUnit& unit = problem_.platform.units[p];
    // A unit that copies with its own cores has private links here, and copies at its own speed.
    const auto end_of = [&](Seconds at) {
      return unit.unit.copy_engines > 0 ? moved(route, at, bytes)
                                        : self_moved(unit, route, at, bytes);
    };
    const Seconds end = stage_end(p, from, end_of);
    for (const std::uint32_t link : route.links) links[link] = end;
    return end;
  }

  /// The end of a transfer that begins at `from` and shares its links with no other.
  [[nodiscard]] Seconds moved(const Route& route, Seconds from, double bytes) const {
    from = from + copy_speed_of(problem_.platform.links, route).latency;
    std::vector<Seconds> changes;
    for (const std::uint32_t link : route.links) {
      for (const Seconds change : bandwidths_[link].changes()) changes.push_back(change);
    }
    std::sort(changes.begin(), changes.end());
    changes.push_back(Seconds::infinity());
    for (const Seconds change : changes) {
      if (change <= from) continue;
      double rate = Seconds::infinity().value;
      for (const std::uint32_t link : route.links) {
        rate = std::min(
            rate, problem_.platform.links[link].bandwidth_bytes_per_s * bandwidths_[link].at(from));
      }
      const Seconds end = from + Seconds{bytes / rate};
      if (end <= change) return end;
      bytes -= rate * (change - from).value;
      from = change;
    }
    return from;
  }

  [[nodiscard]] Seconds self_moved(const PlatformUnit& unit, const Route& route, Seconds from,
                                   double bytes) const {
    const CopySpeed speed = copy_speed_of(problem_.platform.links, route);
    const Seconds alone = speed.latency + Seconds{bytes / speed.bandwidth_bytes_per_s};
    return DisturbedPlatform(problem_.platform, problem_.scenario)
        .copy_rate_of(unit, route)
        .end_of(from, alone);
  }

  /// The end of a stage, during which the unit must be present; infinite if there is no such time.
  template <class EndOf>
  [[nodiscard]] Seconds stage_end(std::size_t p, Seconds from, const EndOf& end_of) const {
    if (from == Seconds::infinity()) return from;
    std::vector<Seconds> changes = there_[p].changes();
    changes.push_back(Seconds::infinity());
    for (const Seconds change : changes) {
      if (change <= from) continue;
      if (there_[p].at(from) > 0.0) {
        const Seconds end = end_of(from);
        if (end <= change) return end;
      }
      from = change;
    }
    return Seconds::infinity();
  }

  const BoundProblem& problem_;
  std::vector<BlockTiming> timings_;
  std::mt19937_64& random_;
  std::vector<StepFunction> speeds_;
  std::vector<StepFunction> there_;
  std::vector<StepFunction> bandwidths_;
  std::vector<Seconds> link_free_;
};

double between(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

/// A random platform of up to five units, with private links and a shared one, and a random
/// scenario. The first unit is never absent.
BoundProblem random_problem(std::mt19937_64& random) {
  BoundProblem problem(20 + static_cast<Items>(random() % 200));
  problem.workload.in_bytes_per_item = between(random, 0.0, 20.0);
  problem.workload.out_bytes_per_item = random() % 2 == 0 ? 0.0 : between(random, 0.0, 10.0);
  problem.workload.resident_bytes = random() % 2 == 0 ? 0.0 : between(random, 0.0, 100.0);
  const auto trunk = problem.add_link(between(random, 100.0, 2000.0), between(random, 0.0, 0.1));
  const std::size_t units = 1 + random() % 5;
  for (std::size_t p = 0; p < units; ++p) {
    const double fixed_s = random() % 2 == 0 ? 0.0 : between(random, 0.0, 0.2);
    problem.add_affine_unit(fixed_s, between(random, 0.001, 0.05));
    PlatformUnit& unit = problem.platform.units[p];
    unit.unit.copy_engines = static_cast<int>(random() % 3);
    const auto own = problem.add_link(between(random, 50.0, 1000.0), between(random, 0.0, 0.1));
    const auto back = random() % 2 == 0 ? own : problem.add_link(between(random, 50.0, 1000.0));
    unit.in.links = {own};
    unit.out.links = {back};
    if (unit.unit.copy_engines == 0) continue;
    if (random() % 2 == 0) unit.in.links.push_back(trunk);
    if (random() % 2 == 0) unit.out.links.push_back(trunk);
  }
  for (std::size_t events = random() % 8; events > 0; --events) {
    const double at_s = between(random, 0.0, 8.0);
    const double until_s =
        random() % 2 == 0 ? at_s + between(random, 0.1, 5.0) : Seconds::infinity().value;
    const std::size_t p = random() % units;
    const std::string unit = problem.platform.units[p].unit.name;
    switch (random() % 4) {
      case 0:
        problem.disturb(at_s, Kind::compete, unit, between(random, 0.0, 0.95), until_s);
        break;
      case 1:
        problem.disturb(at_s, Kind::slow, unit, between(random, 0.3, 6.0), until_s);
        break;
      case 2:
        problem.disturb(at_s, Kind::bandwidth,
                        problem.platform.links[random() % problem.platform.links.size()].name,
                        between(random, 0.1, 4.0), until_s);
        break;
      default:
        if (p == 0) break;
        if (random() % 3 == 0) {
          problem.disturb(at_s, Kind::join, unit);
        } else {
          problem.disturb(at_s, Kind::fail, unit, 1.0, until_s);
        }
    }
  }
  return problem;
}

TEST(DisturbedBound, IsNeverAboveASchedule) {
  constexpr std::uint64_t first_seed = 1000;
  double closest = Seconds::infinity().value;
  for (std::uint64_t seed = first_seed; seed < first_seed + 500; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const BoundProblem problem = random_problem(random);
    const double start_s = random() % 2 == 0 ? 0.0 : between(random, 0.0, 10.0);
    const double bound_s = problem.bound(start_s).seconds;
    RandomSchedule schedule(problem, random);
    for (int i = 0; i < 20; ++i) {
      const double taken_s = (schedule.end(Seconds{start_s}) - Seconds{start_s}).value;
      ASSERT_LE(bound_s, taken_s * (1.0 + 1e-9));
      closest = std::min(closest, taken_s / bound_s);
    }
  }
  EXPECT_LT(closest, 1.05);  // some schedule is close to the bound, so the bound is not trivial
}

}  // namespace
}  // namespace equipoise::lower_bound_scenario_test
