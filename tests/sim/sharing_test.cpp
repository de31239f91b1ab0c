// Tests of transfers that share a link, with values worked out by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/disturb.hpp"
#include "tests/support/sim_platforms.hpp"
#include "tests/support/simulate.hpp"

namespace equipoise::sharing_test {
namespace {

constexpr double tolerance = 1e-9;

/// A workload with 1 MB in and 1 MB out per item.
Workload megabytes() {
  Workload workload;
  workload.kernel = "k";
  workload.items = 1000;
  workload.in_bytes_per_item = 1e6;
  workload.out_bytes_per_item = 1e6;
  return workload;
}

/// Units that compute for 1 ms per item, behind one link of 1 MB/s.
TestPlatform behind_one_link(std::size_t units, const std::string& sharing = "SHARED") {
  TestPlatform platform;
  platform.units.assign(units, {0.0, 1e-3});
  platform.shared_bandwidth = 1e6;
  platform.sharing = sharing;
  return platform;
}

Block block(std::uint64_t id, Items items) {
  Block block;
  block.id = id;
  block.items = items;
  return block;
}

TEST(SharedLink, IsHalvedByTwoEqualTransfers) {
  const SimSetup setup = sim_setup(behind_one_link(2), {megabytes()});
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    executor.start(block(0, 1), {0});
    executor.start(block(1, 1), {1});
    take_finishes(executor, out);
  });
  ASSERT_EQ(seen.finishes.size(), 2U);
  for (std::uint32_t unit = 0; unit < 2; ++unit) {
    EXPECT_EQ(seen.finishes[unit].unit, unit);
    EXPECT_NEAR(seen.finishes[unit].in_s, 2.0, tolerance);
    EXPECT_NEAR(seen.finishes[unit].compute_s, 1e-3, tolerance);
    EXPECT_NEAR(seen.finishes[unit].out_s, 2.0, tolerance);
    EXPECT_NEAR(seen.finishes[unit].at_s, 4.001, tolerance);
  }
}

TEST(SharedLink, HasTheFiguresOfThePlatformWhereTheFileHasOthers) {
  TestPlatform platform = behind_one_link(2);
  platform.shared_latency_s = 0.1;
  SimSetup setup = sim_setup(platform, {megabytes()});
  for (Link& link : setup.platform.links) {
    link.bandwidth_bytes_per_s /= 2.0;
    link.latency.value *= 3.0;
  }
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    executor.start(block(0, 1), {0});
    executor.start(block(1, 1), {1});
    take_finishes(executor, out);
  });
  ASSERT_EQ(seen.finishes.size(), 2U);
  for (const Finish& finish : seen.finishes) EXPECT_NEAR(finish.in_s, 4.3, tolerance);
}

TEST(SharedLink, IsWholeAgainWhenTheOtherTransferIsOver) {
  const SimSetup setup = sim_setup(behind_one_link(2), {megabytes()});
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    executor.start(block(0, 1), {0});
    take_finishes(executor, out, {0.5});
    executor.start(block(1, 3), {1});
    take_finishes(executor, out);
  });
  // Unit 0: in alone until 0.5 s, then with half the link until 1.5 s, computing until 1.501 s, out
  // with half the link for 2 s. Unit 1, 3 MB: 0.5 MB by 1.5 s, alone for 1 ms, half the link for 2
  // s, then 1.499 MB alone.
  ASSERT_EQ(seen.finishes.size(), 2U);
  EXPECT_NEAR(seen.finishes[0].in_s, 1.5, tolerance);
  EXPECT_NEAR(seen.finishes[0].out_s, 2.0, tolerance);
  EXPECT_NEAR(seen.finishes[0].at_s, 3.501, tolerance);
  EXPECT_NEAR(seen.finishes[1].in_s, 1.0 + 0.001 + 2.0 + 1.499, tolerance);
  EXPECT_NEAR(seen.finishes[1].out_s, 3.0, tolerance);
}

