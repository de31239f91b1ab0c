// Tests of a controller that has work with every report and block: schedules worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "sim/sim_executor.hpp"
#include "tests/support/sim_platforms.hpp"
#include "tests/support/simulate.hpp"

namespace equipoise::controller_test {
namespace {

constexpr double tolerance = 1e-12;

Workload workload(Items items, double in_bytes = 0.0, double out_bytes = 0.0) {
  Workload workload;
  workload.kernel = "k";
  workload.items = items;
  workload.in_bytes_per_item = in_bytes;
  workload.out_bytes_per_item = out_bytes;
  return workload;
}

/// Units that take 0.1 ms per item, and a controller that needs 0.4 ms for a report and 0.5 ms for
/// a block.
SimSetup busy_controller(std::size_t units, const Workload& work, Seconds dispatch) {
  TestPlatform platform;
  platform.units.assign(units, {0.0, 1e-4});
  SimSetup setup = sim_setup(platform, {work});
  setup.costs[0].dispatch = dispatch;
  setup.costs[0].controller = {Seconds{0.4e-3}, Seconds{0.5e-3}};
  return setup;
}

Block block(std::uint64_t id, Items items) {
  Block block;
  block.id = id;
  block.items = items;
  return block;
}

TEST(BusyController, TakesItsPartOfTheDispatchAndTheReportOnTop) {
  const SimSetup setup = busy_controller(1, workload(10), Seconds{1.5e-3});
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    // Handed out until 0.5 ms, under way until 1.5 ms, computed until 2.5 ms, reported at 2.9 ms.
    out.numbers.push_back(executor.start(block(0, 10), {0}).value);
    out.numbers.push_back(executor.now().value);
    take_finishes(executor, out);
    out.numbers.push_back(executor.now().value);
    // 1.5 ms later it begins.
    out.numbers.push_back(executor.start(block(1, 10), {0}).value);
    take_finishes(executor, out);
  });
  ASSERT_EQ(seen.finishes.size(), 2U);
  EXPECT_NEAR(seen.finishes[0].at_s, 2.5e-3, tolerance);
  EXPECT_NEAR(seen.finishes[1].at_s, 5.4e-3, tolerance);
  EXPECT_EQ(seen.numbers[0], 0.0);
  EXPECT_NEAR(seen.numbers[1], 0.5e-3, tolerance);
  EXPECT_NEAR(seen.numbers[2], 2.9e-3, tolerance);
  EXPECT_NEAR(seen.numbers[3], 2.9e-3, tolerance);
}

TEST(BusyController, ThatNeedsLongerThanTheDispatchLeavesNoTimeUnderWay) {
  const SimSetup setup = busy_controller(1, workload(10), Seconds{0.1e-3});
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    executor.start(block(0, 10), {0});
    take_finishes(executor, out);
  });
  ASSERT_EQ(seen.finishes.size(), 1U);
  EXPECT_NEAR(seen.finishes[0].at_s, 1.5e-3, tolerance);
}

TEST(BusyController, LetsAReportWaitForTheOneBefore) {
  const SimSetup setup = busy_controller(2, workload(100), Seconds{0.5e-3});
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    executor.start(block(0, 20), {0});                               // from 0.5 to 2.5 ms
    out.numbers.push_back(executor.start(block(1, 16), {1}).value);  // from 1.0 to 2.6 ms
    const auto take = [&] {
      const std::optional<Event> event = executor.next(Seconds::infinity());
      out.numbers.push_back(event ? event->at.value : -1.0);
      out.numbers.push_back(executor.now().value);
    };
    take();
    take();
  });
  ASSERT_EQ(seen.numbers.size(), 5U);
  EXPECT_NEAR(seen.numbers[0], 0.5e-3, tolerance);
  EXPECT_NEAR(seen.numbers[1], 2.5e-3, tolerance);
  EXPECT_NEAR(seen.numbers[2], 2.9e-3, tolerance);
  EXPECT_NEAR(seen.numbers[3], 2.6e-3, tolerance);
  EXPECT_NEAR(seen.numbers[4], 3.3e-3, tolerance);
}

TEST(BusyController, LetsTheUnitOnItsCoreStandStillMeanwhile) {
  SimSetup setup = busy_controller(2, workload(100), Seconds{0.5e-3});
  setup.costs[0].shares_core = UnitId{1};
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    executor.start(block(0, 20), {0});  // from 0.5 to 2.5 ms
    executor.start(block(1, 16), {1});  // from 1.0 ms, and not from 2.5 to 2.9 ms
    take_finishes(executor, out);
    out.numbers.push_back(executor.now().value);
  });
  ASSERT_EQ(seen.finishes.size(), 2U);
  EXPECT_NEAR(seen.finishes[0].at_s, 2.5e-3, tolerance);
  EXPECT_NEAR(seen.finishes[1].at_s, 3.0e-3, tolerance);
  EXPECT_NEAR(seen.numbers[0], 3.4e-3, tolerance);
}

