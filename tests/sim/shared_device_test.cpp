// Tests of units that share the copy engines of one device. The schedules were worked out by hand,
// and are checked on the fake executor and on the simulator, with dates computed in advance and
// with SimGrid activities.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "tests/support/sim_platforms.hpp"
#include "tests/support/simulate.hpp"

namespace equipoise::shared_device_test {
namespace {

constexpr double tolerance = 1e-9;

/// A block for a unit of the device.
struct Given {
  std::uint32_t unit = 0;
  Items items = 1;
};

/// Units of one device that need these times per item. All blocks are handed out at 0.
struct Device {
  std::size_t units = 2;
  int copy_engines = 1;
  double in_s = 1.0;
  double compute_s = 2.0;
  double out_s = 1.0;
  Scenario scenario{};
};

void hand_out(const std::vector<Given>& blocks, Executor& executor, Seen& seen) {
  Items first = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    executor.start(Block{.id = i, .first = first, .items = blocks[i].items}, {blocks[i].unit});
    first += blocks[i].items;
  }
  while (const std::optional<Event> event = executor.next(Seconds::infinity())) {
    if (const auto* finished = std::get_if<BlockFinished>(&event->what)) {
      seen.finishes.push_back({.unit = finished->unit.index,
                               .block = finished->block.id,
                               .in_at_s = finished->begins.in.value,
                               .out_at_s = finished->begins.out.value,
                               .at_s = event->at.value});
    }
  }
}

Seen on_fake_executor(const Device& device, const std::vector<Given>& blocks) {
  FakeUnit unit;
  const auto per_item = [](double time_s) { return [=](double items) { return time_s * items; }; };
  unit.in_s = per_item(device.in_s);
  unit.compute_s = per_item(device.compute_s);
  unit.out_s = per_item(device.out_s);
  unit.copy_engines = device.copy_engines;
  unit.device = "card";
  FakeSetup setup;
  setup.units.assign(device.units, unit);
  setup.scenario = device.scenario;
  Seen seen;
  hand_out(blocks, *make_fake_executor(setup), seen);
  return seen;
}

/// 100 MB/s each way, so that rounding bytes to whole numbers has no effect.
SimSetup simulation_of(const Device& device) {
  TestPlatform platform;
  TestUnit unit{0.0, device.compute_s, 0.0, 1e8, 0.0, device.copy_engines, "SPLITDUPLEX"};
  unit.device = "card";
  platform.units.assign(device.units, unit);
  Workload workload;
  workload.kernel = "k";
  workload.items = 1000;
  workload.in_bytes_per_item = 1e8 * device.in_s;
  workload.out_bytes_per_item = 1e8 * device.out_s;
  SimSetup setup = sim_setup(platform, {workload});
  setup.scenario = device.scenario;
  return setup;
}

/// Expects the ends of the blocks, by id; -1: it does not end.
void expect_ends(const Device& device, const std::vector<Given>& blocks,
                 const std::vector<double>& ends_s) {
  const auto expect = [&](const char* world, const Seen& seen) {
    SCOPED_TRACE(world);
    std::vector<double> ends(blocks.size(), -1.0);
    for (const Finish& finish : seen.finishes) ends[finish.block] = finish.at_s;
    for (std::size_t i = 0; i < blocks.size(); ++i) EXPECT_NEAR(ends[i], ends_s[i], tolerance) << i;
  };
  expect("table", on_fake_executor(device, blocks));
  SimSetup setup = simulation_of(device);
  const Script script = [&](Executor& executor, Seen& seen) { hand_out(blocks, executor, seen); };
  expect("dates", simulate(setup, script));
  setup.activities_only = true;
  expect("activities", simulate(setup, script));
}

TEST(SharedDevice, CopiesForOneUnitAtATime) {
  // In 0-1 and 1-2, computations 1-3 and 2-4, out 3-4 and 4-5.
  expect_ends({}, {{0}, {1}}, {4, 5});
  // Nothing is copied in; computations 0-2 and 0-2, out 2-3 and 3-4.
  expect_ends({.in_s = 0.0}, {{0}, {1}}, {3, 4});
  // Copies of no bytes wait for nobody: in 0-1 and 1-2, computations 1-3 and 2-4.
  expect_ends({.out_s = 0.0}, {{0}, {1}}, {3, 4});
}

TEST(SharedDevice, CopiesFirstForTheUnitThatHasWaitedLongest) {
  // At 2, u0 has a second block to copy in, but u1 and u2 have waited since 0: in 0-2 for u0, 2-4
  // for u1, 4-6 for u2, 6-8 for u0. Nothing is copied out.
  expect_ends({.units = 3, .in_s = 2.0, .compute_s = 1.0, .out_s = 0.0}, {{0}, {0}, {1}, {2}},
              {3, 9, 5, 7});
}

TEST(SharedDevice, CopiesOutBeforeInIfBothHaveWaitedEquallyLong) {
  // In 0-1 for u0 (A), 1-3 for u1 (B, two items). At 3, A is computed, and C, the second block of
  // u1, can be copied in: out 3-4 (A), in 4-5 (C). B is computed 3-7, C 7-9; out 7-9 and 9-10.
  expect_ends({}, {{0}, {1, 2}, {1}}, {4, 9, 10});
}

TEST(SharedDevice, CopiesInBeforeOutIfThatHasWaitedLonger) {
  // In 0-1 (A of u0), 1-3 (B of u1, two items). At 3, A is computed, but E of u2 has waited since
  // 0: in 3-4, then out 4-5 (A). E is computed 4-6, out 6-7; B 3-7, out 7-9.
  expect_ends({.units = 3}, {{0}, {1, 2}, {2}}, {5, 9, 7});
}

TEST(SharedDevice, CopiesABlockOutBeforeAnotherOfTheSameUnitInIfItHasOneEngine) {
  // In 0-1 (A of u0), 1-3 (B of u1, two items). D, the second block of u0, waits since 1, and C of
  // u1 since 3. At 3, A is computed, and D waits for it: out 3-4 (A), in 4-5 (D), in 5-6 (C). D is
  // computed 5-7, B 3-7: out 7-8 (D), 8-10 (B). C is computed 7-9, out 10-11.
  expect_ends({}, {{0}, {1, 2}, {1}, {0}}, {4, 10, 11, 8});
}

TEST(SharedDevice, HasAnEngineForEachDirectionIfItHasTwo) {
  // In 0-1 (A of u0), 1-3 (B of u1), 3-4 (C of u1). A is computed 1-3, out 3-4; B 3-7, out 7-9; C
  // 7-9, out 9-10. On devices of their own, B would be in at 2.
  expect_ends({.copy_engines = 2}, {{0}, {1, 2}, {1}}, {4, 9, 10});
  // In 0-1, 1-2; out 3-4, 4-5 while two more go in 2-3, 3-4; computed 3-5, 4-6; out 5-6, 6-7.
  expect_ends({.copy_engines = 2}, {{0}, {1}, {0}, {1}}, {4, 5, 6, 7});
}

TEST(SharedDevice, IsFreeAgainWhenTheUnitIsLostForWhichItCopies) {
  Device device;
  device.scenario.events = {
      {.at = Seconds{0.5}, .kind = DisturbanceKind::fail, .target = "u0", .profile = {}}};
  // In 0.5-1.5 for u1, computed 1.5-3.5, out 3.5-4.5.
  expect_ends(device, {{0}, {1}}, {-1, 4.5});
  // u0 is lost while it waits: in 0-1 and 1-2 for u1, computed 1-3 and 3-5; out 3-4 and 5-6.
  device.scenario.events[0].target = "u1";
  expect_ends(device, {{0}, {1}, {0}}, {4, -1, 6});
}

TEST(SharedDevice, IsNotSharedByUnitsThatNameNone) {
  FakeUnit unit = affine_unit(0.0, 2.0);
  unit.in_s = unit.out_s = [](double items) { return items; };
  Seen seen;
  hand_out({{0}, {1}}, *make_fake_executor({{unit, unit}, {}, {}}), seen);
  ASSERT_EQ(seen.finishes.size(), 2u);
  EXPECT_NEAR(seen.finishes[1].at_s, 4.0, tolerance);
}

}  // namespace
}  // namespace equipoise::shared_device_test