TEST(SharedLink, GivesEveryTransferItsWholeBandwidthIfSharingIsUnlimited) {
  const SimSetup setup = sim_setup(behind_one_link(3, "FATPIPE"), {megabytes()});
  const Seen seen = simulate_blocks(setup, {1, 1, 1});
  for (const Finish& finish : seen.finishes) {
    EXPECT_NEAR(finish.in_s, 1.0, tolerance);
    EXPECT_NEAR(finish.out_s, 1.0, tolerance);
  }
}

/// A unit behind a link of its own.
TestUnit at_latency(double latency_s, double bandwidth = 1e9) {
  return {0.0, 1e-3, 0.0, bandwidth, latency_s};
}

/// How long each of `units`, behind a FATPIPE of 1 MB/s, copies in 1 MB if all begin at once.
std::vector<double> fatpipe_copies_s(const std::vector<TestUnit>& units, bool activities_only,
                                     const std::string& config = "") {
  TestPlatform platform = behind_one_link(0, "FATPIPE");
  platform.units = units;
  platform.config = config;
  Workload workload = megabytes();
  workload.out_bytes_per_item = 0.0;
  SimSetup setup = sim_setup(platform, {workload});
  setup.activities_only = activities_only;
  const Seen seen = simulate(setup, [&](Executor& executor, Seen& out) {
    for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
      executor.start(block(unit, 1), {unit});
    }
    take_finishes(executor, out);
  });
  std::vector<double> copies_s(units.size());
  for (const Finish& finish : seen.finishes) copies_s.at(finish.unit) = finish.in_s;
  return copies_s;
}

TEST(SharedLink, GivesLessToALongerRouteEvenIfSharingIsUnlimited) {
  const TestUnit near = at_latency(1e-3);
  const TestUnit far = at_latency(3e-3);
  for (const bool activities_only : {false, true}) {
    SCOPED_TRACE(activities_only);
    // The first has the whole bandwidth, from 1 ms to 1.001 s. Meanwhile the second has a third of
    // it for 0.998 s; for the rest of 1 MB it has all.
    const auto copies_s = fatpipe_copies_s({near, far}, activities_only);
    EXPECT_NEAR(copies_s[0], 1.001, tolerance);
    EXPECT_NEAR(copies_s[1], 1.001 + 1.0 - 0.998 / 3.0, tolerance);
    // Routes of the same latency do not notice one another.
    EXPECT_NEAR(fatpipe_copies_s({far, far}, activities_only)[1], 1.003, tolerance);
    EXPECT_NEAR(fatpipe_copies_s({near, near, far}, activities_only)[1], 1.001, tolerance);
  }
}

TEST(SharedLink, IsWeighedAsThePlatformFileSaysEvenIfSharingIsUnlimited) {
  // network/weight-S adds 1000 / bandwidth to the latency, for each link of the route: 1 ms for the
  // FATPIPE, and 1 us or 0.1 ms for the other one. So the second has 2.001/2.1 of the bandwidth
  // while the first copies, from 1 ms to 1.001 s.
  const std::vector<TestUnit> units = {at_latency(1e-3, 1e9), at_latency(1e-3, 1e7)};
  const std::string config = "<prop id=\"network/weight-S\" value=\"1000\"/>";
  for (const bool activities_only : {false, true}) {
    const auto copies_s = fatpipe_copies_s(units, activities_only, config);
    EXPECT_NEAR(copies_s[0], 1.001, tolerance);
    EXPECT_NEAR(copies_s[1], 1.001 + 1.0 - 2.001 / 2.1, tolerance);
  }
}

TEST(SharedLink, IsTwoLinksWhenItIsSplitDuplex) {
  const Script one_in_while_one_out = [](Executor& executor, Seen& out) {
    executor.start(block(0, 1), {0});
    take_finishes(executor, out, {1.001});  // unit 0 begins to copy out
    executor.start(block(1, 1), {1});
    take_finishes(executor, out);
  };
  const Seen split =
      simulate(sim_setup(behind_one_link(2, "SPLITDUPLEX"), {megabytes()}), one_in_while_one_out);
  EXPECT_NEAR(split.finishes.at(0).out_s, 1.0, tolerance);
  EXPECT_NEAR(split.finishes.at(1).in_s, 1.0, tolerance);
  const Seen shared = simulate(sim_setup(behind_one_link(2), {megabytes()}), one_in_while_one_out);
  EXPECT_NEAR(shared.finishes.at(0).out_s, 2.0, tolerance);
  EXPECT_NEAR(shared.finishes.at(1).in_s, 2.0, tolerance);
}

