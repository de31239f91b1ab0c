// Tests of resident data that are sent to a node once, with values worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/sim_platforms.hpp"
#include "tests/support/simulate.hpp"

namespace equipoise::node_residents_test {
namespace {

constexpr double tolerance = 1e-9;

/// 4 MB of resident data, of which 1 MB change between iterations.
Workload resident(int iterations = 1) {
  Workload workload;
  workload.kernel = "k";
  workload.items = 1000;
  workload.iterations = iterations;
  workload.resident_bytes = 4e6;
  workload.iteration_bytes = iterations > 1 ? 1e6 : 0.0;
  return workload;
}

/// Units of the node n that compute for 1 ms per item, behind one link of 1 MB/s and links of their
/// own of 2 MB/s.
TestPlatform one_node(std::size_t units) {
  TestPlatform platform;
  platform.units.assign(units, {0.0, 1e-3, 0.0, 2e6});
  for (TestUnit& unit : platform.units) unit.node = "n";
  platform.shared_bandwidth = 1e6;
  return platform;
}

/// The same on the fake executor.
FakeSetup fake_node(std::size_t units) {
  FakeSetup fake;
  FakeUnit unit = affine_unit(0.0, 1e-3);
  unit.resident_s = 4.0;
  unit.iteration_s = 1.0;
  unit.node = "n";
  unit.from_node_s = 2.0;
  fake.units.assign(units, unit);
  return fake;
}

Block block(std::uint64_t id, Items items) {
  Block block;
  block.id = id;
  block.items = items;
  return block;
}

/// Starts a block of 1000 items on each of `units` units, the later ones at these times.
Script blocks_at(const std::vector<double>& begins_s) {
  return [begins_s](Executor& executor, Seen& out) {
    for (std::uint32_t unit = 0; unit < begins_s.size(); ++unit) {
      take_finishes(executor, out, {begins_s[unit]});
      executor.start(block(unit, 1000), {unit});
    }
    take_finishes(executor, out);
  };
}

Seen on_fake(FakeSetup setup, const Script& script) {
  const auto executor = make_fake_executor(std::move(setup));
  Seen seen;
  executor->run([&] { script(*executor, seen); });
  return seen;
}

TEST(NodeResidents, AreFetchedOnceAndCopiedFromTheNode) {
  // u0 fetches for 4 s, and the node has the data then. u1, from 1 s on, waits until 4 s and copies
  // for 2 s. u2 comes at 5 s and copies for 2 s. Three transfers at once would have taken 12 s.
  const Script script = blocks_at({0.0, 1.0, 5.0});
  for (const Seen& seen :
       {simulate(sim_setup(one_node(3), {resident()}), script), on_fake(fake_node(3), script)}) {
    ASSERT_EQ(seen.finishes.size(), 3U);
    EXPECT_NEAR(seen.finishes[0].setup_s, 4.0, tolerance);
    EXPECT_NEAR(seen.finishes[0].at_s, 5.0, tolerance);
    EXPECT_NEAR(seen.finishes[1].setup_at_s, 1.0, tolerance);
    EXPECT_NEAR(seen.finishes[1].setup_s, 5.0, tolerance);
    EXPECT_NEAR(seen.finishes[1].at_s, 7.0, tolerance);
    EXPECT_NEAR(seen.finishes[2].setup_s, 2.0, tolerance);
    EXPECT_NEAR(seen.finishes[2].at_s, 8.0, tolerance);
  }
}

TEST(NodeResidents, AreFetchedByAnotherUnitIfTheFirstIsLost) {
  // u0 is lost at 1 s. u1, which waits since 0.5 s, fetches from then until 5 s. u2 has them at 7
  // s.
  SimSetup setup = sim_setup(one_node(3), {resident()});
  setup.scenario.events = {disturb(DisturbanceKind::fail, "u0", 1.0)};
  const Script script = [](Executor& executor, Seen& out) {
    executor.start(block(0, 1000), {0});
    take_finishes(executor, out, {0.5});
    executor.start(block(1, 1000), {1});
    executor.start(block(2, 1000), {2});
    while (const std::optional<Event> event = executor.next(Seconds::infinity())) {
      if (std::holds_alternative<BlockFinished>(event->what))
        out.numbers.push_back(event->at.value);
    }
  };
  FakeSetup fake = fake_node(3);
  fake.scenario = setup.scenario;
  for (const Seen& seen : {simulate(setup, script), on_fake(fake, script)}) {
    ASSERT_EQ(seen.numbers.size(), 2U);
    EXPECT_NEAR(seen.numbers[0], 6.0, tolerance);
    EXPECT_NEAR(seen.numbers[1], 8.0, tolerance);
  }
}

TEST(NodeResidents, AreNotSharedByUnitsOfDifferentNodesOrOfTheMasters) {
  const Script script = blocks_at({0.0, 0.0});
  TestPlatform two_nodes = one_node(2);
  two_nodes.units[1].node = "m";
  TestPlatform at_master = one_node(2);
  for (TestUnit& unit : at_master.units) unit.node.clear();
  for (const TestPlatform& platform : {two_nodes, at_master}) {
    const Seen seen = simulate(sim_setup(platform, {resident()}), script);
    ASSERT_EQ(seen.finishes.size(), 2U);
    EXPECT_NEAR(seen.finishes[0].setup_s, 8.0, tolerance);
    EXPECT_NEAR(seen.finishes[1].setup_s, 8.0, tolerance);
  }
}

TEST(NodeResidents, AreSentAgainAsFarAsTheyChange) {
  // Setups of 4 s and 6 s, blocks of 0.5 s. In the second iteration one unit fetches 1 MB in 1 s
  // and the other one copies it in 0.5 s more.
  Workload twice = resident(2);
  const Seen seen = simulate_blocks(sim_setup(one_node(2), {twice}), {500, 500});
  ASSERT_EQ(seen.finishes.size(), 4U);
  EXPECT_NEAR(seen.finishes[0].setup_s, 4.0, tolerance);
  EXPECT_NEAR(seen.finishes[1].setup_s, 6.0, tolerance);
  EXPECT_NEAR(seen.finishes[2].setup_s, 1.0, tolerance);
  EXPECT_NEAR(seen.finishes[3].setup_s, 1.5, tolerance);
}

/// A random run on two to six units of a node, of which all but the first come and go. Only
/// resident data move, so that nothing else uses the node's link.
void expect_agreement(std::mt19937& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto upto = [&](int most) { return std::uniform_int_distribution<int>(1, most)(random); };
  Workload workload = resident(upto(3));
  workload.iteration_bytes = workload.iterations > 1 ? workload.resident_bytes : 0.0;
  TestPlatform platform = one_node(std::size_t{1} + static_cast<std::size_t>(upto(5)));
  FakeSetup fake = fake_node(platform.units.size());
  std::vector<Items> block_items;
  for (std::size_t i = 0; i < platform.units.size(); ++i) {
    TestUnit& unit = platform.units[i];
    unit.bandwidth = std::pow(10, uniform(5, 7));
    unit.latency_s = uniform(0, 1e-3);
    unit.copy_engines = upto(2);
    unit.slots = upto(3);
    const double bytes = workload.resident_bytes;
    fake.units[i].resident_s = unit.latency_s + bytes / std::min(unit.bandwidth, 1e6);
    fake.units[i].iteration_s = workload.iterations > 1 ? fake.units[i].resident_s : 0.0;
    fake.units[i].from_node_s = unit.latency_s + bytes / unit.bandwidth;
    fake.units[i].copy_engines = unit.copy_engines;
    block_items.push_back(upto(400));
  }
  SimSetup setup = sim_setup(platform, {workload});
  for (int fault = 0; fault < 4; ++fault) {
    const std::string unit = "u" + std::to_string(1 + random() % (platform.units.size() - 1));
    const auto kind = upto(2) == 1 ? DisturbanceKind::fail : DisturbanceKind::join;
    setup.scenario.events.push_back(disturb(kind, unit, uniform(0, 12)));
  }
  fake.scenario = setup.scenario;
  const std::unique_ptr<Executor> executor = make_fake_executor(fake);
  const Seen expected = run_blocks(*executor, run_of(setup), block_items);
  const Seen seen = simulate_blocks(setup, block_items);
  ASSERT_EQ(seen.finishes.size(), expected.finishes.size());
  for (std::size_t i = 0; i < seen.finishes.size(); ++i) {
    ASSERT_EQ(seen.finishes[i].unit, expected.finishes[i].unit) << i;
    ASSERT_NEAR(seen.finishes[i].setup_s, expected.finishes[i].setup_s, 1e-8) << i;
    ASSERT_NEAR(seen.finishes[i].at_s, expected.finishes[i].at_s, 1e-8) << i;
  }
}

TEST(NodeResidents, AreTheSameOnTheFakeExecutor) {
  const unsigned seed = random_seed();
  SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 30 && !testing::Test::HasFatalFailure(); ++round) {
    expect_agreement(random);
  }
}

}  // namespace
}  // namespace equipoise::node_residents_test
