// Tests of the run loop on the fake executor: schedules worked out by hand, losses, stalls and
// barriers.
#include "shared_policies/run/run_loop.hpp"

#include <gtest/gtest.h>

#include <random>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/model/measures.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise::run_loop_test {
namespace {

TEST(RunLoop, GivesWorkToWhoeverIsIdle) {
  // 10 items in pieces of 2 on units that take 1 s and 2 s per item: u0 ends at 2, 4, 6 s, u1 at 4
  // and 8 s.
  auto executor = make_fake_executor({{affine_unit(0, 1), affine_unit(0, 2)}, {}, {}});
  Scripted policy = pieces_of(2);
  MemoryJournal journal;
  const RunOutcome outcome = run_policy(*executor, policy, setup_of(2, items_of(10)), journal);
  EXPECT_TRUE(outcome.complete);
  EXPECT_FALSE(outcome.policy_stalled);
  ASSERT_EQ(journal.blocks.size(), 5u);
  const std::vector<std::pair<unsigned, double>> ends = {{0, 2}, {0, 4}, {1, 4}, {0, 6}, {1, 8}};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    EXPECT_EQ(journal.blocks[i].unit.index, ends[i].first) << i;
    EXPECT_DOUBLE_EQ(journal.blocks[i].end.value, ends[i].second) << i;
  }
}

TEST(RunLoop, HandlesMoreUnitsThanItems) {
  auto executor =
      make_fake_executor({{affine_unit(0, 1), affine_unit(0, 1), affine_unit(0, 1)}, {}, {}});
  Scripted policy = pieces_of(1);
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(*executor, policy, setup_of(3, items_of(1)), journal).complete);
  EXPECT_EQ(journal.blocks.size(), 1u);
}

TEST(RunLoop, ClampsABlockToTheUnitsMemory) {
  RunSetup setup = setup_of(1, items_of(100, 4));
  setup.phases[0].memory_bytes_per_item = 10;
  setup.phases[0].resident_bytes = 50;
  setup.units[0].memory_bytes = 199;  // (199 - 50) / 10 = 14 items, 12 in whole grains
  auto executor = make_fake_executor({{affine_unit(0, 1)}, {}, {}});
  Scripted policy = pieces_of(50);
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(*executor, policy, setup, journal).complete);
  EXPECT_EQ(journal.blocks.size(), 9u);  // 8 of 12 and one of 4
  EXPECT_EQ(journal.blocks[0].block.items, 12);
}

TEST(RunLoop, FillsTheSlotsOfAUnit) {
  RunSetup setup = setup_of(1, items_of(10));
  setup.units[0].slots = 3;
  Scripted policy = pieces_of(1);
  // Dispatch takes 1 s. It is hidden behind the running blocks, so only the first block waits for
  // it.
  auto executor = make_fake_executor({{affine_unit(0, 2)}, Seconds{1}, {}});
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(*executor, policy, setup, journal).complete);
  EXPECT_DOUBLE_EQ(journal.blocks[2].assigned.value, 0.0);
  EXPECT_DOUBLE_EQ(journal.blocks[3].assigned.value, 3.0);  // when the first came back
  EXPECT_DOUBLE_EQ(journal.blocks.back().end.value, 21.0);
}

TEST(RunLoop, PutsALostBlockBackAndDoesItOnAnotherUnit) {
  // u1 fails at 3 s in the middle of its block [5, 10). u0 does these items afterwards.
  auto executor = make_fake_executor(
      {{affine_unit(0, 1), affine_unit(0, 1)}, {}, {{Seconds{3}, UnitId{1}, false}}});
  Scripted policy = pieces_of(5);
  MemoryJournal journal;
  const RunOutcome outcome = run_policy(*executor, policy, setup_of(2, items_of(10)), journal);
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(journal.count<LostBlock>(), 1);
  EXPECT_EQ(journal.count<UnitLost>(), 1);
  ASSERT_EQ(journal.blocks.size(), 2u);
  EXPECT_EQ(journal.blocks[1].unit.index, 0u);
  EXPECT_EQ(journal.blocks[1].block.first, 5);
  EXPECT_NE(journal.blocks[1].block.id, 1u);  // a new id, so that a late result is recognised
  EXPECT_DOUBLE_EQ(journal.blocks[1].end.value, 10.0);
}

