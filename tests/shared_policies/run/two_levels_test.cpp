// Tests of the lower one of two levels on the fake executor, and of the records of both levels.
#include "shared_policies/run/two_levels.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise::two_levels_test {
namespace {

/// Blocks that are there from the start.
class GivenBlocks final : public NodeBlocks {
 public:
  explicit GivenBlocks(std::deque<Block> blocks) : blocks_(std::move(blocks)) {}
  std::optional<Block> next() override {
    if (blocks_.empty()) return std::nullopt;
    const Block block = blocks_.front();
    blocks_.pop_front();
    return block;
  }
  void done(const Block& block) override { done_.push_back(block.id); }
  [[nodiscard]] bool is_over() const override { return false; }
  [[nodiscard]] const std::vector<std::uint64_t>& all_done() const { return done_; }

 private:
  std::deque<Block> blocks_;
  std::vector<std::uint64_t> done_;
};

Block node_block(std::uint64_t id, Items first, Items items) {
  Block block;
  block.id = id;
  block.first = first;
  block.items = items;
  return block;
}

TEST(RunNode, DividesEachBlockOfTheNodeWhenTheOneBeforeIsDone) {
  // 4 items from item 10 on, and then 2 from item 3 on, one by one, on units that take 1 s and 2 s
  // for an item: u0 ends at 1, 2 and 3 s, u1 at 2 s (of what ends at one time, u0 comes first);
  // then at 4 s and, with the last item, at 5 s.
  auto executor = make_fake_executor({{affine_unit(0, 1), affine_unit(0, 2)}, {}, {}});
  Scripted policy = pieces_of(1);
  GivenBlocks blocks({node_block(7, 10, 4), node_block(9, 3, 2)});
  RunSetup setup = setup_of(2, items_of(20));
  setup.first_block = 100;
  MemoryJournal journal;
  EXPECT_TRUE(run_node(*executor, blocks, policy, setup, journal).complete);
  EXPECT_EQ(blocks.all_done(), (std::vector<std::uint64_t>{7, 9}));
  struct Part {
    std::uint64_t id, of;
    Items first;
    unsigned unit;
    double end;
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts;
  for (const BlockRecord& r : journal.blocks) {
    parts.push_back(
        {r.block.id, r.block.node_block.value(), r.block.first, r.unit.index, r.end.value});
  }
  EXPECT_EQ(parts, (std::vector<Part>{{100, 7, 10, 0, 1},
                                      {102, 7, 12, 0, 2},
                                      {101, 7, 11, 1, 2},
                                      {103, 7, 13, 0, 3},
                                      {104, 9, 3, 0, 4},
                                      {105, 9, 4, 1, 5}}));
}

TEST(RunNode, TellsThePolicyOfAPhaseForEachBlockWithItsItems) {
  auto executor = make_fake_executor({{affine_unit(0, 1)}, {}, {}});
  std::vector<std::pair<std::string, Items>> told;
  Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<PhaseStarted>(event.what)) {
      told.emplace_back("phase", view.workload().items);
    } else if (std::holds_alternative<IterationStarted>(event.what)) {
      told.emplace_back("iteration", view.remaining());
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      decisions.assign(idle->unit, view.remaining());
    }
  });
  GivenBlocks blocks({node_block(0, 0, 4), node_block(1, 4, 6)});
  MemoryJournal journal;
  EXPECT_TRUE(run_node(*executor, blocks, policy, setup_of(1, items_of(10)), journal).complete);
  EXPECT_EQ(told, (std::vector<std::pair<std::string, Items>>{
                      {"phase", 4}, {"iteration", 4}, {"phase", 6}, {"iteration", 6}}));
}

TEST(RunNode, GivesPartsOfALostUnitToOthers) {
  FakeSetup fake{{affine_unit(0, 1), affine_unit(0, 1)}, {}, {}};
  fake.faults = {{Seconds{0.5}, UnitId{1}}};
  auto executor = make_fake_executor(std::move(fake));
  Scripted policy = pieces_of(1);
  GivenBlocks blocks({node_block(0, 0, 4)});
  MemoryJournal journal;
  EXPECT_TRUE(run_node(*executor, blocks, policy, setup_of(2, items_of(4)), journal).complete);
  EXPECT_EQ(journal.blocks.back().end, Seconds{4.0});
}

TEST(RunNode, EndsWithoutTheRestIfNoUnitIsLeft) {
  FakeSetup fake{{affine_unit(0, 1)}, {}, {}};
  fake.faults = {{Seconds{1.5}, UnitId{0}}};
  auto executor = make_fake_executor(std::move(fake));
  Scripted policy = pieces_of(1);
  GivenBlocks blocks({node_block(0, 0, 4), node_block(1, 4, 4)});
  MemoryJournal journal;
  EXPECT_FALSE(run_node(*executor, blocks, policy, setup_of(1, items_of(8)), journal).complete);
  EXPECT_TRUE(blocks.all_done().empty());
}

Unit unit_of(const std::string& name, const std::string& node, bool is_remote) {
  Unit unit;
  unit.name = name;
  unit.node = node;
  unit.is_remote = is_remote;
  return unit;
}

