// Real runs of two levels: nodes of this process, and nodes that are other ranks.
#include "shared_policies/run/two_levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "real/threads/host_gate.hpp"
#include "tests/real/nodes/thread_ranks.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/real_runs.hpp"
#include "tests/support/scripted_kernel.hpp"

namespace equipoise::real_two_levels_test {
namespace {

using std::chrono::milliseconds;

/// What a run of two levels recorded.
struct Levels {
  bool is_complete = false;
  MemoryJournal master;                ///< by the numbers of nodes
  std::vector<BlockRecord> parts{};    ///< by the numbers of units in their nodes
  std::vector<std::size_t> part_of{};  ///< (parts) the number of the node
  std::mutex mutex{};

  void add(std::size_t node, const BlockRecord& part) {
    const std::lock_guard<std::mutex> lock(mutex);
    parts.push_back(part);
    part_of.push_back(node);
  }
  /// The items of all parts of each node's block.
  [[nodiscard]] std::map<std::uint64_t, Items> items_of_parts() const {
    std::map<std::uint64_t, Items> items;
    for (const BlockRecord& part : parts) items[part.block.node_block.value()] += part.block.items;
    return items;
  }
};

/// Lets the master hand out blocks of `of_master` items, and the agents of this process parts of
/// `of_agents`.
void run_levels(RealSetup setup, Items of_master, Items of_agents, Levels& levels) {
  std::vector<Unit> units;
  for (const UnitSpec& spec : setup.units) units.push_back(spec.unit);
  const std::vector<NodeOfRun> nodes = nodes_of(units);
  std::vector<Workload> phases;
  for (const RealPhase& phase : setup.phases) phases.push_back(phase.workload);
  const auto agents = std::make_shared<NodeAgents>();
  agents->run = [&](std::size_t node, Executor& executor, NodeBlocks& blocks) {
    Scripted policy = pieces_of(of_agents);
    RunSetup of_agent = setup_of_agent(node, nodes[node].units_of(units), phases);
    of_agent.stop_requested = [&] { return blocks.is_over(); };
    MemoryJournal own;
    const RunOutcome outcome = run_node(executor, blocks, policy, of_agent, own);
    for (const BlockRecord& part : own.blocks) levels.add(node, part);
    return outcome;
  };
  agents->record = [&](std::size_t node, const RecordedLine& line) {
    if (const auto* const part = std::get_if<BlockRecord>(&line.what)) levels.add(node, *part);
  };
  setup.agents = agents;
  Scripted policy = pieces_of(of_master);
  const auto executor = make_real_executor(std::move(setup));
  levels.is_complete =
      run_policy(*executor, policy, setup_of_master(nodes, phases), levels.master).complete;
}

bool are_all(const std::vector<std::int64_t>& counts, std::int64_t wanted) {
  return std::ranges::all_of(counts, [wanted](std::int64_t count) { return count == wanted; });
}

/// Node a has two units and node b one.
const std::vector<std::string> two_nodes = {"cpu,node=a", "cpu,node=a", "cpu,node=b"};

TEST(RealTwoLevels, DivideEachBlockOfANodeAmongItsUnits) {
  KernelScript script(1000);
  ScriptedKernel kernel(script);
  Levels levels;
  run_levels(setup_of(two_nodes, {&kernel}), 50, 7, levels);
  EXPECT_TRUE(levels.is_complete);
  EXPECT_TRUE(are_all(script.written, 1));
  EXPECT_EQ(levels.master.blocks.size(), 20U);
  const std::map<std::uint64_t, Items> items = levels.items_of_parts();
  std::map<std::uint64_t, std::size_t> nodes;
  for (const BlockRecord& block : levels.master.blocks) {
    EXPECT_EQ(items.at(block.block.id), 50);
    EXPECT_GT(block.times.compute, Seconds{});
    nodes[block.block.id] = block.unit.index;
  }
  for (std::size_t i = 0; i < levels.parts.size(); ++i) {
    EXPECT_EQ(nodes.at(levels.parts[i].block.node_block.value()), levels.part_of[i]);
  }
}

TEST(RealTwoLevels, HaveTheDataOfEachIterationAndPhase) {
  KernelScript first(200);
  KernelScript second(60);
  first.iterations = 4;
  std::mutex mutex;
  std::set<int> iterations;
  first.compute = [&](const Block& block, int) {
    const std::lock_guard<std::mutex> lock(mutex);
    iterations.insert(block.iteration);
  };
  ScriptedKernel a(first);
  ScriptedKernel b(second);
  Levels levels;
  run_levels(setup_of(two_nodes, {&a, &b}), 20, 3, levels);
  EXPECT_TRUE(levels.is_complete);
  EXPECT_TRUE(are_all(first.written, 4));
  EXPECT_TRUE(are_all(second.written, 1));
  EXPECT_EQ(iterations, (std::set<int>{0, 1, 2, 3}));
  EXPECT_EQ(first.merges, (std::vector<int>{1, 2, 3})) << "the master merges, agents do not";
}

TEST(RealTwoLevels, GiveANodesWorkToOthersWhenItsUnitsAreGone) {
  KernelScript script(2000);  // takes 0.6 s or longer
  script.compute = [](const Block&, int) { std::this_thread::sleep_for(milliseconds(2)); };
  ScriptedKernel kernel(script);
  RealSetup setup = setup_of(two_nodes, {&kernel});
  setup.scenario.events = {disturb(DisturbanceKind::fail, "cpu0", 0.05),
                           disturb(DisturbanceKind::fail, "cpu1", 0.1)};
  std::vector<std::string> warnings;
  setup.warn = [&, mutex = std::make_shared<std::mutex>()](const std::string& text) {
    const std::lock_guard<std::mutex> lock(*mutex);
    warnings.push_back(text);
  };
  Levels levels;
  run_levels(std::move(setup), 20, 2, levels);
  EXPECT_TRUE(levels.is_complete);
  EXPECT_TRUE(has_all_results(script));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings.front(), "unit a is lost: none of its units is left; the others do its work");
  EXPECT_EQ(levels.master.blocks.back().unit, UnitId{1});
}

TEST(RealTwoLevels, KeepANodeThatWasGivenUpAwayFromTheData) {
  KernelScript script(40);
  script.compute = [](const Block& block, int) {
    if (block.id == 0) std::this_thread::sleep_for(milliseconds(600));
  };
  ScriptedKernel kernel(script);
  RealSetup setup = setup_of({"cpu,node=a", "cpu,node=b"}, {&kernel});
  setup.block_timeout = BlockTimeout::fixed(Seconds{0.2});
  Levels levels;
  run_levels(std::move(setup), 10, 10, levels);
  EXPECT_TRUE(levels.is_complete);
  EXPECT_TRUE(are_all(script.written, 1)) << "the block of 600 ms must not write its results";
}

TEST(RealTwoLevels, HaveAgentsOnOtherRanksWhoseRecordsCome) {
  KernelScript script(300);
  script.iterations = 2;
  ScriptedKernel kernel(script);
  ThreadNodes ranks({{"cpu", "cpu"}, {"cpu"}}, {&kernel});
  RealSetup setup = setup_of({"cpu,node=here"}, {&kernel});
  setup.units.insert(setup.units.end(), ranks.specs().begin(), ranks.specs().end());
  setup.nodes = ranks.nodes();
  Levels levels;
  run_levels(std::move(setup), 30, 4, levels);
  EXPECT_TRUE(levels.is_complete);
  EXPECT_TRUE(are_all(script.written, 2));
  const std::map<std::uint64_t, Items> items = levels.items_of_parts();
  std::set<std::uint32_t> nodes;
  for (const BlockRecord& block : levels.master.blocks) {
    EXPECT_EQ(items.at(block.block.id), 30);
    nodes.insert(block.unit.index);
  }
  EXPECT_EQ(nodes, (std::set<std::uint32_t>{0, 1, 2}));
  for (std::size_t i = 0; i < levels.parts.size(); ++i) {
    EXPECT_GE(levels.parts[i].block.id, first_block_of(levels.part_of[i]));
  }
}

TEST(RealTwoLevels, LoseARankWithItsAgent) {
  KernelScript script(400);
  script.compute = [](const Block&, int) { std::this_thread::sleep_for(milliseconds(5)); };
  ScriptedKernel kernel(script);
  ThreadNodes ranks({{"cpu"}}, {&kernel}, milliseconds(300));
  RealSetup setup = setup_of({"cpu,node=here"}, {&kernel});
  setup.units.insert(setup.units.end(), ranks.specs().begin(), ranks.specs().end());
  setup.nodes = ranks.nodes();
  std::jthread silencing([&] {
    std::this_thread::sleep_for(milliseconds(200));
    ranks.silence(1);
  });
  Levels levels;
  run_levels(std::move(setup), 20, 4, levels);
  EXPECT_TRUE(levels.is_complete);
  EXPECT_TRUE(has_all_results(script));
}

TEST(HostGate, WithinAnotherIsClosedForGoodOnceThatAbandonsItsBlocks) {
  const auto outer = std::make_shared<HostGate>();
  HostGate inner(outer);
  int touched = 0;
  const auto touch = [&] { ++touched; };
  const std::uint32_t iteration = inner.iteration();
  EXPECT_TRUE(inner.access(inner.epoch(), iteration, touch));
  outer->begin_iteration();
  EXPECT_FALSE(inner.access(inner.epoch(), iteration, touch)) << "the data have changed";
  EXPECT_TRUE(inner.access(inner.epoch(), inner.iteration(), touch));
  inner.abandon();
  EXPECT_TRUE(inner.access(inner.epoch(), inner.iteration(), touch));
  outer->abandon();
  EXPECT_FALSE(inner.access(inner.epoch(), inner.iteration(), touch));
  inner.abandon();
  EXPECT_FALSE(inner.access(inner.epoch(), inner.iteration(), touch));
  EXPECT_EQ(touched, 3);
}

}  // namespace
}  // namespace equipoise::real_two_levels_test
