// Tests of blocks that overlap on a unit. The schedules were worked out by hand, and are checked on
// the fake executor and on the simulator, with dates computed in advance and with SimGrid
// activities.
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/solve/pipeline_schedule.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/sim_platforms.hpp"
#include "tests/support/simulate.hpp"

namespace equipoise::overlap_test {
namespace {

constexpr double tolerance = 1e-9;

/// Blocks that are handed out together to a unit with these stage times per item.
struct Queue {
  std::vector<Items> block_items;
  double in_s = 0.0;
  double compute_s = 0.0;
  double out_s = 0.0;
  int copy_engines = 1;
  std::optional<Items> memory_items{};
  std::vector<std::uint32_t> groups{};  ///< of the blocks; empty: none has one
};

void hand_out(const Queue& queue, Executor& executor, Seen& seen) {
  Items first = 0;
  for (std::size_t i = 0; i < queue.block_items.size(); ++i) {
    Block block{.id = i, .first = first, .items = queue.block_items[i]};
    if (!queue.groups.empty()) block.group = queue.groups[i];
    executor.start(block, {0});
    first += block.items;
  }
  take_finishes(executor, seen);
}

Seen on_fake_executor(const Queue& queue) {
  FakeUnit unit;
  const auto per_item = [](double time_s) { return [=](double items) { return time_s * items; }; };
  unit.in_s = per_item(queue.in_s);
  unit.compute_s = per_item(queue.compute_s);
  unit.out_s = per_item(queue.out_s);
  unit.copy_engines = queue.copy_engines;
  unit.memory_items = queue.memory_items.value_or(std::numeric_limits<Items>::max());
  Seen seen;
  hand_out(queue, *make_fake_executor({{unit}, {}, {}}), seen);
  return seen;
}

/// 100 MB/s each way, so that rounding bytes to whole numbers has no effect.
SimSetup simulation_of(const Queue& queue) {
  TestPlatform platform;
  platform.units = {{0.0, queue.compute_s, 0.0, 1e8, 0.0, queue.copy_engines, "SPLITDUPLEX"}};
  Workload workload;
  workload.kernel = "k";
  workload.items = 1000;
  workload.in_bytes_per_item = 1e8 * queue.in_s;
  workload.out_bytes_per_item = 1e8 * queue.out_s;
  if (queue.memory_items) {
    workload.memory_bytes_per_item = 10.0;
    workload.resident_bytes = 0.0;
    platform.units[0].memory_bytes = 10.0 * static_cast<double>(*queue.memory_items) + 9.0;
  }
  return sim_setup(platform, {workload});
}

/// Expects the ends of the blocks on the fake executor and on both kinds of simulation.
void expect_ends(const Queue& queue, const std::vector<double>& ends_s) {
  const auto expect = [&](const char* world, const Seen& seen) {
    SCOPED_TRACE(world);
    ASSERT_EQ(seen.finishes.size(), ends_s.size());
    for (std::size_t i = 0; i < ends_s.size(); ++i) {
      const Finish& finish = seen.finishes[i];
      const auto items = static_cast<double>(queue.block_items[i]);
      EXPECT_EQ(finish.block, i);
      EXPECT_NEAR(finish.at_s, ends_s[i], tolerance) << i;
      // Waiting times belong to no stage.
      EXPECT_NEAR(finish.in_s, queue.in_s * items, tolerance) << i;
      EXPECT_NEAR(finish.compute_s, queue.compute_s * items, tolerance) << i;
      EXPECT_NEAR(finish.out_s, queue.out_s * items, tolerance) << i;
    }
  };
  expect("table", on_fake_executor(queue));
  SimSetup setup = simulation_of(queue);
  const Script script = [&](Executor& executor, Seen& seen) { hand_out(queue, executor, seen); };
  expect("dates", simulate(setup, script));
  setup.activities_only = true;
  expect("activities", simulate(setup, script));
}

TEST(Overlap, CopiesTheNextBlockInWhileOneIsComputed) {
  // In 0-1, 1-2, 2-3; compute 1-4, 4-7, 7-10; out takes no time.
  expect_ends({{1, 1, 1}, 1, 3, 0}, {4, 7, 10});
}

TEST(Overlap, CopiesOutBeforeItCopiesInWhenItsOneEngineGetsFree) {
  // In 0-1, 1-2. At 2 the first block is computed: out 2-3, 3-4. Then in 4-5, compute 5-6, out 6-7.
  expect_ends({{1, 1, 1}, 1, 1, 1}, {3, 4, 7});
}

TEST(Overlap, CopiesInAndOutAtATimeWithTwoEngines) {
  // In 0-1, 1-2, 2-3; compute 1-2, 2-3, 3-4; out 2-3, 3-4, 4-5.
  expect_ends({{1, 1, 1}, 1, 1, 1, 2}, {3, 4, 5});
  // In 0-2, 2-4, 4-6; compute 2-3, 4-5, 6-7; out 3-5, 5-7, 7-9. With one engine: in 0-2, 2-4; out
  // 4-6, 6-8; in 8-10; compute 10-11; out 11-13.
  expect_ends({{1, 1, 1}, 2, 1, 2, 2}, {5, 7, 9});
  expect_ends({{1, 1, 1}, 2, 1, 2, 1}, {6, 8, 13});
}

TEST(Overlap, IsNotThereOnAUnitThatCopiesByItself) {
  // The blocks run one after another: 2 + 1 + 2 each.
  expect_ends({{1, 1, 1}, 2, 1, 2, 0}, {5, 10, 15});
}

TEST(Overlap, NeedsNoEngineToMoveNothing) {
  // In 0-2, 2-4. The first block is computed at 3 and has no output, so it ends while the engine
  // copies in.
  expect_ends({{1, 1}, 2, 1, 0}, {3, 5});
  // Without input, the second block is computed 1-2, while the first is copied out 1-3.
  expect_ends({{1, 1}, 0, 1, 2}, {3, 5});
}

TEST(Overlap, WaitsForMemoryUntilABlockIsOut) {
  // Two engines and memory for two blocks: in 0-1, 1-2. The third block begins when the first is
  // out, at 3, and the fourth when the second is out, at 4. With unlimited memory the ends are 3,
  // 4, 5, 6.
  const Queue queue{{2, 2, 2, 2}, 0.5, 0.5, 0.5, 2, 4};
  expect_ends(queue, {3, 4, 6, 7});
  Queue unlimited = queue;
  unlimited.memory_items.reset();
  expect_ends(unlimited, {3, 4, 5, 6});
}

TEST(Overlap, HoldsTheMemoryOfAGroupUntilItsLastBlockIsOut) {
  // The second group is copied in from 4 on, when the whole first group is out.
  expect_ends({{2, 2, 2, 2}, 0.5, 0.5, 0.5, 2, 4, {1, 1, 2, 2}}, {3, 4, 7, 8});
}

TEST(Overlap, LetsGoOfAGroupsMemoryRatherThanWaitForever) {
  // The group does not fit into memory. Its third block begins when no block is in flight, at 4.
  expect_ends({{2, 2, 2}, 0.5, 0.5, 0.5, 2, 4, {1, 1, 1}}, {3, 4, 7});
  // The second block does not fit behind the first, whose group is not complete. The third waits
  // for the second.
  expect_ends({{2, 4, 2}, 0.5, 0.5, 0.5, 2, 4, {1, 0, 1}}, {3, 9, 12});
}

TEST(Overlap, RunsTheListsOfTheHierarchicalPaper) {
  // Copies in and out take 0.54 and 0.44 of computing; the lists are from three nodes. The last
  // ends:
  // 19 x 0.54 + (19 + 35 + 15) + a wait of 0.4 for the second copy out + 15 x 0.44 = 86.26;
  // 20 x 0.54 + 86 + 0.44 = 97.24; 22 x 0.54 + 96 + 0.14 of waits + 0.44 = 108.46.
  const auto last_s = [](const std::vector<Items>& list, int engines) {
    const Queue queue{list, 0.54, 1.0, 0.44, engines};
    const double end_s = on_fake_executor(queue).finishes.back().at_s;
    SimSetup setup = simulation_of(queue);
    const Seen seen =
        simulate(setup, [&](Executor& executor, Seen& out) { hand_out(queue, executor, out); });
    EXPECT_NEAR(seen.finishes.back().at_s, end_s, tolerance);
    return end_s;
  };
  EXPECT_NEAR(last_s({19, 35, 15}, 1), 86.26, tolerance);
  EXPECT_NEAR(last_s({20, 37, 16, 7, 3, 2, 1}, 1), 97.24, tolerance);
  EXPECT_NEAR(last_s({22, 41, 18, 8, 4, 2, 1}, 1), 108.46, tolerance);
  // With two engines the last list has the same wait: its second copy in ends at 34.02, 0.14 after
  // the first block is computed. The other lists only wait for copies out.
  EXPECT_NEAR(last_s({19, 35, 15}, 2), 86.26, tolerance);
  EXPECT_NEAR(last_s({20, 37, 16, 7, 3, 2, 1}, 2), 97.24, tolerance);
  EXPECT_NEAR(last_s({22, 41, 18, 8, 4, 2, 1}, 2), 108.46, tolerance);
}

TEST(Overlap, TakesTheTimeThatPlannersOfGroupsExpect) {
  const std::uint32_t seed = random_seed();
  SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed));
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(0.0, 1.0);
  for (int round = 0; round < 200; ++round) {
    Queue queue{{}, any(random), any(random), any(random), 1 + round % 2};
    std::vector<StageTimes> times;
    for (std::size_t blocks = 1 + random() % 12; blocks > 0; --blocks) {
      queue.block_items.push_back(static_cast<Items>(1 + random() % 50));
      const auto items = static_cast<double>(queue.block_items.back());
      times.push_back({{}, {queue.in_s * items}, {queue.compute_s * items}, {queue.out_s * items}});
    }
    EXPECT_NEAR(on_fake_executor(queue).finishes.back().at_s,
                pipeline_time(times, queue.copy_engines).value, tolerance);
  }
}

