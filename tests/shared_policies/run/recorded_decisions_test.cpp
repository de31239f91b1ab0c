// Tests of recorded decisions: the blocks of a recorded run are issued again in the same order on
// any machine.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/recorded_decisions.hpp"
#include "tests/support/random_policy.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/recorded.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise::recorded_decisions_test {
namespace {

/// By block id: unit, first item, items, phase, iteration and tag of every accepted block.
using Blocks = std::map<std::uint64_t, std::tuple<std::uint32_t, Items, Items, int, int, BlockTag>>;

void add(Blocks& blocks, const BlockRecord& b) {
  blocks[b.block.id] = {b.unit.index,  b.block.first,     b.block.items,
                        b.block.phase, b.block.iteration, b.block.tag};
}

Blocks accepted(const RecordedRun& run) {
  Blocks blocks;
  for (const RecordedLine& line : run.lines) {
    if (const auto* b = std::get_if<BlockRecord>(&line.what)) add(blocks, *b);
  }
  return blocks;
}

struct Again {
  RunOutcome outcome;
  MemoryJournal journal;
  Blocks blocks;
};

void issue_again(const RecordedRun& run, FakeSetup machine, Again& again) {
  RunSetup setup;
  setup.units = run.units;
  setup.phases = run.phases;
  const RecordedDecisions decisions(run, setup.units, setup.phases, "run.jsonl");
  const auto executor = make_fake_executor(std::move(machine));
  again.outcome = run_policy(*decisions.make_executor(*executor), *decisions.make_policy(), setup,
                             again.journal);
  for (const BlockRecord& b : again.journal.blocks) add(again.blocks, b);
}

/// The accepted items of a run by iteration, as first items and counts, whoever did them.
using Done = std::set<std::tuple<int, Items, Items>>;
void add(Done& done, const BlockRecord& b) {
  done.insert({b.block.iteration, b.block.first, b.block.items});
}
Done done_by(const MemoryJournal& journal) {
  Done done;
  for (const BlockRecord& b : journal.blocks) add(done, b);
  return done;
}
Done done_by(const RecordedRun& run) {
  Done done;
  for (const RecordedLine& line : run.lines) {
    if (const auto* b = std::get_if<BlockRecord>(&line.what)) add(done, *b);
  }
  return done;
}

/// Fast where `faulty_machine` is slow; no unit fails.
FakeSetup other_machine() {
  return {{affine_unit(0.1, 0.05), affine_unit(0.3, 0.01), affine_unit(0, 0.004)}, {}, {}};
}

TEST(RecordedDecisions, TakeBackAndGiveTwiceAgain) {
  const unsigned seed = random_seed();
  int followed = 0;
  const int rounds = rounds_of(300);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed) + ", round " +
                 std::to_string(round));
    RandomPolicy policy(seed + static_cast<unsigned>(round), 2000, Seconds{20});
    RunSetup setup = setup_of(3, items_of(20'000, 4, 2));
    for (Unit& unit : setup.units) unit.slots = 2;
    FakeSetup machine = faulty_machine();
    machine.scenario = {};
    if (round % 2 == 0) machine.faults.clear();
    const RecordedRun run = record(policy, setup, machine);
    Again same;
    issue_again(run, machine, same);
    EXPECT_TRUE(same.outcome.complete);
    Again other;
    issue_again(run, other_machine(), other);
    EXPECT_TRUE(other.outcome.complete);
    // Without the timers of the policy, a block may have ended before it would be taken back.
    followed += done_by(same.journal) == done_by(run) ? 1 : 0;
  }
  EXPECT_GT(followed, 0);
}

/// Gives every unit ten items, and the first block to the second unit, when that has done its own,
/// then to the third one, when the second unit's copy was beaten.
class GivesOneBlockToAll final : public Policy {
 public:
  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (const auto* idle = std::get_if<UnitIdle>(&event.what)) decisions.assign(idle->unit, 10);
    const auto* finished = std::get_if<BlockFinished>(&event.what);
    const auto* lost = std::get_if<BlockLost>(&event.what);
    if (view.unit(UnitId{0}).outstanding.empty()) return;
    const std::uint64_t first = view.unit(UnitId{0}).outstanding.front().block.id;
    if (finished != nullptr && finished->unit == UnitId{1}) give(decisions, first, 1);
    if (lost != nullptr && lost->unit == UnitId{1}) give(decisions, first, 2);
  }

 private:
  static void give(Decisions& decisions, std::uint64_t block, std::uint32_t unit) {
    EXPECT_EQ(decisions.give_twice(block, UnitId{0}, UnitId{unit}), 10);
  }
};