TEST(RunLoop, JournalsWhatEveryBlockWasHandedOutAfter) {
  // u1 is lost at 2.5 s with its block 1, after u0's blocks 0 and 2. The loss of the unit and the
  // loss of the block are two more events, and the end of block 3 is the fifth. Then u0 gets the
  // rest.
  auto executor = make_fake_executor(
      {{affine_unit(0, 1), affine_unit(0, 4)}, {}, {{Seconds{2.5}, UnitId{1}, false}}});
  Scripted policy = pieces_of(1);
  MemoryJournal journal;
  ASSERT_TRUE(run_policy(*executor, policy, setup_of(2, items_of(5)), journal).complete);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> after;
  for (const BlockRecord& b : journal.blocks) after.emplace_back(b.block.id, b.after_events);
  EXPECT_EQ(after, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{
                       {0, 0}, {2, 1}, {3, 2}, {4, 5}, {5, 6}}));
  ASSERT_EQ(journal.count<LostBlock>(), 1);
  for (const EventRecord& event : journal.events) {
    const auto* const lost = std::get_if<LostBlock>(&event.what);
    if (lost == nullptr) continue;
    EXPECT_EQ(lost->block.id, 1u);
    EXPECT_EQ(lost->assigned, Seconds{});
    EXPECT_EQ(lost->after_events, 0u);
  }
}

TEST(RunLoop, JournalsALostUnitBeforeItsBlocks) {
  auto executor = make_fake_executor(
      {{affine_unit(0, 1), affine_unit(0, 4)}, {}, {{Seconds{2.5}, UnitId{1}, false}}});
  Scripted policy = pieces_of(5);
  MemoryJournal journal;
  ASSERT_TRUE(run_policy(*executor, policy, setup_of(2, items_of(10)), journal).complete);
  ASSERT_EQ(journal.events.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<UnitLost>(journal.events[1].what));
  EXPECT_TRUE(std::holds_alternative<LostBlock>(journal.events[2].what));
}

TEST(RunLoop, LosesNoBlockBeforeItIsHandedOut) {
  // The master thinks from 2 s to 5 s before it hands block 2 to u1, but u1 is lost at 3 s.
  auto executor = make_fake_executor(
      {{affine_unit(0, 2), affine_unit(0, 1)}, {}, {{Seconds{3}, UnitId{1}, false}}});
  Scripted policy([](const View& view, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<IterationStarted>(event.what)) decisions.assign(UnitId{0}, 1);
    if (std::holds_alternative<BlockFinished>(event.what) && view.remaining() == 2) {
      decisions.decided({std::nullopt, OwnDecisionKind{"thinks"}, {}});
      decisions.assign(UnitId{1}, 1);
      decisions.assign(UnitId{0}, 1);
    }
  });
  struct ThreeSeconds final : CostMeter {
    Seconds price(const Decision& /*thought*/) override { return Seconds{3}; }
  } meter;
  RunSetup setup = setup_of(2, items_of(3));
  setup.cost_meter = &meter;
  MemoryJournal journal;
  ASSERT_TRUE(run_policy(*executor, policy, setup, journal).complete);
  ASSERT_EQ(journal.count<LostBlock>(), 1);
  for (const EventRecord& event : journal.events) {
    if (std::holds_alternative<UnitLost>(event.what)) {
      EXPECT_EQ(event.at, Seconds{3});
    }
    const auto* const lost = std::get_if<LostBlock>(&event.what);
    if (lost == nullptr) continue;
    EXPECT_EQ(lost->assigned, Seconds{5});
    EXPECT_EQ(event.at, Seconds{5});
  }
}