TEST(SharedLink, DoesNotSlowWhatAPrivateLinkLimitsMore) {
  TestPlatform platform = behind_one_link(2);
  platform.units[0].bandwidth = 2.5e5;  // a quarter of the shared link, and no latency
  platform.units[1].bandwidth = 1e9;
  const Seen seen = simulate(sim_setup(platform, {megabytes()}), [](Executor& executor, Seen& out) {
    executor.start(block(0, 1), {0});
    executor.start(block(1, 2), {1});
    take_finishes(executor, out);
  });
  // Unit 1 ends first: 2 MB in at 0.75 MB/s, then 2 ms of computing.
  EXPECT_NEAR(seen.finishes.at(0).in_s, 2.0 / 0.75, tolerance);
  EXPECT_NEAR(seen.finishes.at(1).in_s, 4.0, tolerance);
}

/// The time for which unit 0 copies in a block of `items` items, started at `at_s`, over a link of
/// 1 MB/s whose bandwidth has `profile`.
double profiled_copy_in_s(const std::string& profile, Items items, double at_s,
                          double latency_s = 0.0, const std::string& config = "") {
  TestPlatform platform = behind_one_link(1);
  platform.profile = profile;
  platform.greatest_of_profile = 4e6;
  platform.shared_latency_s = latency_s;
  platform.config = config;
  const Seen seen =
      simulate(sim_setup(platform, {megabytes()}), [&](Executor& executor, Seen& out) {
        take_finishes(executor, out, {at_s});
        executor.start(block(0, items), {0});
        take_finishes(executor, out);
      });
  return seen.finishes.at(0).in_s;
}

TEST(LinkWithAProfile, MakesTransfersUnderWayFasterAndSlower) {
  // 0.5 MB by 0.5 s, the other half at 2 MB/s or 0.5 MB/s.
  EXPECT_NEAR(profiled_copy_in_s("0 1e6\n0.5 2e6\n", 1, 0.0), 0.75, tolerance);
  EXPECT_NEAR(profiled_copy_in_s("0 1e6\n0.5 5e5\n", 1, 0.0), 1.5, tolerance);
  // Without a value at 0, the link begins with its own 1 MB/s.
  EXPECT_NEAR(profiled_copy_in_s("0.5 2e6\n", 1, 0.0), 0.75, tolerance);
  // 0.1 s of latency, 0.4 MB by 0.5 s.
  EXPECT_NEAR(profiled_copy_in_s("0 1e6\n0.5 2e6\n", 1, 0.0, 0.1), 0.8, tolerance);
  // Begun in the slow time: 0.4 MB from 1.2 s to 2 s, the other 0.6 MB at 4 MB/s.
  EXPECT_NEAR(profiled_copy_in_s("0 2e6\n1 5e5\n2 4e6\n", 1, 1.2), 0.95, tolerance);
  // 1.5 MB in every second.
  EXPECT_NEAR(profiled_copy_in_s("0 1e6\n0.5 2e6\nPERIODICITY 1\n", 3, 0.0), 2.0, tolerance);
  // A bandwidth factor of 0.97: 0.485 MB by 0.5 s, the other 0.515 MB at 1.94 MB/s.
  EXPECT_NEAR(profiled_copy_in_s("0 1e6\n0.5 2e6\n", 1, 0.0, 0.0,
                                 "<prop id=\"network/model\" value=\"LV08\"/>"),
              0.5 + 0.515 / 1.94, 1e-6);
}

