// Blocks that overlap on a unit: schedules worked out by hand, on the table and on the simulator,
// by dates and by activities.
#include <gtest/gtest.h>

#include <limits>
#include <memory>
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

/// Blocks that are all handed at once to a unit whose stages take so long an item.
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

Seen on_the_table(const Queue& queue) {
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

/// 100 MB/s each way, so that the rounding of bytes to whole ones does not show.
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

/// When the blocks end, in every world.
void expect_ends(const Queue& queue, const std::vector<double>& ends_s) {
  const auto expect = [&](const char* world, const Seen& seen) {
    SCOPED_TRACE(world);
    ASSERT_EQ(seen.finishes.size(), ends_s.size());
    for (std::size_t i = 0; i < ends_s.size(); ++i) {
      const Finish& finish = seen.finishes[i];
      const auto items = static_cast<double>(queue.block_items[i]);
      EXPECT_EQ(finish.block, i);
      EXPECT_NEAR(finish.at_s, ends_s[i], tolerance) << i;
      // Waiting is in no stage.
      EXPECT_NEAR(finish.in_s, queue.in_s * items, tolerance) << i;
      EXPECT_NEAR(finish.compute_s, queue.compute_s * items, tolerance) << i;
      EXPECT_NEAR(finish.out_s, queue.out_s * items, tolerance) << i;
    }
  };
  expect("table", on_the_table(queue));
  SimSetup setup = simulation_of(queue);
  const Script script = [&](Executor& executor, Seen& seen) { hand_out(queue, executor, seen); };
  expect("dates", simulate(setup, script));
  setup.activities_only = true;
  expect("activities", simulate(setup, script));
}

TEST(Overlap, CopiesTheNextBlockInWhileOneIsComputed) {
  // in 0-1, 1-2, 2-3; compute 1-4, 4-7, 7-10; out takes nothing.
  expect_ends({{1, 1, 1}, 1, 3, 0}, {4, 7, 10});
}

TEST(Overlap, CopiesOutBeforeItCopiesInWhenItsOneEngineGetsFree) {
  // in 0-1, 1-2; at 2 the first is computed: out 2-3, 3-4; in 4-5; compute 5-6; out 6-7.
  expect_ends({{1, 1, 1}, 1, 1, 1}, {3, 4, 7});
}

TEST(Overlap, CopiesInAndOutAtATimeWithTwoEngines) {
  // in 0-1, 1-2, 2-3; compute 1-2, 2-3, 3-4; out 2-3, 3-4, 4-5.
  expect_ends({{1, 1, 1}, 1, 1, 1, 2}, {3, 4, 5});
  // in 0-2, 2-4, 4-6; compute 2-3, 4-5, 6-7; out 3-5, 5-7, 7-9. With one engine: in 0-2, 2-4; out
  // 4-6, 6-8; in 8-10; compute 10-11; out 11-13.
  expect_ends({{1, 1, 1}, 2, 1, 2, 2}, {5, 7, 9});
  expect_ends({{1, 1, 1}, 2, 1, 2, 1}, {6, 8, 13});
}

TEST(Overlap, IsNotThereOnAUnitThatCopiesByItself) {
  // One block after another: 2 + 1 + 2 each.
  expect_ends({{1, 1, 1}, 2, 1, 2, 0}, {5, 10, 15});
}

TEST(Overlap, NeedsNoEngineToMoveNothing) {
  // in 0-2, 2-4; the first is computed at 3 and done, while the engine copies in.
  expect_ends({{1, 1}, 2, 1, 0}, {3, 5});
  // Nothing in: the second is computed 1-2, while the first goes out 1-3.
  expect_ends({{1, 1}, 0, 1, 2}, {3, 5});
}

TEST(Overlap, WaitsForMemoryUntilABlockIsOut) {
  // Two engines, memory for two blocks: in 0-1, 1-2; the third when the first is out, at 3; the
  // fourth when the second is, at 4. Unlimited: 3, 4, 5, 6.
  const Queue queue{{2, 2, 2, 2}, 0.5, 0.5, 0.5, 2, 4};
  expect_ends(queue, {3, 4, 6, 7});
  Queue unlimited = queue;
  unlimited.memory_items.reset();
  expect_ends(unlimited, {3, 4, 5, 6});
}

TEST(Overlap, HoldsTheMemoryOfAGroupUntilItsLastBlockIsOut) {
  // The second group is copied in from 4 on, when the first is out.
  expect_ends({{2, 2, 2, 2}, 0.5, 0.5, 0.5, 2, 4, {1, 1, 2, 2}}, {3, 4, 7, 8});
}

TEST(Overlap, LetsGoOfAGroupsMemoryRatherThanWaitForever) {
  // The group does not fit: its third block begins when nothing is in flight, at 4.
  expect_ends({{2, 2, 2}, 0.5, 0.5, 0.5, 2, 4, {1, 1, 1}}, {3, 4, 7});
  // Nor does the second behind the first, whose group is not over; the third waits for the second.
  expect_ends({{2, 4, 2}, 0.5, 0.5, 0.5, 2, 4, {1, 0, 1}}, {3, 9, 12});
}

TEST(Overlap, RunsTheListsOfTheHierarchicalPaper) {
  // Copies in of 0.54 and out of 0.44 of the computing, the lists of three nodes. The last ends:
  // 19 x 0.54 + (19 + 35 + 15) + a wait of 0.4 for the second copy out + 15 x 0.44 = 86.26;
  // 20 x 0.54 + 86 + 0.44 = 97.24; 22 x 0.54 + 96 + 0.14 of waits + 0.44 = 108.46.
  const auto last_s = [](const std::vector<Items>& list, int engines) {
    const Queue queue{list, 0.54, 1.0, 0.44, engines};
    const double end_s = on_the_table(queue).finishes.back().at_s;
    SimSetup setup = simulation_of(queue);
    const Seen seen =
        simulate(setup, [&](Executor& executor, Seen& out) { hand_out(queue, executor, out); });
    EXPECT_NEAR(seen.finishes.back().at_s, end_s, tolerance);
    return end_s;
  };
  EXPECT_NEAR(last_s({19, 35, 15}, 1), 86.26, tolerance);
  EXPECT_NEAR(last_s({20, 37, 16, 7, 3, 2, 1}, 1), 97.24, tolerance);
  EXPECT_NEAR(last_s({22, 41, 18, 8, 4, 2, 1}, 1), 108.46, tolerance);
  // Two engines: the second copy in of the last list ends at 34.02, 0.14 after the first block is
  // computed, whatever the engines; the other lists wait for nothing but copies out.
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
      times.push_back({{queue.in_s * items}, {queue.compute_s * items}, {queue.out_s * items}});
    }
    EXPECT_NEAR(on_the_table(queue).finishes.back().at_s,
                pipeline_time(times, queue.copy_engines).value, tolerance);
  }
}

