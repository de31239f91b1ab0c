// Tests of units that read resident data with each block because their memory does not hold them.
// The schedules were worked out by hand, and are checked with dates computed in advance and with
// SimGrid activities.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/disturb.hpp"
#include "tests/support/sim_platforms.hpp"
#include "tests/support/simulate.hpp"

namespace equipoise::streaming_test {
namespace {

constexpr double tolerance = 1e-9;

/// 4 MB of resident data; an item needs 1 kB of memory and moves 1 kB each way.
Workload four_megabytes() {
  Workload workload;
  workload.kernel = "k";
  workload.items = 1000;
  workload.in_bytes_per_item = 1e3;
  workload.out_bytes_per_item = 1e3;
  workload.resident_bytes = 4e6;
  workload.memory_bytes_per_item = 1e3;
  return workload;
}

/// A GPU with 2.5 MB behind a link of 1 MB/s each way. Beside a block of 500 items there is room
/// for 2 MB of the resident data, so that 2 MB are read with it, in 2 s.
TestUnit small_gpu(double per_item_s, int copy_engines) {
  TestUnit unit{0.0, per_item_s, 0.0, 1e6, 0.0, copy_engines, "SPLITDUPLEX"};
  unit.memory_bytes = 2.5e6;
  return unit;
}

TestPlatform machine_of(std::vector<TestUnit> units) {
  TestPlatform platform;
  platform.units = std::move(units);
  return platform;
}

SimSetup setup_of(const TestPlatform& platform, const Workload& workload) {
  SimSetup setup = sim_setup(platform, {workload});
  for (PlatformUnit& unit : setup.platform.units) unit.unit.kind = UnitKind::gpu;
  return setup;
}

/// Blocks of 500 items, handed out at 0: block i to unit `units[i]`.
Script blocks_for(const std::vector<std::uint32_t>& units) {
  return [units](Executor& executor, Seen& seen) {
    for (std::size_t i = 0; i < units.size(); ++i) {
      executor.start(Block{.id = i, .items = 500}, {units[i]});
    }
    take_finishes(executor, seen);
  };
}

/// Where a block is computed, and when it ends.
struct Expected {
  double compute_at_s = 0.0;
  double compute_s = 0.0;
  double at_s = 0.0;
};

void expect(SimSetup setup, const Script& script, const std::vector<Expected>& expected) {
  for (const bool activities_only : {false, true}) {
    SCOPED_TRACE(activities_only ? "activities" : "dates");
    setup.activities_only = activities_only;
    const Seen seen = simulate(setup, script);
    ASSERT_EQ(seen.finishes.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      SCOPED_TRACE("block " + std::to_string(seen.finishes[i].block));
      EXPECT_NEAR(seen.finishes[i].compute_at_s, expected[i].compute_at_s, tolerance);
      EXPECT_NEAR(seen.finishes[i].compute_s, expected[i].compute_s, tolerance);
      EXPECT_NEAR(seen.finishes[i].at_s, expected[i].at_s, tolerance);
    }
  }
}

TEST(Streaming, TakesTheLongerOfComputingAndReading) {
  // Setup: the 2 MB that stay, until 2 s. In: 0.5 MB, until 2.5 s. Reading takes 2 s, computing 0.5
  // s or 3 s. Out: 0.5 s.
  for (const int engines : {1, 2}) {
    expect(setup_of(machine_of({small_gpu(1e-3, engines)}), four_megabytes()), blocks_for({0}),
           {{2.5, 2.0, 5.0}});
    expect(setup_of(machine_of({small_gpu(6e-3, engines)}), four_megabytes()), blocks_for({0}),
           {{2.5, 3.0, 6.0}});
  }
}

TEST(Streaming, KeepsTheEngineForCopiesInFromTheNextBlock) {
  // Reading ends at 4.5 s. The second block is copied in until 5 s, is computed when the first one
  // is, at 5.5 s, reads until 7.5 s, and is copied out from 8.5 s on.
  expect(setup_of(machine_of({small_gpu(6e-3, 2)}), four_megabytes()), blocks_for({0, 0}),
         {{2.5, 3.0, 6.0}, {5.5, 3.0, 9.0}});
  // Reading takes longer than computing: the copy in of the second block overlaps with nothing but
  // the copy out of the first.
  expect(setup_of(machine_of({small_gpu(1e-3, 2)}), four_megabytes()), blocks_for({0, 0}),
         {{2.5, 2.0, 5.0}, {5.0, 2.0, 7.5}});
}

TEST(Streaming, WaitsForACopyOutWithOneEngine) {
  // The second block is there at 5 s. The first one is computed at 5.5 s and copied out until 6 s.
  expect(setup_of(machine_of({small_gpu(6e-3, 1)}), four_megabytes()), blocks_for({0, 0}),
         {{2.5, 3.0, 6.0}, {6.0, 3.0, 9.5}});
}

TEST(Streaming, WaitsForACopyInThatHasBegun) {
  // The first two blocks as above, but the third one, of 1000 items, is copied in from 5 to 6 s.
  // The second one could be computed from 5.5 s on and waits until then. The third one leaves room
  // for 1.5 MB, reads 2.5 MB, and computes for 6 s.
  const Script script = [](Executor& executor, Seen& seen) {
    executor.start(Block{.id = 0, .items = 500}, {0});
    executor.start(Block{.id = 1, .items = 500}, {0});
    executor.start(Block{.id = 2, .items = 1000}, {0});
    take_finishes(executor, seen);
  };
  expect(setup_of(machine_of({small_gpu(6e-3, 2)}), four_megabytes()), script,
         {{2.5, 3.0, 6.0}, {6.0, 3.0, 9.5}, {9.0, 6.0, 16.0}});
}

TEST(Streaming, DividesABusAmongTheDevicesThatReadOverIt) {
  // Both units' setups share the bus until 4 s, both copies in until 5 s; each reads at 0.5 MB/s
  // for 4 s. Both copies out share the bus until 10 s.
  TestPlatform platform = machine_of({small_gpu(1e-3, 2), small_gpu(1e-3, 2)});
  for (TestUnit& unit : platform.units) unit.bandwidth = 0.0;
  platform.shared_bandwidth = 1e6;
  platform.sharing = "SPLITDUPLEX";
  expect(setup_of(platform, four_megabytes()), blocks_for({0, 1}),
         {{5.0, 4.0, 10.0}, {5.0, 4.0, 10.0}});
}

TEST(Streaming, IsDoneByTheUnitsOfADeviceOneAfterAnother) {
  // One link and engine: u0's setup and copy in until 2.5 s, then u1's until 5 s, because u1 asked
  // first. u0 asked to read at 2.5 s: 5 to 7 s; then u1 until 9 s.
  TestPlatform platform = machine_of({small_gpu(1e-3, 2), small_gpu(1e-3, 2)});
  for (TestUnit& unit : platform.units) unit.device = "card";
  expect(setup_of(platform, four_megabytes()), blocks_for({0, 1}),
         {{5.0, 2.0, 7.5}, {7.0, 2.0, 9.5}});
}

TEST(Streaming, ReadsFromTheMemoryOfTheUnitsNode) {
  // A network of 1 MB/s and links of 2 MB/s each. u0 fetches all 4 MB for the node until 4 s; u1
  // copies the 2 MB that stay from there until 5 s. Copies in cross the network: 0.5 s. Each reads
  // 2 MB over its own link: 1 s.
  TestPlatform platform = machine_of({small_gpu(1e-3, 2), small_gpu(1e-3, 2)});
  for (TestUnit& unit : platform.units) {
    unit.node = "n";
    unit.bandwidth = 2e6;
  }
  platform.shared_bandwidth = 1e6;
  platform.sharing = "SPLITDUPLEX";
  expect(setup_of(platform, four_megabytes()), blocks_for({0, 1}),
         {{4.5, 1.0, 6.0}, {5.5, 1.0, 7.0}});
  // Alone, it reads over the last link of its route, too.
  platform.units.pop_back();
  expect(setup_of(platform, four_megabytes()), blocks_for({0}), {{4.5, 1.0, 6.0}});
}

TEST(Streaming, SendsTheShareOfWhatAnIterationChangesThatStays) {
  // The first block as above. Of the 1 MB that the iteration changes, half belongs to what stays:
  // 0.5 s. The copy in ends 1 s after the first block, and reading takes 2 s again.
  Workload workload = four_megabytes();
  workload.iterations = 2;
  workload.iteration_bytes = 1e6;
  expect(setup_of(machine_of({small_gpu(1e-3, 2)}), workload),
         [](Executor& executor, Seen& seen) {
           executor.start(Block{.id = 0, .items = 500}, {0});
           take_finishes(executor, seen);
           executor.begin_iteration(0, 1);
           executor.start(Block{.id = 1, .items = 500, .iteration = 1}, {0});
           take_finishes(executor, seen);
         },
         {{2.5, 2.0, 5.0}, {6.0, 2.0, 8.5}});
}

TEST(Streaming, FollowsTheBandwidthOfItsBus) {
  // Reading begins at 2.5 s. From 3.5 s on, the second megabyte takes 2 s instead of 1 s, and the
  // copy out 1 s.
  SimSetup setup = setup_of(machine_of({small_gpu(1e-3, 2)}), four_megabytes());
  for (const Link& link : setup.platform.links) {
    setup.scenario.events.push_back(disturb(DisturbanceKind::bandwidth, link.name, 3.5, 0.5));
  }
  expect(setup, blocks_for({0}), {{2.5, 3.0, 6.5}});
}

TEST(Streaming, HappensOnlyWhereMemoryDoesNotHoldTheData) {
  // All 4 MB are sent before the first block, and a block of one item is computed in its own time.
  // A byte less: 1 byte is read with it, in 1 us.
  const Script script = [](Executor& executor, Seen& seen) {
    executor.start(Block{.id = 0, .items = 1}, {0});
    take_finishes(executor, seen);
  };
  TestUnit unit = small_gpu(1e-7, 2);
  unit.memory_bytes = 4.001e6;
  expect(setup_of(machine_of({unit}), four_megabytes()), script, {{4.001, 1e-7, 4.0020001}});
  unit.memory_bytes = 4.001e6 - 1.0;
  expect(setup_of(machine_of({unit}), four_megabytes()), script, {{4.000999, 1e-6, 4.002}});
}

TEST(Streaming, IsNotDoneByCpus) {
  // They work in the memory of their node.
  SimSetup setup = sim_setup(machine_of({small_gpu(1e-3, 0)}), {four_megabytes()});
  EXPECT_EQ(largest_block(setup.platform.units[0].unit, four_megabytes()), 0);
  setup.platform.units[0].unit.kind = UnitKind::gpu;  // copies by itself
  EXPECT_EQ(largest_block(setup.platform.units[0].unit, four_megabytes()), 0);
  setup.platform.units[0].unit.copy_engines = 1;
  EXPECT_EQ(largest_block(setup.platform.units[0].unit, four_megabytes()), 1000);
}

}  // namespace
}  // namespace equipoise::streaming_test