TEST(Overlap, SharesALinkThatBothWaysOfAUnitUse) {
  // Each copy takes 1 s alone. In 0-1, 1-2. From 2 to 4 the third block is copied in and the first
  // out, each at half the bandwidth. The second is copied out 4-5. The third is computed 4-5 and
  // copied out 5-6.
  TestPlatform platform;
  platform.units = {{0.0, 1.0, 0.0, 1e6, 0.0, 2}};
  Workload workload;
  workload.kernel = "k";
  workload.items = 3;
  workload.in_bytes_per_item = workload.out_bytes_per_item = 1e6;
  for (const bool activities_only : {false, true}) {
    SimSetup setup = sim_setup(platform, {workload});
    setup.activities_only = activities_only;
    const Queue queue{{1, 1, 1}};
    const Seen seen =
        simulate(setup, [&](Executor& executor, Seen& out) { hand_out(queue, executor, out); });
    ASSERT_EQ(seen.finishes.size(), 3U);
    EXPECT_NEAR(seen.finishes[0].at_s, 4.0, tolerance);
    EXPECT_NEAR(seen.finishes[0].out_s, 2.0, tolerance);
    EXPECT_NEAR(seen.finishes[1].at_s, 5.0, tolerance);
    EXPECT_NEAR(seen.finishes[2].at_s, 6.0, tolerance);
    EXPECT_NEAR(seen.finishes[2].in_s, 2.0, tolerance);
  }
}