TEST(BusyController, LetsTheComputationOfAnAcceleratorOnItsCoreStandStill) {
  SimSetup setup = busy_controller(2, workload(100), Seconds{0.5e-3});
  setup.platform.units[1].unit.copy_engines = 2;
  setup.costs[0].shares_core = UnitId{1};
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    executor.start(block(0, 20), {0});  // from 0.5 to 2.5 ms
    executor.start(block(1, 16), {1});  // from 1.0 ms, and not from 2.5 to 2.9 ms
    take_finishes(executor, out);
  });
  ASSERT_EQ(seen.finishes.size(), 2U);
  EXPECT_NEAR(seen.finishes[1].at_s, 3.0e-3, tolerance);
}

/// 3,000 blocks of 0.1 s for 1,000 units. The first of each unit are handed out in 0.6 s. From then
/// on the controller takes a report and hands out a block every millisecond, and reports wait all
/// the time. The last of 2,000 blocks is handed out until 2.6 s and ends at 2.7 s.
TEST(BusyController, CannotFeedAThousandUnits) {
  TestPlatform platform;
  platform.units.assign(1000, {0.0, 0.1});
  SimSetup setup = sim_setup(platform, {workload(3000)});
  setup.costs[0].controller = {Seconds{0.4e-3}, Seconds{0.6e-3}};
  const std::vector<Items> items(1000, 1);
  FakeSetup fake{.units = std::vector<FakeUnit>(1000, affine_unit(0.0, 0.1)), .dispatch = {}};
  fake.controller = setup.costs[0].controller;
  const auto last_end_s = [](const Seen& seen) {
    return std::ranges::max(seen.finishes, {}, &Finish::at_s).at_s;
  };
  EXPECT_NEAR(last_end_s(simulate_blocks(setup, items)), 2.7, 1e-9);
  EXPECT_NEAR(last_end_s(run_blocks(*make_fake_executor(fake), run_of(setup), items)), 2.7, 1e-9);
  setup.costs[0].controller = {};
  EXPECT_NEAR(last_end_s(simulate_blocks(setup, items)), 0.3, 1e-9);
}

TEST(BusyController, CopiesBytesAfterItHasHandedOutTheBlock) {
  TestPlatform platform;
  platform.units.assign(2, {0.0, 1e-3, 0.0, 1e6, 1e-5});
  SimSetup setup = sim_setup(platform, {workload(20, 1000, 100)});
  setup.costs[0].controller = {Seconds{}, Seconds{1e-3}, 1e-7};
  const auto run = [&setup] {
    return simulate(setup, [](Executor& executor, Seen& out) {
      executor.start(block(0, 10), {0});
      out.numbers.push_back(executor.start(block(1, 10), {1}).value);
      take_finishes(executor, out);
    });
  };
  // 10,000 bytes in and 1,000 out: 1.1 ms for the controller, 10.01 and 1.01 ms on the link.
  const Seen seen = run();
  ASSERT_EQ(seen.finishes.size(), 2U);
  EXPECT_NEAR(seen.numbers[0], 2.1e-3, tolerance);
  EXPECT_NEAR(seen.finishes[0].at_s, 1e-3 + 21.02e-3, tolerance);
  EXPECT_NEAR(seen.finishes[1].at_s, 3.1e-3 + 21.02e-3, tolerance);
  // Units that copy by themselves keep nobody busy.
  for (PlatformUnit& unit : setup.platform.units) unit.unit.copy_engines = 0;
  EXPECT_NEAR(run().numbers[0], 1e-3, tolerance);
}

TEST(BusyController, HasWorkWithProbes) {
  TestPlatform platform;
  platform.units = {{0.0, 1e-3, 0.0, 1e6, 1e-5}};
  SimSetup setup = sim_setup(platform, {workload(10)});
  setup.costs[0].controller = {Seconds{0.4e-3}, Seconds{0.5e-3}};
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    out.numbers.push_back(executor.probe({0, 0, 1000.0, std::nullopt}, {0}).value);
    const std::optional<Event> event = executor.next(Seconds::infinity());
    out.numbers.push_back(event ? event->at.value : -1.0);
    out.numbers.push_back(executor.now().value);
  });
  EXPECT_EQ(seen.numbers[0], 0.0);
  EXPECT_NEAR(seen.numbers[1], 0.5e-3 + 1.01e-3, tolerance);
  EXPECT_NEAR(seen.numbers[2], 0.5e-3 + 1.01e-3 + 0.4e-3, tolerance);
}

/// The unit is lost at 0.2 ms, while the controller hands its block out.
TEST(BusyController, HandsNothingToAUnitThatIsLostMeanwhile) {
  SimSetup setup = busy_controller(1, workload(10), Seconds{});
  Disturbance& loss = setup.scenario.events.emplace_back();
  loss.at = Seconds{0.2e-3};
  loss.kind = DisturbanceKind::fail;
  loss.target = "u0";
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    executor.start(block(0, 10), {0});
    const std::optional<Event> lost = executor.next(Seconds::infinity());
    out.numbers.push_back(lost && std::holds_alternative<UnitLost>(lost->what) ? lost->at.value
                                                                               : -1.0);
    out.numbers.push_back(executor.next(Seconds{1.0}) ? 1.0 : 0.0);
  });
  EXPECT_NEAR(seen.numbers[0], 0.2e-3, tolerance);
  EXPECT_EQ(seen.numbers[1], 0.0);
}

}  // namespace
}  // namespace equipoise::controller_test
