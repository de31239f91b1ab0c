// Tests of disturbed runs. The schedules were worked out by hand, and are checked on the fake
// executor and on the simulator, with dates computed in advance and with SimGrid activities. Also
// runs every policy on random scenarios.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/contract/random_machine.hpp"
#include "shared_policies/fit/timing_curve.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "sim/child_process.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/scripted.hpp"
#include "tests/support/sim_platforms.hpp"
#include "tests/support/simulate.hpp"

namespace equipoise::scenario_test {
namespace {

constexpr double tolerance = 1e-9;
constexpr double bytes_per_item = 1e6;

/// Units that take 1 s in, 2 s to compute and 1 s out per item, on private links link0, link1, ...
struct Machine {
  std::size_t units = 1;
  double latency_s = 0.0;
  double resident_s = 0.0;  ///< the setup of a unit's first block, without the latency
  Distribution distribution = Distribution::master;
  std::vector<Disturbance> events{};
};

Workload workload_of(const Machine& machine, Items items = 1000) {
  Workload workload = items_of(items);
  workload.in_bytes_per_item = bytes_per_item;
  workload.out_bytes_per_item = bytes_per_item;
  workload.resident_bytes = machine.resident_s * bytes_per_item;
  workload.distribution = machine.distribution;
  return workload;
}

SimSetup simulation_of(const Machine& machine, Items items = 1000) {
  TestPlatform platform;
  platform.units.assign(machine.units, {0.0, 2.0, 0.0, bytes_per_item, machine.latency_s});
  SimSetup setup = sim_setup(platform, {workload_of(machine, items)});
  setup.scenario.events = machine.events;
  return setup;
}

FakeSetup fake_setup_of(const Machine& machine) {
  FakeSetup fake;
  for (std::size_t i = 0; i < machine.units; ++i) {
    FakeUnit unit = affine_unit(0.0, 2.0);
    unit.in_s = unit.out_s = [=](double items) { return machine.latency_s + items; };
    unit.in = unit.out = {"link" + std::to_string(i), machine.latency_s};
    if (machine.resident_s > 0.0) unit.resident_s = machine.latency_s + machine.resident_s;
    unit.is_replicated = machine.distribution == Distribution::replicated;
    fake.units.push_back(unit);
  }
  fake.scenario.events = machine.events;
  return fake;
}

/// An event of an executor. `at_s` is the time of the event.
struct Happened {
  char what = 'f';  ///< finished, lost or joined
  std::uint32_t unit = 0;
  double at_s = 0.0;
};

void note(Seen& seen, const Event& event) {
  if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
    seen.numbers.insert(seen.numbers.end(), {'f', 1.0 * finished->unit.index, event.at.value});
  } else if (const auto* lost = std::get_if<UnitLost>(&event.what)) {
    seen.numbers.insert(seen.numbers.end(), {'l', 1.0 * lost->unit.index, event.at.value});
  } else {
    const auto& joined = std::get<UnitJoined>(event.what);
    seen.numbers.insert(seen.numbers.end(), {'j', 1.0 * joined.unit.index, event.at.value});
  }
}

/// Takes all events until no more can happen.
void take_all(Executor& executor, Seen& seen) {
  while (const auto event = executor.next(Seconds::infinity())) note(seen, *event);
}

/// Expects these events from `script` on the fake executor and on both kinds of simulation.
void expect_events(const Machine& machine, const Script& script,
                   const std::vector<Happened>& expected) {
  const auto expect = [&](const char* world, const Seen& seen) {
    SCOPED_TRACE(world);
    ASSERT_EQ(seen.numbers.size(), 3 * expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(seen.numbers[3 * i], expected[i].what) << i;
      EXPECT_EQ(seen.numbers[3 * i + 1], expected[i].unit) << i;
      EXPECT_NEAR(seen.numbers[3 * i + 2], expected[i].at_s, tolerance) << i;
    }
  };
  Seen seen;
  script(*make_fake_executor(fake_setup_of(machine)), seen);
  expect("table", seen);
  SimSetup setup = simulation_of(machine);
  expect("dates", simulate(setup, script));
  setup.activities_only = true;
  expect("activities", simulate(setup, script));
}

Block block(std::uint64_t id, Items items = 1) {
  Block block;
  block.id = id;
  block.items = items;
  return block;
}

/// Hands a block of one item to unit 0.
void one_block(Executor& executor, Seen& seen) {
  executor.start(block(0), {0});
  take_all(executor, seen);
}

void expect_end(const Machine& machine, double end_s) {
  expect_events(machine, one_block, {{'f', 0, end_s}});
}

TEST(Scenario, SharesAUnitWithACompetitor) {
  // In 0-1. 1 s of computing by 2, the other second at half the speed by 4. Out 4-5.
  expect_end({.events = {disturb(DisturbanceKind::compete, "u0", 2.0, 0.5)}}, 5.0);
  // The competitor leaves at 3, so half a second more is done by then.
  expect_end({.events = {disturb(DisturbanceKind::compete, "u0", 2.0, 0.5, Seconds{3.0})}}, 4.5);
}

TEST(Scenario, SlowsAUnit) {
  // The second half of computing takes 3 s, from 2 to 5.
  expect_end({.events = {disturb(DisturbanceKind::slow, "u0", 2.0, 3.0)}}, 6.0);
  // Two disturbances: 2 s of computing at a quarter of the speed, from 1 to 9.
  expect_end({.events = {disturb(DisturbanceKind::slow, "u0", 1.0, 2.0),
                         disturb(DisturbanceKind::compete, "u0", 0.0, 0.5)}},
             10.0);
  // A slowed unit slows neither other units nor copies.
  expect_end({.units = 2, .events = {disturb(DisturbanceKind::slow, "u1", 0.0, 3.0)}}, 4.0);
}

TEST(Scenario, FollowsAProfileOfSpeed) {
  Disturbance profile = disturb(DisturbanceKind::profile, "u0", 1.0);
  profile.profile = {{Seconds{0.0}, 0.5}, {Seconds{2.0}, 2.0}};
  // 1 s of computing by 3, the other second at twice the speed by 3.5.
  expect_end({.events = {profile}}, 4.5);
}

TEST(Scenario, ChangesTheBandwidthOfALink) {
  // Half of the copy in by 0.5, the rest at half the bandwidth by 1.5. Computed by 3.5, out by 5.5.
  expect_end({.events = {disturb(DisturbanceKind::bandwidth, "link0", 0.5, 0.5)}}, 5.5);
  // Half of the copy in by 0.5, the rest at twice the bandwidth by 0.75. Computed by 2.75.
  expect_end({.events = {disturb(DisturbanceKind::bandwidth, "link0", 0.5, 2.0)}}, 3.25);
  // The latency of 0.25 s does not change: in by 0.25 + 2, computed by 4.25, out by 4.25 + 2.25.
  expect_end(
      {.latency_s = 0.25, .events = {disturb(DisturbanceKind::bandwidth, "link0", 0.125, 0.5)}},
      6.5);
}

TEST(Scenario, TakesTheNarrowestLinkOfARouteAsItChanges) {
  // A second link has twice the bandwidth. From 0.5 to 2 it is the narrower one, with half the
  // bandwidth of the first: in by 1.5. The copy out is undisturbed.
  TestPlatform platform;
  platform.units = {{0.0, 2.0, 0.0, bytes_per_item, 0.0}};
  platform.shared_bandwidth = 2.0 * bytes_per_item;
  for (const bool activities_only : {false, true}) {
    SimSetup setup = sim_setup(platform, {workload_of({})});
    setup.scenario.events = {
        disturb(DisturbanceKind::bandwidth, "shared", 0.5, 0.25, Seconds{2.0})};
    setup.activities_only = activities_only;
    const Seen seen = simulate(setup, one_block);
    ASSERT_EQ(seen.numbers.size(), 3U);
    EXPECT_NEAR(seen.numbers[2], 4.5, tolerance);
  }
}

TEST(Scenario, ChangesALinkThatTransfersShare) {
  // Two copies in of 1 MB share 1 MB/s, so half of each is in by 1. From then on the bandwidth is
  // doubled: both are in by 1.5 and computed by 3.5. The copies out, at 1 MB/s each, end at 4.5.
  TestPlatform platform;
  platform.units.assign(2, {0.0, 2.0});
  platform.shared_bandwidth = bytes_per_item;
  SimSetup setup = sim_setup(platform, {workload_of({})});
  setup.scenario.events = {disturb(DisturbanceKind::bandwidth, "shared", 1.0, 2.0)};
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    executor.start(block(0), {0});
    executor.start(block(1), {1});
    take_all(executor, out);
  });
  ASSERT_EQ(seen.numbers.size(), 6U);
  EXPECT_NEAR(seen.numbers[2], 4.5, tolerance);
  EXPECT_NEAR(seen.numbers[5], 4.5, tolerance);
}