TEST(RunLoop, JournalsTimersAndWhatIsOutstandingWhenItIsStopped) {
  int asked = 0;
  Scripted policy([](const View& view, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<RunStarted>(event.what)) decisions.set_timer(Seconds{0.5}, 3);
    if (const auto* idle = std::get_if<UnitIdle>(&event.what)) decisions.assign(idle->unit, 2);
    if (std::holds_alternative<TimerFired>(event.what)) {
      EXPECT_EQ(view.now(), Seconds{0.5});
    }
  });
  auto executor = make_fake_executor({{affine_unit(0, 1)}, {}, {}});
  RunSetup setup = setup_of(1, items_of(10));
  setup.stop_requested = [&] { return ++asked == 4; };
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(*executor, policy, setup, journal).interrupted);
  EXPECT_EQ(journal.count<TimerEnd>(), 1);
  ASSERT_EQ(journal.count<UnfinishedBlock>(), 1);
  const auto& last = std::get<UnfinishedBlock>(journal.events.back().what);
  EXPECT_EQ(last.block.items, 2);
  EXPECT_EQ(last.assigned, journal.blocks.back().end);
  EXPECT_EQ(last.after_events, journal.blocks.size() + 1);  // plus one for the timer
}

TEST(RunLoop, ShowsPoliciesTimesOfEventsOnly) {
  // The policy must only see times that are in the journal: 0, ends of blocks, times of handing
  // out, and ends of Decisions. The master thinks for 0.3 s after the first block.
  class Dear final : public CostMeter {
   public:
    Seconds price(const Decision& /*decision*/) override { return Seconds{0.3}; }
  } meter;
  std::vector<Seconds> seen;
  Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
    seen.push_back(view.now());
    const auto* finished = std::get_if<BlockFinished>(&event.what);
    if (finished != nullptr && finished->block.id == 0) {
      decisions.decided({{}, DecisionKind::fit, {}});
    }
    if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      EXPECT_EQ(event.at, view.now());
      decisions.assign(idle->unit, 1);
    }
  });
  auto executor = make_fake_executor({{affine_unit(0, 1)}, {}, {}});
  RunSetup setup = setup_of(1, items_of(2));
  setup.cost_meter = &meter;
  MemoryJournal journal;
  ASSERT_TRUE(run_policy(*executor, policy, setup, journal).complete);
  ASSERT_EQ(journal.decisions.size(), 1u);
  EXPECT_DOUBLE_EQ(journal.decisions[0].at.value, 1.0);
  EXPECT_DOUBLE_EQ(journal.decisions[0].end.value, 1.3);
  ASSERT_EQ(seen.size(), 7u);  // run, phase, iteration, idle; finish, idle; finish
  EXPECT_DOUBLE_EQ(seen[4].value, 1.0);
  EXPECT_DOUBLE_EQ(seen[5].value, 1.3);
  EXPECT_DOUBLE_EQ(journal.blocks[1].assigned.value, 1.3);
  EXPECT_DOUBLE_EQ(seen[6].value, 2.3);
}

TEST(RunLoop, WaitsForAUnitToJoinWhenAllAreLost) {
  auto executor = make_fake_executor(
      {{affine_unit(0, 1)}, {}, {{Seconds{3}, UnitId{0}, false}, {Seconds{7}, UnitId{0}, true}}});
  Scripted policy = pieces_of(5);
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(*executor, policy, setup_of(1, items_of(5)), journal).complete);
  ASSERT_EQ(journal.blocks.size(), 1u);
  EXPECT_DOUBLE_EQ(journal.blocks[0].end.value, 12.0);
}

TEST(RunLoop, EndsIncompleteWhenNoUnitIsLeft) {
  auto executor = make_fake_executor({{affine_unit(0, 1)}, {}, {{Seconds{3}, UnitId{0}, false}}});
  Scripted policy = pieces_of(5);
  MemoryJournal journal;
  EXPECT_FALSE(run_policy(*executor, policy, setup_of(1, items_of(5)), journal).complete);
}

TEST(RunLoop, FinishesTheWorkOfAStalledPolicy) {
  Scripted policy([](const View&, const Event& event, Decisions& decisions) {
    const auto* idle = std::get_if<UnitIdle>(&event.what);
    if (idle != nullptr && event.at == Seconds{}) decisions.assign(idle->unit, 2);
  });
  auto executor = make_fake_executor({{affine_unit(0, 1), affine_unit(0, 1)}, {}, {}});
  MemoryJournal journal;
  const RunOutcome outcome = run_policy(*executor, policy, setup_of(2, items_of(100)), journal);
  EXPECT_TRUE(outcome.complete);
  EXPECT_TRUE(outcome.policy_stalled);
  EXPECT_EQ(journal.count<PolicyStall>(), 1);
}