TEST(Overlap, BeginsABlockThatComesInTheMiddleOfAnother) {
  // The first block is computed 1-4. The second is handed out at 2.5 and copied in until 3.5. The
  // third is handed out at 3.75 and copied in until 4.75, before the first is copied out,
  // 4.75-5.75. Computing 4-7, 7-10; copies out 7-8, 10-11.
  const Script script = [](Executor& executor, Seen& out) {
    executor.start({.id = 0, .items = 1}, {0});
    take_finishes(executor, out, {2.5});
    executor.start({.id = 1, .items = 1}, {0});
    take_finishes(executor, out, {3.75});
    executor.start({.id = 2, .items = 1}, {0});
    take_finishes(executor, out);
  };
  SimSetup setup = simulation_of({{}, 1, 3, 1});
  for (const bool activities_only : {false, true}) {
    setup.activities_only = activities_only;
    const Seen seen = simulate(setup, script);
    ASSERT_EQ(seen.finishes.size(), 3U);
    EXPECT_NEAR(seen.finishes[0].at_s, 5.75, tolerance);
    EXPECT_NEAR(seen.finishes[1].at_s, 8.0, tolerance);
    EXPECT_NEAR(seen.finishes[2].at_s, 11.0, tolerance);
  }
}

}  // namespace
}  // namespace equipoise::overlap_test