TEST(RecordedDecisions, GiveABlockAgainWhoseFirstCopyWasBeaten) {
  // The first unit computes until 1 s and copies its results until 11 s. The second does its own
  // block until 0.5 s and then a copy of the first unit's, until 2.5 s: the first unit has claimed
  // the results at 1 s. Then the third unit gets a copy, too, which is dropped at 11 s.
  FakeSetup machine{{affine_unit(1.0, 0.0), affine_unit(0.5, 0.0), affine_unit(1.0, 0.0)}, {}};
  machine.units[0].out_s = [](double /*items*/) { return 10.0; };
  machine.scenario.events = {disturb(DisturbanceKind::slow, "u1", 0.5, 4.0)};
  GivesOneBlockToAll policy;
  const RunSetup setup = setup_of(3, items_of(30, 1, 2));
  const RecordedRun run = record(policy, setup, machine);
  Again again;
  issue_again(run, machine, again);
  EXPECT_TRUE(again.outcome.complete);
  EXPECT_FALSE(again.outcome.policy_stalled);
  EXPECT_EQ(again.blocks, accepted(run));
  const auto dropped = [](const MemoryJournal& journal) {
    std::vector<std::uint64_t> blocks;
    for (const EventRecord& event : journal.events) {
      if (const auto* lost = std::get_if<LostBlock>(&event.what)) blocks.push_back(lost->block.id);
    }
    return blocks;
  };
  EXPECT_EQ(dropped(again.journal), (std::vector<std::uint64_t>{3, 4, 8, 9}));
}

TEST(RecordedDecisions, IssueTheSameBlocksOnAnotherMachine) {
  for (const PolicyInfo& info : policy_catalog()) {
    if (info.foresight != Foresight::none) continue;
    SCOPED_TRACE(info.name);
    const RunSetup setup = faulty_setup();
    // Of two copies, another may be first on another machine.
    const auto policy = make_policy(info, {{{"backup", "off"}}, nullptr, setup.units});
    const RecordedRun run = record(*policy, setup, faulty_machine());
    Again again;
    issue_again(run, other_machine(), again);
    EXPECT_TRUE(again.outcome.complete);
    EXPECT_FALSE(again.outcome.policy_stalled);
    EXPECT_EQ(again.blocks, accepted(run));
  }
}