TEST(Scenario, FreesTheLinkOfAUnitThatFails) {
  // By 1, when unit 0 fails, half of unit 0's 1 MB and half of unit 1's first MB are in. Then unit
  // 1 has the link alone: in by 2.5, computing 4 s, out 2 s.
  TestPlatform platform;
  platform.units.assign(2, {0.0, 2.0});
  platform.shared_bandwidth = bytes_per_item;
  SimSetup setup = sim_setup(platform, {workload_of({})});
  setup.scenario.events = {disturb(DisturbanceKind::fail, "u0", 1.0)};
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    executor.start(block(0, 1), {0});
    executor.start(block(1, 2), {1});
    take_all(executor, out);
  });
  ASSERT_EQ(seen.numbers.size(), 6U);
  EXPECT_EQ(seen.numbers[0], 'l');
  EXPECT_NEAR(seen.numbers[2], 1.0, tolerance);
  EXPECT_NEAR(seen.numbers[5], 8.5, tolerance);
}

TEST(Scenario, LosesAUnitInTheMiddleOfAnyStage) {
  for (const double at_s : {0.5, 2.25, 3.5}) {
    expect_events({.events = {disturb(DisturbanceKind::fail, "u0", at_s)}}, one_block,
                  {{'l', 0, at_s}});
  }
}