TEST(LinkWithAProfile, MayBeSplitDuplex) {
  TestPlatform platform = behind_one_link(2, "SPLITDUPLEX");
  platform.profile = "0 1e6\n0.5 2e6\n";
  platform.greatest_of_profile = 2e6;
  const Seen seen = simulate(sim_setup(platform, {megabytes()}), [](Executor& executor, Seen& out) {
    executor.start(block(0, 1), {0});
    take_finishes(executor, out);
  });
  EXPECT_NEAR(seen.finishes.at(0).in_s, 0.75, tolerance);
  EXPECT_NEAR(seen.finishes.at(0).out_s, 0.5, tolerance);
}

TEST(LinkWithAProfile, IsChangedByAScenarioToo) {
  TestPlatform platform = behind_one_link(1);
  platform.profile = "0 1e6\n0.5 2e6\n";
  platform.greatest_of_profile = 2e6;
  SimSetup setup = sim_setup(platform, {megabytes()});
  setup.scenario.events = {disturb(DisturbanceKind::bandwidth, "shared", 0.25, 0.5, Seconds{0.75})};
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    executor.start(block(0, 1), {0});
    take_finishes(executor, out);
  });
  // 0.25 MB by 0.25 s, then half the bandwidth: 0.125 MB by 0.5 s and 0.25 MB by 0.75 s. The last
  // 0.375 MB at 2 MB/s.
  EXPECT_NEAR(seen.finishes.at(0).in_s, 0.9375, tolerance);
}

TEST(LinkWithAProfile, IsSharedLikeOthers) {
  TestPlatform platform = behind_one_link(2);
  platform.profile = "0 1e6\n0.5 2e6\n";
  platform.greatest_of_profile = 2e6;
  const Seen seen = simulate(sim_setup(platform, {megabytes()}), [](Executor& executor, Seen& out) {
    executor.start(block(0, 1), {0});
    executor.start(block(1, 1), {1});
    take_finishes(executor, out);
  });
  // 0.25 MB each by 0.5 s, the rest and both copies out at 1 MB/s each.
  ASSERT_EQ(seen.finishes.size(), 2U);
  for (const Finish& finish : seen.finishes) {
    EXPECT_NEAR(finish.in_s, 1.25, tolerance);
    EXPECT_NEAR(finish.out_s, 1.0, tolerance);
  }
}

TEST(NetworkSettings, OfThePlatformFileHold) {
  TestPlatform platform;
  platform.units = {{0.0, 1e-3, 0.0, 1e6, 0.125}};
  const auto copy_in_s = [&](const std::string& config) {
    platform.config = config;
    const Seen seen =
        simulate(sim_setup(platform, {megabytes()}), [](Executor& executor, Seen& out) {
          executor.start(block(0, 1), {0});
          take_finishes(executor, out);
        });
    return seen.finishes.at(0).in_s;
  };
  EXPECT_NEAR(copy_in_s(""), 1.125, tolerance);
  EXPECT_NEAR(copy_in_s("<prop id=\"network/latency-factor\" value=\"2\"/>"), 1.25, tolerance);
  EXPECT_NEAR(copy_in_s("<prop id=\"network/bandwidth-factor\" value=\"0.5\"/>"), 2.125, tolerance);
  EXPECT_NEAR(copy_in_s("<prop id=\"network/model\" value=\"LV08\"/>"), 13.01 * 0.125 + 1 / 0.97,
              1e-6);
  // The return flow of 5 % uses the same link.
  EXPECT_NEAR(copy_in_s("<prop id=\"network/crosstraffic\" value=\"1\"/>"), 0.125 + 1.05,
              tolerance);
  // The settings of StarPU's files have no effect.
  EXPECT_NEAR(copy_in_s("<prop id=\"network/TCP-gamma\" value=\"-1\"/>"
                        "<prop id=\"network/latency-factor\" value=\"1\"/>"
                        "<prop id=\"network/bandwidth-factor\" value=\"1\"/>"
                        "<prop id=\"network/weight-S\" value=\"0.0\"/>"
                        "<prop id=\"network/crosstraffic\" value=\"0\"/>"),
              1.125, tolerance);
}

}  // namespace
}  // namespace equipoise::sharing_test
