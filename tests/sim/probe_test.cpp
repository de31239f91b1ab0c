// Tests of probes of simulated units: their times are those of any copy, worked out by hand.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "tests/support/disturb.hpp"
#include "tests/support/sim_platforms.hpp"
#include "tests/support/simulate.hpp"

namespace equipoise::sim_probe_test {
namespace {

constexpr double tolerance = 1e-9;

Workload workload(double in_bytes = 0.0, double out_bytes = 0.0) {
  Workload workload;
  workload.kernel = "k";
  workload.items = 1000;
  workload.in_bytes_per_item = in_bytes;
  workload.out_bytes_per_item = out_bytes;
  return workload;
}

/// Units that take 1 ms per item, each on a private link of 1 MB/s and 10 us.
TestPlatform private_links(std::size_t units) {
  TestPlatform platform;
  platform.units.assign(units, {0.0, 1e-3, 0.0, 1e6, 1e-5});
  return platform;
}

/// Puts the answers of all probes into the numbers, each as the begin and length of its copies and
/// its end; finished blocks into the finishes.
void take_all(Executor& executor, Seen& seen) {
  while (const std::optional<Event> event = executor.next(Seconds::infinity())) {
    if (const auto* probed = std::get_if<Probed>(&event->what)) {
      const ProbeTimes& times = probed->times.value();
      seen.numbers.insert(seen.numbers.end(),
                          {times.there_at.value, times.there.value, times.back_at.value,
                           times.back.value, event->at.value});
    } else if (const auto* block = std::get_if<BlockFinished>(&event->what)) {
      Finish finish;
      finish.in_s = block->times.in.value;
      finish.out_s = block->times.out.value;
      finish.at_s = event->at.value;
      seen.finishes.push_back(finish);
    }
  }
}

void expect_numbers(const Seen& seen, const std::vector<double>& expected) {
  ASSERT_EQ(seen.numbers.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(seen.numbers[i], expected[i], tolerance) << i;
  }
}

TEST(SimulatedProbe, TakesAsLongAsTheCopiesOfABlock) {
  // 10,000 bytes there and 1,000 back at 1 MB/s, with 10 us each, on every kind of simulation. The
  // block of as many bytes has the same times.
  for (const bool activities_only : {false, true}) {
    SimSetup setup = sim_setup(private_links(2), {workload(1000, 100)});
    setup.activities_only = activities_only;
    const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
      executor.probe({0, 0, 10'000, 1000}, {0});
      executor.start({0, 0, 10}, {1});
      take_all(executor, out);
    });
    expect_numbers(seen, {0, 0.01001, 0.01001, 0.00101, 0.01102});
    ASSERT_EQ(seen.finishes.size(), 1U);
    EXPECT_NEAR(seen.finishes[0].in_s, 0.01001, tolerance);
    EXPECT_NEAR(seen.finishes[0].out_s, 0.00101, tolerance);
  }
}

TEST(SimulatedProbe, OfNoBytesTakesTheLatency) {
  for (const bool activities_only : {false, true}) {
    SimSetup setup = sim_setup(private_links(1), {workload()});
    setup.activities_only = activities_only;
    setup.costs[0].dispatch = {1e-3};  // counts before the copies begin
    const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
      executor.probe({0, 0, 0, 0}, {0});
      executor.probe({1, 0, 0, std::nullopt}, {0});
      take_all(executor, out);
    });
    // One copy engine, and what goes back goes first.
    expect_numbers(seen, {1e-3, 1e-5, 1.01e-3, 1e-5, 1.02e-3, 1.02e-3, 1e-5, 1.03e-3, 0, 1.03e-3});
  }
}

TEST(SimulatedProbe, SharesLinksWithCopiesOfBlocks) {
  // Two units behind one link of 1 MB/s. A block of 1 MB for one of them, a probe of 1 MB of the
  // other: each has half of the link, and ends after 2 s.
  TestPlatform platform;
  platform.units.assign(2, {0.0, 1e-3});
  platform.shared_bandwidth = 1e6;
  const Seen seen =
      simulate(sim_setup(platform, {workload(1e6)}), [](Executor& executor, Seen& out) {
        executor.start({0, 0, 1}, {0});
        executor.probe({0, 0, 1e6, std::nullopt}, {1});
        take_all(executor, out);
      });
  expect_numbers(seen, {0, 2, 2, 0, 2});
  ASSERT_EQ(seen.finishes.size(), 1U);
  EXPECT_NEAR(seen.finishes[0].in_s, 2.0, tolerance);
}

TEST(SimulatedProbe, FollowsTheBandwidthOfItsLink) {
  // 1 MB at 1 MB/s after 10 us; from 0.50001 s on at half of it. The rest of 0.5 MB takes 1 s.
  SimSetup setup = sim_setup(private_links(1), {workload()});
  setup.scenario.events = {
      disturb(DisturbanceKind::bandwidth, setup.platform.links[0].name, 0.50001, 0.5)};
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    executor.probe({0, 0, 1e6, std::nullopt}, {0});
    take_all(executor, out);
  });
  expect_numbers(seen, {0, 1.50001, 1.50001, 0, 1.50001});
}

TEST(SimulatedProbe, IsAnsweredAtOnceByAUnitOnTheMaster) {
  TestPlatform platform;
  platform.units = {{0.0, 1e-3}};
  const Seen seen = simulate(sim_setup(platform, {workload()}), [](Executor& executor, Seen& out) {
    executor.start({0, 0, 10}, {0});
    executor.probe({0, 0, 1e6, 1e6}, {0});
    take_all(executor, out);
  });
  expect_numbers(seen, {0, 0, 0, 0, 0});
  ASSERT_EQ(seen.finishes.size(), 1U);
}

TEST(SimulatedProbe, IsNotReportedByAUnitThatIsLost) {
  SimSetup setup = sim_setup(private_links(2), {workload()});
  setup.scenario.events = {disturb(DisturbanceKind::fail, "u0", 0.5)};
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    executor.probe({0, 0, 1e6, std::nullopt}, {0});
    executor.probe({1, 0, 1e6, std::nullopt}, {1});
    take_all(executor, out);
    executor.probe({2, 0, 1e6, std::nullopt}, {0});  // it is absent
    take_all(executor, out);
  });
  expect_numbers(seen, {0, 1.00001, 1.00001, 0, 1.00001});
}

}  // namespace
}  // namespace equipoise::sim_probe_test