TEST(Overlap, SharesALinkThatBothWaysOfAUnitUse) {
  // 1 s alone each way. in 0-1, 1-2; from 2 on the third goes in and the first out at half the
  // bandwidth, to 4; the second out 4-5, the third, computed 4-5, out 5-6.
  TestPlatform platform;
  platform.units = {{0.0, 1.0, 0.0, 1e6, 0.0, 2}};
  Workload workload;
  workload.kernel = "k";
  workload.items = 3;
  workload.in_bytes_per_item = workload.out_bytes_per_item = 1e6;
  for (const bool activities_only : {false, true}) {
    SimSetup setup = sim_setup(platform, {workload});
    setup.activities_only = activities_only;
    const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
      hand_out({{1, 1, 1}}, executor, out);
    });
    ASSERT_EQ(seen.finishes.size(), 3U);
    EXPECT_NEAR(seen.finishes[0].at_s, 4.0, tolerance);
    EXPECT_NEAR(seen.finishes[0].out_s, 2.0, tolerance);
    EXPECT_NEAR(seen.finishes[1].at_s, 5.0, tolerance);
    EXPECT_NEAR(seen.finishes[2].at_s, 6.0, tolerance);
    EXPECT_NEAR(seen.finishes[2].in_s, 2.0, tolerance);
  }
}

TEST(Overlap, BeginsABlockThatComesInTheMiddleOfAnother) {
  // The first is computed 1-4. The second comes at 2.5 and is in at 3.5; the third comes at 3.75
  // and is in at 4.75, before the first is out, 4.75-5.75. Computed 4-7, 7-10; out 7-8, 10-11.
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