TEST(Scenario, LosesAUnitWithTheBlocksInItsQueue) {
  // In 0-1, 1-2, 2-3; compute 1-3, 3-5, 5-7; out 3-4, 5-6.
  const Script three_blocks = [](Executor& executor, Seen& seen) {
    for (std::uint64_t id = 0; id < 3; ++id) executor.start(block(id), {0});
    take_all(executor, seen);
  };
  expect_events({.events = {disturb(DisturbanceKind::fail, "u0", 1.5)}}, three_blocks,
                {{'l', 0, 1.5}});
  expect_events({.events = {disturb(DisturbanceKind::fail, "u0", 5.5)}}, three_blocks,
                {{'f', 0, 4.0}, {'l', 0, 5.5}});
  expect_events({.events = {disturb(DisturbanceKind::fail, "u0", 6.5)}}, three_blocks,
                {{'f', 0, 4.0}, {'f', 0, 6.0}, {'l', 0, 6.5}});
}

TEST(Scenario, BringsResidentDataAgainWhenAUnitComesBack) {
  // Resident data 0-3 if they are sent, then 4 s for the block. The unit fails at 8 and comes back
  // at 10, where the same block takes 7 s. A block that is handed out in between never begins.
  for (const Distribution distribution : {Distribution::master, Distribution::replicated}) {
    const Machine machine{
        .resident_s = 3.0,
        .distribution = distribution,
        .events = {disturb(DisturbanceKind::fail, "u0", 8.0, 1.0, Seconds{10.0})}};
    const double first_s = distribution == Distribution::master ? 7.0 : 4.0;
    expect_events(machine,
                  [](Executor& executor, Seen& seen) {
                    executor.start(block(0), {0});
                    std::uint64_t id = 1;
                    while (const auto event = executor.next(Seconds::infinity())) {
                      note(seen, *event);
                      if (std::holds_alternative<BlockFinished>(event->what)) continue;
                      executor.start(block(id++), {0});
                    }
                  },
                  {{'f', 0, first_s}, {'l', 0, 8.0}, {'j', 0, 10.0}, {'f', 0, 17.0}});
  }
}

/// Runs pieces of one item on `machine`, on the fake executor and simulated. Returns the ends of
/// the blocks of each.
std::vector<std::vector<double>> run_pieces(const Machine& machine, Items items, RunOutcome& out) {
  std::vector<std::vector<double>> ends_s;
  const auto run_on = [&](Executor& executor) {
    RunSetup run = setup_of(machine.units, workload_of(machine, items));
    run.absent_at_start = absent_at_start(fake_setup_of(machine));
    Scripted policy = pieces_of(1);
    MemoryJournal journal;
    out = run_policy(executor, policy, run, journal);
    std::vector<double> ends;
    for (const BlockRecord& record : journal.blocks) ends.push_back(record.end.value);
    return ends;
  };
  ends_s.push_back(run_on(*make_fake_executor(fake_setup_of(machine))));
  ChildProcess child([&](int fd) {
    std::string bytes;
    const auto ends = run_on(*make_sim_executor(simulation_of(machine, items)));
    bytes.assign(reinterpret_cast<const char*>(ends.data()), ends.size() * sizeof(double));
    return write_all(fd, bytes) ? 0 : 1;
  });
  const std::string bytes = child.wait().output;
  const auto* first = reinterpret_cast<const double*>(bytes.data());
  ends_s.emplace_back(first, first + bytes.size() / sizeof(double));
  return ends_s;
}

TEST(Scenario, GivesWorkToAUnitThatComesLate) {
  // Blocks take 4 s. At first unit 0 works alone; unit 1 joins at 6. Ends: 4, 8, 10, 12, 14, 16.
  const Machine machine{.units = 2, .events = {disturb(DisturbanceKind::join, "u1", 6.0)}};
  RunOutcome outcome;
  for (const std::vector<double>& ends_s : run_pieces(machine, 6, outcome)) {
    ASSERT_EQ(ends_s.size(), 6U);
    const std::vector<double> expected = {4, 8, 10, 12, 14, 16};
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(ends_s[i], expected[i], tolerance);
  }
  EXPECT_TRUE(outcome.complete);
  EXPECT_FALSE(outcome.policy_stalled);
}