TEST(RunLoop, FinishesTheWorkOfAPolicyThatOnlySetsTimers) {
  Scripted policy([](const View& view, const Event& event, Decisions& decisions) {
    if (!std::holds_alternative<UnitIdle>(event.what)) decisions.set_timer(view.now());
  });
  auto executor = make_fake_executor({{affine_unit(0, 1)}, {}, {}});
  MemoryJournal journal;
  const RunOutcome outcome = run_policy(*executor, policy, setup_of(1, items_of(10)), journal);
  EXPECT_TRUE(outcome.complete);
  EXPECT_TRUE(outcome.policy_stalled);
}

TEST(RunLoop, StartsEveryIterationBehindABarrier) {
  auto executor = make_fake_executor({{affine_unit(0, 1), affine_unit(0, 3)}, {}, {}});
  Scripted policy = pieces_of(1);
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(*executor, policy, setup_of(2, items_of(2, 1, 3)), journal).complete);
  ASSERT_EQ(journal.blocks.size(), 6u);
  EXPECT_DOUBLE_EQ(journal.blocks[2].assigned.value, 3.0);
  EXPECT_DOUBLE_EQ(journal.blocks.back().end.value, 9.0);
  EXPECT_EQ(journal.blocks.back().block.iteration, 2);
}

TEST(RunLoop, StartsAnIterationWhenTheResultsOfTheOneBeforeAreMerged) {
  // Two iterations of 2 s with a merge of 0.5 s between them, in each of two phases.
  auto executor =
      make_fake_executor({.units = {affine_unit(0, 1)}, .dispatch = {}, .merge = Seconds{0.5}});
  std::vector<double> starts_s;
  Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<IterationStarted>(event.what)) {
      starts_s.push_back(event.at.value);
      EXPECT_EQ(view.now(), event.at);
    }
    if (const auto* idle = std::get_if<UnitIdle>(&event.what)) decisions.assign(idle->unit, 2);
  });
  RunSetup setup = setup_of(1, items_of(2, 1, 2));
  setup.phases.push_back(setup.phases[0]);
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(*executor, policy, setup, journal).complete);
  EXPECT_EQ(starts_s, (std::vector<double>{0.0, 2.5, 4.5, 7.0}));
  std::vector<double> journalled_s;
  for (const EventRecord& event : journal.events) journalled_s.push_back(event.at.value);
  EXPECT_EQ(journalled_s, starts_s);
  EXPECT_EQ(journal.blocks.back().assigned, Seconds{7.0});
}

TEST(RunLoop, KeepsToTheLeastTimeOfAStage) {
  FakeUnit unit = affine_unit(1e-17, 0);
  unit.in_s = unit.out_s = [](double items) { return items > 1 ? 2e-15 : 5e-16; };
  MemoryJournal journal;
  Scripted policy = pieces_of(10);
  const auto executor = make_fake_executor({{unit}, {}, {}});
  EXPECT_TRUE(run_policy(*executor, policy, setup_of(1, items_of(11)), journal).complete);
  EXPECT_EQ(journal.blocks.at(0).times.in, Seconds{2e-15});
  EXPECT_EQ(journal.blocks.at(0).times.compute, least_time);
  EXPECT_EQ(journal.blocks.at(1).times.out, Seconds{});
}

TEST(RunLoop, RunsPhasesInOrder) {
  RunSetup setup = setup_of(1, items_of(2));
  setup.phases.push_back(items_of(3));
  auto executor = make_fake_executor({{affine_unit(0, 1)}, {}, {}});
  Scripted policy = pieces_of(5);
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(*executor, policy, setup, journal).complete);
  ASSERT_EQ(journal.blocks.size(), 2u);
  EXPECT_EQ(journal.blocks[1].block.phase, 1);
  EXPECT_EQ(journal.blocks[1].block.items, 3);
}

