// Tests of simulated runs of two levels, with times worked out by hand.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "shared_policies/run/two_levels.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/scripted.hpp"
#include "tests/support/sim_platforms.hpp"
#include "tests/support/simulate.hpp"

namespace equipoise::two_levels_sim_test {
namespace {

/// The node n with two processors, which take 1 s and 2 s for an item, behind a link of 1 MB/s; an
/// item has 500 kB of input.
SimSetup one_node(Items items) {
  TestPlatform platform;
  platform.units = {{0.0, 1.0}, {0.0, 2.0}};
  for (TestUnit& unit : platform.units) unit.node = "n";
  platform.shared_bandwidth = 1e6;
  Workload workload = items_of(items);
  workload.kernel = "k";
  workload.in_bytes_per_item = 5e5;
  return sim_setup(platform, {workload});
}

/// Lets master and agents hand out pieces of these sizes. The finishes are those of nodes and then
/// of units; the number says whether all was done.
Seen simulate_levels(SimSetup setup, Items of_master, Items of_agents) {
  std::vector<Unit> units;
  for (const PlatformUnit& unit : setup.platform.units) units.push_back(unit.unit);
  setup.nodes = nodes_of(units);
  const std::vector<NodeOfRun> nodes = setup.nodes;
  const std::vector<Workload> phases = setup.phases;
  const auto of_units = std::make_shared<MemoryJournal>();
  const auto agents = std::make_shared<NodeAgents>();
  agents->run = [=](std::size_t node, Executor& executor, NodeBlocks& blocks) {
    Scripted policy = pieces_of(of_agents);
    RunSetup of_agent = setup_of_agent(node, nodes[node].units_of(units), phases);
    of_agent.stop_requested = [&] { return blocks.is_over(); };
    LevelJournal journal(nodes[node].units, std::nullopt, *of_units);
    return run_node(executor, blocks, policy, of_agent, journal);
  };
  setup.agents = agents;
  return in_child([&] {
    Scripted policy = pieces_of(of_master);
    const std::unique_ptr<Executor> executor = make_sim_executor(setup);
    Seen seen = run_policy_on(*executor, setup_of_master(nodes, phases), policy);
    for (const BlockRecord& r : of_units->blocks) {
      seen.finishes.push_back(finish_of(r.end, {r.unit, r.block, r.assigned, r.times, r.begins}));
    }
    return seen;
  });
}

std::vector<std::pair<unsigned, double>> ends_of(const Seen& seen) {
  std::vector<std::pair<unsigned, double>> ends;
  for (const Finish& finish : seen.finishes) ends.emplace_back(finish.unit, finish.at_s);
  return ends;
}

TEST(TwoLevels, SendABlockToItsNodeWhoseUnitsDivideIt) {
  // 6 items take 3 s on the link. Then u0 ends an item after 1, 2, 3 and 4 s, u1 after 2 and 4 s.
  const Seen seen = simulate_levels(one_node(6), 6, 1);
  EXPECT_EQ(ends_of(seen), (std::vector<std::pair<unsigned, double>>{
                               {0, 7}, {0, 4}, {0, 5}, {1, 5}, {0, 6}, {0, 7}, {1, 7}}));
  EXPECT_DOUBLE_EQ(seen.finishes[0].in_s, 3.0);
  EXPECT_DOUBLE_EQ(seen.finishes[0].compute_s, 4.0);
  EXPECT_EQ(seen.numbers.back(), 1.0);
}

TEST(TwoLevels, LetTheBytesOfABlockTravelWhileTheOneBeforeIsComputed) {
  const Seen seen = simulate_levels(one_node(12), 6, 1);
  EXPECT_DOUBLE_EQ(seen.finishes[1].in_at_s, 3.0);
  EXPECT_DOUBLE_EQ(seen.finishes[1].compute_at_s, 7.0);
  EXPECT_DOUBLE_EQ(seen.finishes[1].at_s, 11.0);
}

TEST(TwoLevels, ComeToTheSameEndOfARunTwice) {
  SimSetup setup = one_node(40);
  setup.noise = true;
  EXPECT_EQ(simulate_levels(setup, 7, 2).finishes, simulate_levels(setup, 7, 2).finishes);
}

TEST(TwoLevels, GiveTheItemsOfALostUnitToTheOthersOfItsNode) {
  // u1 fails at 4 s; u0 does all six items.
  SimSetup setup = one_node(6);
  setup.scenario.events = {disturb(DisturbanceKind::fail, "u1", 4.0)};
  const Seen seen = simulate_levels(setup, 6, 1);
  EXPECT_DOUBLE_EQ(seen.finishes[0].at_s, 9.0);
  EXPECT_EQ(seen.numbers.back(), 1.0);
}

TEST(TwoLevels, EndWithoutTheRestIfANodeHasLostAllItsUnits) {
  SimSetup setup = one_node(6);
  setup.scenario.events = {disturb(DisturbanceKind::fail, "u0", 4.5),
                           disturb(DisturbanceKind::fail, "u1", 4.0)};
  const Seen seen = simulate_levels(setup, 3, 1);
  EXPECT_EQ(seen.numbers.back(), 0.0);
}

TEST(TwoLevels, GiveTheWorkOfANodeWithoutUnitsToOtherNodes) {
  TestPlatform platform;
  platform.units = {{0.0, 1.0}, {0.0, 2.0}, {0.0, 1.0}};
  platform.units[0].node = platform.units[1].node = "n";
  platform.units[2].node = "m";
  Workload workload = items_of(12);
  workload.kernel = "k";
  SimSetup setup = sim_setup(platform, {workload});
  setup.scenario.events = {disturb(DisturbanceKind::fail, "u0", 1.25),
                           disturb(DisturbanceKind::fail, "u1", 1.5)};
  // n has two blocks of four items, and m has one. u2 ends its own at 4 s, and then those of n, the
  // item that u0 had done among them.
  const Seen seen = simulate_levels(setup, 4, 1);
  EXPECT_EQ(seen.numbers.back(), 1.0);
  EXPECT_EQ(seen.finishes[0].unit, 1U);
  EXPECT_DOUBLE_EQ(seen.finishes[0].at_s, 4.0);
  EXPECT_EQ(seen.finishes[1].unit, 1U);
  EXPECT_DOUBLE_EQ(seen.finishes[1].at_s, 8.0);
  EXPECT_EQ(seen.finishes[2].unit, 1U);
  EXPECT_DOUBLE_EQ(seen.finishes[2].at_s, 12.0);
}

TEST(TwoLevels, WaitForAUnitThatJoinsAgain) {
  SimSetup setup = one_node(2);
  setup.scenario.events = {disturb(DisturbanceKind::fail, "u0", 1.0),
                           disturb(DisturbanceKind::fail, "u1", 1.0)};
  setup.scenario.events.front().until = Seconds{5.0};
  // The two items' bytes are there at 1 s, and u0 again at 5 s.
  const Seen seen = simulate_levels(setup, 2, 1);
  EXPECT_EQ(seen.numbers.back(), 1.0);
  EXPECT_DOUBLE_EQ(seen.finishes[0].at_s, 7.0);
}

TEST(TwoLevels, HaveAControllerForTheMasterAndOneForEachNode) {
  // A report costs 0.5 s. The agent has two at 4 s, that of u0 first: u1 gets its next item at 5 s.
  SimSetup setup = one_node(4);
  for (PhaseCosts& costs : setup.costs) costs.controller.report = Seconds{0.5};
  setup.platform.units[0].unit.slots = 1;
  const Seen seen = simulate_levels(setup, 4, 1);
  // The items' bytes are there at 2 s: u0 ends at 3 s and gets the third at 3.5 s, which it ends
  // at 4.5 s, u1 ends at 4 s and gets the fourth at 4.5 s, which it ends at 6.5 s; the agent has
  // its report at 7 s.
  EXPECT_DOUBLE_EQ(seen.finishes[0].at_s, 7.0);
}

}  // namespace
}  // namespace equipoise::two_levels_sim_test