TEST(Scenario, WaitsForAUnitWhenNoneIsThereAtTheStart) {
  const Machine machine{.units = 2,
                        .events = {disturb(DisturbanceKind::join, "u0", 5.0),
                                   disturb(DisturbanceKind::join, "u1", 5.0)}};
  RunOutcome outcome;
  for (const std::vector<double>& ends_s : run_pieces(machine, 4, outcome)) {
    ASSERT_EQ(ends_s.size(), 4U);
    EXPECT_NEAR(ends_s[1], 9.0, tolerance);
    EXPECT_NEAR(ends_s[3], 13.0, tolerance);
  }
  EXPECT_TRUE(outcome.complete);
  EXPECT_FALSE(outcome.policy_stalled);
}

TEST(Scenario, EndsIncompleteWhenAllUnitsAreLostForGood) {
  const Machine machine{.units = 2,
                        .events = {disturb(DisturbanceKind::fail, "u0", 5.0),
                                   disturb(DisturbanceKind::fail, "u1", 6.0)}};
  RunOutcome outcome;
  for (const std::vector<double>& ends_s : run_pieces(machine, 4, outcome)) {
    EXPECT_EQ(ends_s.size(), 2U);
  }
  EXPECT_FALSE(outcome.complete);
}

class EveryPolicyDisturbed : public testing::TestWithParam<std::string> {};

/// Three to five units, with private links and perhaps a shared one, and a random scenario.
SimSetup random_simulation(std::mt19937& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  TestPlatform platform;
  const std::size_t units = 3 + random() % 3;
  std::vector<std::string> links;
  for (std::size_t i = 0; i < units; ++i) {
    TestUnit unit{uniform(0, 1e-3), uniform(1e-4, 1e-2), 0.1, uniform(1e5, 1e7), 1e-4};
    unit.copy_engines = 1 + static_cast<int>(random() % 2);
    unit.slots = 1 + static_cast<int>(random() % 3);
    if (random() % 3 == 0) unit.memory_bytes = uniform(1000, 3000);
    platform.units.push_back(unit);
    links.push_back("link" + std::to_string(i));
  }
  if (random() % 2 == 0) {
    platform.shared_bandwidth = 1e6;
    links.emplace_back("shared");
  }
  Workload workload = items_of(2000, 1 + static_cast<Items>(random() % 4), 2);
  workload.in_bytes_per_item = uniform(0, 1000);
  workload.out_bytes_per_item = uniform(0, 1000);
  workload.resident_bytes = 500.0;
  workload.iteration_bytes = 200.0;
  workload.memory_bytes_per_item = 10.0;
  SimSetup setup = sim_setup(platform, {workload});
  setup.noise = true;
  setup.scenario = random_scenario(units, links, 2.0, random);
  return setup;
}

TEST_P(EveryPolicyDisturbed, DoesAllItemsInTheSimulatorWithoutStalling) {
  const std::uint64_t seed = random_seed();
  SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 5; ++round) {
    SCOPED_TRACE(round);
    const SimSetup setup = random_simulation(random);
    ChildProcess child([&](int) {
      RunSetup run = run_of(setup);
      KnownCosts known;
      for (std::uint32_t i = 0; i < run.units.size(); ++i) {
        const PlatformUnit& unit = setup.platform.units[i];
        const auto moving = moving_of(setup.platform, unit, run.phases[0], setup.costs[0].dispatch);
        known.phases.front().push_back(std::make_unique<TimingCurve>(setup.timing[0][i], moving));
      }
      const auto policy = make_policy(find_policy(GetParam()), {{}, &known});
      MemoryJournal journal;
      const RunOutcome outcome = run_policy(*make_sim_executor(setup), *policy, run, journal);
      Items done = 0;
      for (const BlockRecord& record : journal.blocks) done += record.block.items;
      if (!outcome.complete) return 1;
      if (outcome.policy_stalled) return 2;
      return done == 2 * run.phases[0].items ? 0 : 3;
    });
    const ChildProcess::Outcome outcome = child.wait();
    ASSERT_EQ(outcome.signal, 0);
    ASSERT_EQ(outcome.exit_code, 0) << "1: incomplete, 2: stalled, 3: items done more than once";
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryPolicyDisturbed, testing::ValuesIn(policy_names()),
                         policy_in_test_name);

}  // namespace
}  // namespace equipoise::scenario_test