TEST(RecordedDecisions, TakeAsLongOnTheSameMachine) {
  // Without decision costs and timers, the same blocks after the same finishes take the same time.
  // The ends are equal to the last bit, because the time of a fake unit depends on its blocks
  // alone.
  for (const char* name : {"greedy", "gss", "awf-c", "plb-hec", "hdss", "acosta"}) {
    SCOPED_TRACE(name);
    const RunSetup setup = setup_of(3, items_of(20'000, 4, 2));
    RecordedRun run;
    run.units = setup.units;
    run.phases = setup.phases;
    run.is_whole = true;
    RecordingJournal journal(run);
    const auto policy = policy_called(find_policy(name), setup.units);
    ASSERT_TRUE(run_policy(*make_fake_executor(other_machine()), *policy, setup, journal).complete);
    Again again;
    issue_again(run, other_machine(), again);
    std::vector<double> ends;
    for (const RecordedLine& line : run.lines) {
      if (const auto* b = std::get_if<BlockRecord>(&line.what)) ends.push_back(b->end.value);
    }
    ASSERT_EQ(again.journal.blocks.size(), ends.size());
    for (std::size_t i = 0; i < ends.size(); ++i) {
      EXPECT_EQ(again.journal.blocks[i].end.value, ends[i]) << i;
    }
  }
}

TEST(RecordedDecisions, KeepABlockBackUntilWhatItWaitedForIsBack) {
  // u0 does 10 items while u1 waits for it. Then both get 10 more. On a machine on which u0 takes
  // ten times as long, u1 must still wait for it.
  Scripted waits([](const View& view, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<IterationStarted>(event.what)) decisions.assign(UnitId{0}, 10);
    if (std::holds_alternative<BlockFinished>(event.what) && view.remaining() == 20) {
      decisions.assign(UnitId{1}, 10);
      decisions.assign(UnitId{0}, 10);
    }
  });
  const RecordedRun run =
      record(waits, setup_of(2, items_of(30)), {{affine_unit(0, 1), affine_unit(0, 1)}, {}, {}});
  Again again;
  issue_again(run, {{affine_unit(0, 10), affine_unit(0, 2)}, {}, {}}, again);
  ASSERT_EQ(again.journal.blocks.size(), 3u);
  EXPECT_EQ(again.journal.blocks[1].unit.index, 1u);
  EXPECT_DOUBLE_EQ(again.journal.blocks[1].assigned.value, 100.0);
  EXPECT_DOUBLE_EQ(again.journal.blocks[1].end.value, 120.0);
  EXPECT_DOUBLE_EQ(again.journal.blocks[2].end.value, 200.0);
}

TEST(RecordedDecisions, LoseAgainWhatWasLost) {
  const RunSetup setup = faulty_setup();
  const RecordedRun run =
      record(*policy_called(find_policy("greedy"), setup.units), setup, faulty_machine());
  std::vector<std::uint64_t> lost;
  for (const RecordedLine& line : run.lines) {
    const auto* event = std::get_if<EventRecord>(&line.what);
    const auto* block = event == nullptr ? nullptr : std::get_if<LostBlock>(&event->what);
    if (block != nullptr) lost.push_back(block->block.id);
  }
  ASSERT_FALSE(lost.empty());
  Again again;
  issue_again(run, other_machine(), again);
  std::vector<std::uint64_t> lost_again;
  for (const EventRecord& event : again.journal.events) {
    const auto* block = std::get_if<LostBlock>(&event.what);
    if (block != nullptr) lost_again.push_back(block->block.id);
  }
  EXPECT_EQ(lost_again, lost);
  EXPECT_EQ(again.journal.count<UnitLost>(), 0);
}

TEST(RecordedDecisions, LoseAgainWhatWasLostInALaterIteration) {
  // Three iterations of 20 s. u1 fails at many times in the second and third, and comes back.
  for (const char* name : {"greedy", "gss", "plb-hec", "acosta"}) {
    for (double at_s = 20.5; at_s < 60.0; at_s += 3.25) {
      SCOPED_TRACE(testing::Message() << name << " at " << at_s);
      const RunSetup setup = setup_of(2, items_of(4'000, 4, 3));
      const FakeSetup machine{
          {affine_unit(0.1, 0.01), affine_unit(0.1, 0.01)},
          Seconds{1e-3},
          {{Seconds{at_s}, UnitId{1}, false}, {Seconds{at_s + 5.0}, UnitId{1}, true}}};
      const RecordedRun run =
          record(*policy_called(find_policy(name), setup.units), setup, machine);
      Again again;
      issue_again(run, other_machine(), again);
      EXPECT_TRUE(again.outcome.complete);
      EXPECT_FALSE(again.outcome.policy_stalled);
      EXPECT_EQ(again.blocks, accepted(run));
    }
  }
}

TEST(RecordedDecisions, LeaveTheRestToTheLoopWhenAUnitIsLostNow) {
  const RunSetup setup = faulty_setup();
  const RecordedRun run =
      record(*policy_called(find_policy("plb-hec"), setup.units), setup, faulty_machine());
  for (const double at_s : {0.0, 5.0, 31.0, 72.0, 90.0}) {
    FakeSetup machine = other_machine();
    machine.faults = {{Seconds{at_s}, UnitId{1}, false}};
    Again again;
    issue_again(run, machine, again);
    EXPECT_TRUE(again.outcome.complete) << at_s;
    EXPECT_TRUE(again.outcome.policy_stalled) << at_s;
  }
}

TEST(RecordedDecisions, AreFoundByTheNamesOfUnits) {
  const RecordedRun run = record(*policy_called(find_policy("gss"), {}), setup_of(2, items_of(100)),
                                 {{affine_unit(0, 1), affine_unit(0, 2)}, {}, {}});
  RunSetup setup = setup_of(4, items_of(100));
  std::swap(setup.units[0].name, setup.units[3].name);  // the order is u3, u1, u2, u0
  const RecordedDecisions decisions(run, setup.units, setup.phases, "run.jsonl");
  const auto executor = make_fake_executor(
      {{affine_unit(0, 1), affine_unit(0, 2), affine_unit(0, 1), affine_unit(0, 1)}, {}, {}});
  MemoryJournal journal;
  ASSERT_TRUE(
      run_policy(*decisions.make_executor(*executor), *decisions.make_policy(), setup, journal)
          .complete);
  const Blocks recorded = accepted(run);
  for (const BlockRecord& b : journal.blocks) {
    EXPECT_EQ(b.unit.index, std::get<0>(recorded.at(b.block.id)) == 0 ? 3u : 1u);
  }
}

TEST(RecordedDecisions, AreRefusedWhereTheyCannotBeKeptTo) {
  RecordedRun run = record(*policy_called(find_policy("gss"), {}), setup_of(2, items_of(100)),
                           {{affine_unit(0, 1), affine_unit(0, 2)}, {}, {}});
  const auto refusal = [&](const RecordedRun& recorded, const std::vector<Unit>& units,
                           const std::vector<Workload>& phases) {
    return refusal_of([&] { const RecordedDecisions given(recorded, units, phases, "r.jsonl"); });
  };
  EXPECT_EQ(refusal(run, run.units, run.phases), "not refused");
  EXPECT_EQ(refusal(run, {run.units[0]}, run.phases),
            "r.jsonl: it needs the unit u1, and that is not there; give units of these names");
  Workload larger = run.phases[0];
  larger.items += 1;
  EXPECT_NE(refusal(run, run.units, {larger}).find("other items"), std::string::npos);
  Workload heavy = run.phases[0];
  heavy.memory_bytes_per_item = 1.0;
  std::vector<Unit> small = run.units;
  small[0].memory_bytes = 10.0;
  EXPECT_NE(refusal(run, small, {heavy}).find("give it more memory"), std::string::npos);
  RecordedRun interrupted = run;
  interrupted.is_whole = false;
  EXPECT_NE(refusal(interrupted, run.units, run.phases).find("did not do all of its work"),
            std::string::npos);
  RecordedRun without = run;
  without.lines.pop_back();
  EXPECT_NE(refusal(without, run.units, run.phases).find("did not do all of its work"),
            std::string::npos);
}

}  // namespace
}  // namespace equipoise::recorded_decisions_test