TEST(NodesOf, AreTheUnitsOfOneNameInTheOrderOfTheFirst) {
  const std::vector<Unit> units = {unit_of("a", "", false), unit_of("b", "n", true),
                                   unit_of("c", "", false), unit_of("d", "n", true)};
  const std::vector<NodeOfRun> nodes = nodes_of(units);
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].unit.name, "master");
  EXPECT_EQ(nodes[0].units, (std::vector<UnitId>{{0}, {2}}));
  EXPECT_FALSE(nodes[0].unit.is_remote);
  EXPECT_EQ(nodes[1].unit.name, "n");
  EXPECT_EQ(nodes[1].units, (std::vector<UnitId>{{1}, {3}}));
  EXPECT_TRUE(nodes[1].unit.is_remote);
  EXPECT_FALSE(nodes[1].units_of(units)[0].is_remote);
}

TEST(MasterOfNodes, CanNeitherTakeBlocksBackNorGiveThemTwice) {
  const std::vector<Unit> units = {unit_of("a", "m", false), unit_of("b", "n", true)};
  const RunSetup setup = setup_of_master(nodes_of(units), {items_of(10)});
  auto executor = make_fake_executor({{affine_unit(0, 1), affine_unit(0, 1)}, {}, {}});
  Scripted policy([](const View& view, const Event& event, Decisions& decisions) {
    const auto* const idle = std::get_if<UnitIdle>(&event.what);
    if (idle == nullptr || idle->unit != UnitId{0}) return;
    if (decisions.assign(UnitId{0}, 5) == 0) return;
    const std::uint64_t block = view.unit(UnitId{0}).outstanding.back().block.id;
    EXPECT_FALSE(decisions.take_back(UnitId{0}, block));
    EXPECT_EQ(decisions.give_twice(block, UnitId{0}, UnitId{1}), 0);
  });
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(*executor, policy, setup, journal).complete);
}

TEST(UnitRecords, LeaveOutBlocksOfNodesAndWhatBecameOfThem) {
  MemoryJournal journal;
  Seconds last;
  UnitRecords records(2, journal, [&last](Seconds end) { last = end; });
  LevelJournal of_master({UnitId{2}}, std::nullopt, records);
  LevelJournal of_agent({UnitId{0}, UnitId{1}}, UnitId{2}, records);
  of_master.block({UnitId{0}, node_block(0, 0, 10), {}, {}, {}, Seconds{3}});
  EXPECT_EQ(last, Seconds{3});
  of_master.event({Seconds{1}, IterationBegin{}});
  of_agent.event({Seconds{1}, IterationBegin{node_block(0, 0, 10)}});
  of_agent.block({UnitId{1}, node_block(5, 0, 10), {}, {}, {}, {}});
  of_agent.event({Seconds{2}, UnitLost{UnitId{1}}});
  records.finish();
  ASSERT_EQ(journal.blocks.size(), 1u);
  EXPECT_EQ(journal.blocks[0].block.id, 5u);
  EXPECT_EQ(journal.blocks[0].unit, UnitId{1});
  EXPECT_EQ(journal.blocks[0].node, UnitId{2});
  ASSERT_EQ(journal.events.size(), 2u);
  EXPECT_FALSE(std::get<IterationBegin>(journal.events[0].what).node_block);
  EXPECT_EQ(std::get<UnitLost>(journal.events[1].what).unit, UnitId{1});
}

TEST(UnitRecords, HavePartsWhenTheirBlockHasEndedAndLoseThoseOfALostNode) {
  MemoryJournal journal;
  UnitRecords records(1, journal, [](Seconds) {});
  LevelJournal of_master({UnitId{1}}, std::nullopt, records);
  LevelJournal of_agent({UnitId{0}}, UnitId{1}, records);
  of_agent.block({UnitId{0}, node_block(5, 0, 4), {}, {}, {}, Seconds{1}});
  EXPECT_TRUE(journal.blocks.empty());
  of_master.block({UnitId{0}, node_block(0, 0, 4), {}, {}, {}, Seconds{2}});
  ASSERT_EQ(journal.blocks.size(), 1u);
  of_agent.block({UnitId{0}, node_block(6, 4, 4), {}, {}, {}, Seconds{3}});
  of_agent.event({Seconds{4}, UnitLost{UnitId{0}}});
  of_master.event({Seconds{5}, UnitLost{UnitId{0}}});
  of_agent.block({UnitId{0}, node_block(7, 8, 2), {}, {}, {}, Seconds{3.5}});  // comes late
  records.finish();
  EXPECT_EQ(journal.blocks.size(), 1u);
  ASSERT_EQ(journal.events.size(), 3u);
  EXPECT_EQ(std::get<UnitLost>(journal.events[0].what).unit, UnitId{0});
  EXPECT_EQ(std::get<LostBlock>(journal.events[1].what).block.id, 6u);
  EXPECT_EQ(journal.events[1].at, Seconds{3});
  EXPECT_EQ(std::get<LostBlock>(journal.events[2].what).block.items, 2);
}

}  // namespace
}  // namespace equipoise::two_levels_test
