// Tests of units that copy with their own cores (their copies slow down with the unit), and of
// merges.
#include <gtest/gtest.h>

#include "tests/support/disturb.hpp"
#include "tests/support/scripted.hpp"
#include "tests/support/sim_platforms.hpp"
#include "tests/support/simulate.hpp"

namespace equipoise::own_copies_test {
namespace {

constexpr double tolerance = 1e-9;

/// One unit that takes 1 s in, 2 s to compute and 1 s out per item.
SimSetup simulation(int copy_engines) {
  TestPlatform platform;
  platform.units = {{0.0, 2.0, 0.0, 1e6, 0.0, copy_engines}};
  Workload workload = items_of(1000);
  workload.in_bytes_per_item = 1e6;
  workload.out_bytes_per_item = 1e6;
  return sim_setup(platform, {workload});
}

/// The ends of a block of one item and of a block of two items behind it.
std::vector<double> ends_s(const SimSetup& setup) {
  const Seen seen = simulate(setup, [](Executor& executor, Seen& seen_here) {
    executor.start({.id = 0, .first = 0, .items = 1}, {0});
    executor.start({.id = 1, .first = 1, .items = 2}, {0});
    take_finishes(executor, seen_here);
  });
  std::vector<double> ends;
  for (const Finish& finish : seen.finishes) ends.push_back(finish.at_s);
  return ends;
}

void expect_ends(const SimSetup& setup, double first_s, double second_s) {
  const std::vector<double> ends = ends_s(setup);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_NEAR(ends[0], first_s, tolerance);
  EXPECT_NEAR(ends[1], second_s, tolerance);
}

TEST(OwnCopies, AreSlowedWithTheUnit) {
  SimSetup setup = simulation(0);
  expect_ends(setup, 4.0, 12.0);
  setup.scenario.events = {disturb(DisturbanceKind::compete, "u0", 0, 0.5)};
  expect_ends(setup, 8.0, 24.0);
  // With an engine: in 0-1 and 1-3, compute 1-5 and 5-13, out 5-6 and 13-15.
  SimSetup with_engine = simulation(1);
  with_engine.scenario = setup.scenario;
  expect_ends(with_engine, 6.0, 15.0);
}

TEST(Merge, TakesTheMasterBetweenTheIterationsOfAPhase) {
  SimSetup setup = simulation(0);
  setup.phases[0].iterations = 2;
  setup.phases.push_back(setup.phases[0]);
  setup.timing.push_back(setup.timing[0]);
  setup.costs = {{Seconds{}, Seconds{}, Seconds{0.5}}, {Seconds{}, Seconds{}, Seconds{9.0}}};
  const Seen seen = simulate(setup, [](Executor& executor, Seen& seen_here) {
    const auto block = [](std::uint64_t id, int phase, int iteration) {
      return Block{.id = id, .items = 1, .phase = phase, .iteration = iteration};
    };
    const std::vector<Block> blocks = {block(0, 0, 0), block(1, 0, 1), block(2, 1, 0)};
    for (const Block& next : blocks) {
      seen_here.numbers.push_back(executor.begin_iteration(next.phase, next.iteration).value);
      seen_here.numbers.push_back(executor.start(next, {0}).value);
      seen_here.numbers.push_back(executor.next(Seconds::infinity())->at.value);
    }
  });
  // 4 s per block. The merge comes before the second iteration; another phase begins without one.
  const std::vector<double> expected = {0.0, 0.0, 4.0, 4.5, 4.5, 8.5, 8.5, 8.5, 12.5};
  ASSERT_EQ(seen.numbers.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(seen.numbers[i], expected[i], tolerance) << i;
  }
}

}  // namespace
}  // namespace equipoise::own_copies_test