TEST(RunLoop, FiresATimerAfterTheFinishesOfItsInstant) {
  std::vector<std::string> seen;
  Scripted policy([&](const View&, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<RunStarted>(event.what)) decisions.set_timer(Seconds{2}, 7);
    if (const auto* idle = std::get_if<UnitIdle>(&event.what)) decisions.assign(idle->unit, 2);
    if (std::holds_alternative<BlockFinished>(event.what)) seen.emplace_back("finish");
    if (const auto* timer = std::get_if<TimerFired>(&event.what)) {
      EXPECT_EQ(timer->timer, 7u);
      EXPECT_DOUBLE_EQ(event.at.value, 2.0);
      seen.emplace_back("timer");
    }
  });
  auto executor = make_fake_executor({{affine_unit(0, 1)}, {}, {}});
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(*executor, policy, setup_of(1, items_of(6)), journal).complete);
  EXPECT_EQ(seen, (std::vector<std::string>{"finish", "timer", "finish", "finish"}));
}

/// A meter with which every Decision costs 0.5 s.
class FixedPrice final : public CostMeter {
 public:
  Seconds price(const Decision&) override { return Seconds{0.5}; }
};

TEST(RunLoop, LetsTheMastersThinkingDelayWhatItDecidesNext) {
  Scripted policy([](const View&, const Event& event, Decisions& decisions) {
    if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      decisions.decided({std::nullopt, DecisionKind::rebalance, {}});
      decisions.assign(idle->unit, 10);
    }
  });
  FixedPrice price;
  RunSetup setup = setup_of(1, items_of(10));
  setup.cost_meter = &price;
  auto executor = make_fake_executor({{affine_unit(0, 1)}, {}, {}});
  MemoryJournal journal;
  EXPECT_TRUE(run_policy(*executor, policy, setup, journal).complete);
  EXPECT_DOUBLE_EQ(journal.blocks[0].assigned.value, 0.5);
  EXPECT_DOUBLE_EQ(journal.blocks[0].end.value, 10.5);
  ASSERT_EQ(journal.decisions.size(), 1u);
  EXPECT_DOUBLE_EQ(journal.decisions[0].cost.value, 0.5);
}

TEST(RunLoop, EndsEarlyWhenAStopIsRequested) {
  RunSetup setup = setup_of(1, items_of(100));
  int asked = 0;
  setup.stop_requested = [&] { return ++asked > 3; };
  auto executor = make_fake_executor({{affine_unit(0, 1)}, {}, {}});
  Scripted policy = pieces_of(1);
  MemoryJournal journal;
  const RunOutcome outcome = run_policy(*executor, policy, setup, journal);
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_FALSE(outcome.complete);
  EXPECT_LE(journal.blocks.size(), 4u);
}

TEST(RunLoop, DoesEveryItemOnceWhateverFails) {
  const unsigned seed = random_seed();
  SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed));
  std::mt19937 random(seed);
  const auto upto = [&](int most) { return std::uniform_int_distribution<int>(1, most)(random); };
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = static_cast<std::size_t>(upto(5));
    FakeSetup fake;
    RunSetup setup = setup_of(n, items_of(upto(500), upto(7), upto(3)));
    for (std::size_t i = 0; i < n; ++i) {
      fake.units.push_back(affine_unit(upto(10) * 0.1, upto(10) * 0.01));
      setup.units[i].slots = upto(3);
    }
    for (int fault = 0; fault < 6; ++fault) {
      const UnitId unit{static_cast<std::uint32_t>(upto(static_cast<int>(n)) - 1)};
      fake.faults.push_back({Seconds{upto(100) * 0.1}, unit, upto(2) == 1});
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      fake.faults.push_back({Seconds{1000}, UnitId{i}, true});  // in the end all units are present
    }
    auto executor = make_fake_executor(fake);
    Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
      if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
        if (upto(4) > 1) decisions.assign(idle->unit, upto(60));
      } else if (upto(10) == 1) {
        decisions.set_timer(view.now() + Seconds{1});
      }
    });
    MemoryJournal journal;
    EXPECT_TRUE(run_policy(*executor, policy, setup, journal).complete) << "round " << round;
    Items done = 0;
    for (const BlockRecord& record : journal.blocks) done += record.block.items;
    EXPECT_EQ(done, setup.phases[0].items * setup.phases[0].iterations) << "round " << round;
  }
}

}  // namespace
}  // namespace equipoise::run_loop_test
