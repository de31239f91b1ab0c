// Tests of blocks that a policy takes back, and of copies that it gives: schedules worked out by
// hand on the fake executor, and random runs.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/run/journal_check.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/random_policy.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/recorded.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise::take_back_test {
namespace {

/// Whether `event` is the timer with this number.
bool is_timer(const Event& event, std::uint64_t number) {
  const auto* const fired = std::get_if<TimerFired>(&event.what);
  return fired != nullptr && fired->timer == number;
}

/// The events of a kind in a journal, with their times.
template <class Kind>
std::vector<std::pair<double, Kind>> events_of(const MemoryJournal& journal) {
  std::vector<std::pair<double, Kind>> found;
  for (const EventRecord& record : journal.events) {
    if (const auto* event = std::get_if<Kind>(&record.what))
      found.push_back({record.at.value, *event});
  }
  return found;
}

/// Gives the first two units 5 of 10 items each, and does what `then` says at 2 s.
Scripted halves_and_at_2_s(const Scripted::Script& then) {
  return Scripted([then](const View& view, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<IterationStarted>(event.what)) {
      decisions.assign(UnitId{0}, 5);
      decisions.assign(UnitId{1}, 5);
      decisions.set_timer(Seconds{2}, 1);
    } else if (is_timer(event, 1)) {
      then(view, event, decisions);
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      decisions.assign(idle->unit, 5);
    }
  });
}

FakeSetup slow_and_fast() { return {{affine_unit(0, 2), affine_unit(0, 0.2)}, {}, {}}; }

TEST(TakeBack, ReturnsItemsAtOnceAndTheUnitIsBusyUntilItsBlockEnds) {
  // u0 would take 10 s, u1 has ended at 1 s. At 2 s u1 gets what u0 had, and ends at 3 s.
  bool is_told = false;
  Scripted policy = halves_and_at_2_s([&](const View& view, const Event&, Decisions& decisions) {
    EXPECT_TRUE(decisions.take_back(UnitId{0}, 0));
    EXPECT_EQ(view.remaining(), 5);
    EXPECT_TRUE(view.unit(UnitId{0}).outstanding.empty());
    EXPECT_EQ(view.unit(UnitId{0}).going_on.size(), 1U);
    EXPECT_FALSE(view.unit(UnitId{0}).is_idle());
    EXPECT_FALSE(decisions.take_back(UnitId{0}, 0)) << "it is not outstanding any more";
    is_told = true;
  });
  const auto executor = make_fake_executor(slow_and_fast());
  MemoryJournal journal;
  ASSERT_TRUE(run_policy(*executor, policy, setup_of(2, items_of(10)), journal).complete);
  EXPECT_TRUE(is_told);
  ASSERT_EQ(journal.blocks.size(), 2U);
  EXPECT_EQ(journal.blocks[1].unit.index, 1U);
  EXPECT_EQ(journal.blocks[1].block.first, 0);
  EXPECT_DOUBLE_EQ(journal.blocks[1].end.value, 3.0);
  const auto lost = events_of<LostBlock>(journal);
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].first, 2.0);
  EXPECT_EQ(lost[0].second.by, LostBy::take_back);
  EXPECT_TRUE(lost[0].second.goes_on);
  EXPECT_EQ(journal.count<LateEnd>(), 0) << "the run has ended before";
}

TEST(TakeBack, TellsThePolicyWhenItsCallIsOverAndAgainWhenTheBlockEnds) {
  // 5 items more than above, which u1 does from 3 s to 4 s; u0's block ends at 10 s, and it does 5
  // items of the next iteration until 20 s, which begins at 4 s. u1 has done the others at 7 s.
  std::vector<std::string> told;
  Scripted policy = halves_and_at_2_s([&](const View&, const Event&, Decisions& decisions) {
    EXPECT_TRUE(decisions.take_back(UnitId{0}, 0));
    told.emplace_back("took");
  });
  Scripted watched([&](const View& view, const Event& event, Decisions& decisions) {
    if (const auto* lost = std::get_if<BlockLost>(&event.what)) {
      EXPECT_EQ(lost->by, LostBy::take_back);
      EXPECT_TRUE(lost->returns_items);
      told.emplace_back("lost");
    }
    if (const auto* late = std::get_if<LateEnd>(&event.what)) {
      EXPECT_EQ(event.at, Seconds{10});
      EXPECT_EQ(late->times.compute, Seconds{10});
      EXPECT_TRUE(view.unit(UnitId{0}).going_on.empty());
      told.emplace_back("late");
    }
    if (const auto* idle = std::get_if<UnitIdle>(&event.what); idle && idle->unit == UnitId{0}) {
      told.emplace_back("idle");
    }
    if (view.iteration() == 0) return policy.decide(view, event, decisions);
    if (const auto* idle = std::get_if<UnitIdle>(&event.what)) decisions.assign(idle->unit, 5);
  });
  const auto executor = make_fake_executor(slow_and_fast());
  MemoryJournal journal;
  ASSERT_TRUE(run_policy(*executor, watched, setup_of(2, items_of(55, 1, 2)), journal).complete);
  EXPECT_EQ(told[0], "took");
  EXPECT_EQ(told[1], "lost");
  EXPECT_EQ(told[2], "late");
  EXPECT_EQ(told[3], "idle");
  EXPECT_EQ(journal.count<LateEnd>(), 1);
}

TEST(TakeBack, CostsNothingIfTheUnitHasNotBegunTheBlock) {
  FakeSetup machine = slow_and_fast();
  machine.units[0].copy_engines =
      0;  // else the second block, which has no input, would be copied in
  RunSetup setup = setup_of(2, items_of(10));
  setup.units[0].slots = 2;
  bool is_over = false;
  Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<IterationStarted>(event.what)) {
      decisions.assign(UnitId{0}, 5);  // 10 s
      decisions.assign(UnitId{0}, 5);  // queued
      EXPECT_TRUE(decisions.take_back(UnitId{0}, 1));
      EXPECT_TRUE(view.unit(UnitId{0}).going_on.empty());
      EXPECT_TRUE(view.unit(UnitId{0}).is_idle());
      is_over = true;
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what);
               idle && idle->unit.index == 1) {
      decisions.assign(idle->unit, 5);
    }
  });
  const auto executor = make_fake_executor(machine);
  MemoryJournal journal;
  ASSERT_TRUE(run_policy(*executor, policy, setup, journal).complete);
  EXPECT_TRUE(is_over);
  EXPECT_EQ(journal.count<LateEnd>(), 0);
  ASSERT_EQ(journal.blocks.size(), 2U);
  EXPECT_DOUBLE_EQ(journal.blocks[0].end.value, 1.0);
  EXPECT_DOUBLE_EQ(journal.blocks[1].end.value, 10.0);
}

TEST(TakeBack, OfABlockThatBringsResidentDataLeavesThemToTheNext) {
  // The first block would bring the data, from the end of its dispatch on: 3 s.
  FakeSetup machine{{affine_unit(0, 1)}, Seconds{1}, {}};
  machine.units[0].resident_s = 3.0;
  RunSetup setup = setup_of(1, items_of(4));
  setup.units[0].slots = 2;
  for (const bool gives_another_before : {true, false}) {
    Scripted policy([&](const View&, const Event& event, Decisions& decisions) {
      if (std::holds_alternative<IterationStarted>(event.what)) {
        decisions.assign(UnitId{0}, 2);
        if (gives_another_before) decisions.assign(UnitId{0}, 2);
        EXPECT_TRUE(decisions.take_back(UnitId{0}, 0));
      } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
        decisions.assign(idle->unit, 2);
      }
    });
    const auto executor = make_fake_executor(machine);
    MemoryJournal journal;
    ASSERT_TRUE(run_policy(*executor, policy, setup, journal).complete);
    ASSERT_EQ(journal.blocks.size(), 2U);
    EXPECT_EQ(journal.blocks[0].times.setup, Seconds{3});
    EXPECT_DOUBLE_EQ(journal.blocks[0].end.value, 1.0 + 3.0 + 2.0);
    EXPECT_EQ(journal.blocks[1].times.setup, Seconds{});
    EXPECT_DOUBLE_EQ(journal.blocks[1].end.value, 8.0);
  }
}

TEST(TakeBack, IsTooLateWhileResultsAreCopied) {
  // u0 computes for 1 s and copies its results from then on until 4 s.
  FakeSetup machine = slow_and_fast();
  machine.units[0] = affine_unit(1, 0);
  machine.units[0].out_s = [](double) { return 3.0; };
  int calls = 0;
  Scripted policy = halves_and_at_2_s([&](const View&, const Event&, Decisions& decisions) {
    EXPECT_FALSE(decisions.take_back(UnitId{0}, 0));
    ++calls;
  });
  const auto executor = make_fake_executor(machine);
  MemoryJournal journal;
  ASSERT_TRUE(run_policy(*executor, policy, setup_of(2, items_of(10)), journal).complete);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(journal.count<LostBlock>(), 0);
  EXPECT_DOUBLE_EQ(journal.blocks.back().end.value, 4.0);
}

TEST(TakeBack, WaitsForUnitsThatStillWorkBeforeItFindsThatAPolicyStalls) {
  // Both units have lost blocks, and the policy asks for nothing until one is idle.
  Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<IterationStarted>(event.what)) {
      decisions.assign(UnitId{0}, 5);
      decisions.assign(UnitId{1}, 5);
      decisions.set_timer(Seconds{0.5}, 1);
    } else if (is_timer(event, 1)) {
      EXPECT_TRUE(decisions.take_back(UnitId{0}, 0));
      EXPECT_TRUE(decisions.take_back(UnitId{1}, 1));
      EXPECT_EQ(view.outstanding(), 0U);
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      decisions.assign(idle->unit, 5);
    }
  });
  const auto executor = make_fake_executor(slow_and_fast());
  MemoryJournal journal;
  const RunOutcome outcome = run_policy(*executor, policy, setup_of(2, items_of(10)), journal);
  EXPECT_TRUE(outcome.complete);
  EXPECT_FALSE(outcome.policy_stalled);
  EXPECT_DOUBLE_EQ(journal.blocks.back().end.value, 3.0) << "u1 from 1 s on";
}

TEST(GiveTwice, AcceptsTheFirstThatCopiesItsResultsAndDropsTheOther) {
  // u0 would take 10 s, u1 has ended at 1 s. At 2 s u1 gets a copy, and ends at 3 s.
  Scripted policy = halves_and_at_2_s([&](const View& view, const Event&, Decisions& decisions) {
    EXPECT_EQ(decisions.give_twice(0, UnitId{0}, UnitId{0}), 0) << "it has it";
    EXPECT_EQ(decisions.give_twice(7, UnitId{0}, UnitId{1}), 0) << "there is none";
    EXPECT_EQ(decisions.give_twice(0, UnitId{0}, UnitId{1}), 5);
    EXPECT_EQ(decisions.give_twice(0, UnitId{0}, UnitId{1}), 0) << "there are two";
    EXPECT_EQ(view.remaining(), 0);
    EXPECT_EQ(view.outstanding(), 2U);
  });
  const auto executor = make_fake_executor(slow_and_fast());
  MemoryJournal journal;
  ASSERT_TRUE(run_policy(*executor, policy, setup_of(2, items_of(10)), journal).complete);
  ASSERT_EQ(journal.blocks.size(), 2U);
  EXPECT_EQ(journal.blocks[1].unit.index, 1U);
  EXPECT_EQ(journal.blocks[1].block.copy_of, 0U);
  EXPECT_DOUBLE_EQ(journal.blocks[1].end.value, 3.0);
  const auto lost = events_of<LostBlock>(journal);
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].second.unit.index, 0U);
  EXPECT_EQ(lost[0].second.by, LostBy::copy);
}

TEST(GiveTwice, TellsThePolicyOfTheFirstBeforeTheOther) {
  std::vector<std::string> told;
  Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<IterationStarted>(event.what)) {
      decisions.assign(UnitId{0}, 5);
      EXPECT_EQ(decisions.give_twice(0, UnitId{0}, UnitId{1}), 5);
    } else if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
      EXPECT_EQ(finished->unit.index, 1U);
      EXPECT_TRUE(view.unit(UnitId{0}).outstanding.empty()) << "the View knows it already";
      told.emplace_back("finished");
    } else if (const auto* lost = std::get_if<BlockLost>(&event.what)) {
      EXPECT_EQ(lost->unit.index, 0U);
      EXPECT_FALSE(lost->returns_items);
      EXPECT_TRUE(lost->goes_on);
      told.emplace_back("lost");
    }
  });
  const auto executor = make_fake_executor(slow_and_fast());
  MemoryJournal journal;
  ASSERT_TRUE(run_policy(*executor, policy, setup_of(2, items_of(5)), journal).complete);
  EXPECT_EQ(told, (std::vector<std::string>{"finished", "lost"}));
}

TEST(GiveTwice, LetsTheOtherGoOnIfTheFirstIsLostBeforeItsResultsAreThere) {
  // u1 copies results from 3 s to 13 s and is lost at 5 s; u0 ends at 10 s. Once more with u0's
  // end, at 4 s, before the loss: it copies no results, so the items are done again, by u2 from 5 s
  // on.
  for (const double slow : {2.0, 0.8}) {
    FakeSetup machine = slow_and_fast();
    machine.units.push_back(affine_unit(0, 10));
    machine.units[0] = affine_unit(0, slow);
    machine.units[1].out_s = [](double) { return 10.0; };
    machine.units[1].compute_s = [](double) { return 1.0; };
    machine.faults = {{Seconds{5}, UnitId{1}, false}};
    RunSetup setup = setup_of(3, items_of(5));
    Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
      if (std::holds_alternative<IterationStarted>(event.what)) {
        decisions.assign(UnitId{0}, 5);
        decisions.set_timer(Seconds{2}, 1);
      } else if (is_timer(event, 1)) {
        EXPECT_EQ(decisions.give_twice(0, UnitId{0}, UnitId{1}), 5);
      } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
        if (view.now() >= Seconds{5} && idle->unit.index == 2) decisions.assign(idle->unit, 5);
      }
    });
    const auto executor = make_fake_executor(machine);
    MemoryJournal journal;
    ASSERT_TRUE(run_policy(*executor, policy, setup, journal).complete);
    ASSERT_EQ(journal.blocks.size(), 1U);
    EXPECT_EQ(journal.blocks[0].unit.index, slow == 2.0 ? 0U : 2U);
    EXPECT_DOUBLE_EQ(journal.blocks[0].end.value, slow == 2.0 ? 10.0 : 55.0);
    EXPECT_EQ(journal.count<LateEnd>(), slow == 2.0 ? 0 : 1);
  }
}

TEST(GiveTwice, ReturnsTheItemsWhenBothAreLost) {
  FakeSetup machine{{affine_unit(0, 2), affine_unit(0, 2), affine_unit(0, 1)}, {}, {}};
  machine.faults = {{Seconds{2}, UnitId{0}, false}, {Seconds{3}, UnitId{1}, false}};
  std::vector<bool> returned;
  Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<IterationStarted>(event.what)) {
      decisions.assign(UnitId{0}, 5);
      EXPECT_EQ(decisions.give_twice(0, UnitId{0}, UnitId{1}), 5);
    } else if (const auto* lost = std::get_if<BlockLost>(&event.what)) {
      returned.push_back(lost->returns_items);
      EXPECT_EQ(view.remaining(), lost->returns_items ? 5 : 0);
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      if (view.now() > Seconds{}) decisions.assign(idle->unit, 5);
    }
  });
  const auto executor = make_fake_executor(machine);
  MemoryJournal journal;
  ASSERT_TRUE(run_policy(*executor, policy, setup_of(3, items_of(5)), journal).complete);
  EXPECT_EQ(returned, (std::vector<bool>{false, true}));
  EXPECT_DOUBLE_EQ(journal.blocks.back().end.value, 8.0);
}

/// Up to five units that copy, with faults.
FakeSetup random_machine(std::mt19937& random, std::size_t units) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  FakeSetup machine;
  machine.dispatch = {random() % 2 == 0 ? 0.0 : 0.01};
  for (std::uint32_t i = 0; i < units; ++i) {
    FakeUnit unit = affine_unit(uniform(0, 0.1), uniform(0.01, 0.5));
    unit.copy_engines = static_cast<int>(random() % 3);
    const double in = uniform(0, 0.1);
    const double out = uniform(0, 0.1);
    if (random() % 2 == 0) unit.in_s = [in](double items) { return in * items; };
    if (random() % 2 == 0) unit.probe_there_s = [in](double bytes) { return in * bytes / 100; };
    if (random() % 2 == 0) unit.probe_back_s = [out](double bytes) { return out * bytes / 100; };
    if (random() % 2 == 0) unit.out_s = [out](double items) { return out * items; };
    unit.resident_s = random() % 2 == 0 ? uniform(0, 2) : 0.0;
    unit.iteration_s = random() % 2 == 0 ? uniform(0, 1) : 0.0;
    unit.memory_items = static_cast<Items>(20 + random() % 40);
    machine.units.push_back(unit);
    if (i == 0 || random() % 3 != 0) continue;
    const double lost = uniform(0, 10);
    machine.faults.push_back({Seconds{lost}, UnitId{i}, false});
    if (random() % 2 == 0) {
      machine.faults.push_back(
          {Seconds{lost + uniform(0, random() % 2 == 0 ? 0.2 : 5)}, UnitId{i}, true});
    }
  }
  return machine;
}

/// Every block that was handed out ends once; late ends are those of lost blocks that went on.
void expect_one_end_of_each(const RecordedRun& run) {
  std::map<std::uint64_t, int> ends;
  std::map<std::uint64_t, bool> goes_on;
  Items left = run.phases[0].items * run.phases[0].iterations;
  for (const RecordedLine& line : run.lines) {
    if (const auto* block = std::get_if<BlockRecord>(&line.what)) {
      left -= block->block.items;
      ++ends[block->block.id];
    }
    const auto* const event = std::get_if<EventRecord>(&line.what);
    if (event == nullptr) continue;
    if (const auto* lost = std::get_if<LostBlock>(&event->what)) {
      ++ends[lost->block.id];
      if (lost->goes_on) goes_on[lost->block.id] = true;
    }
    if (const auto* late = std::get_if<LateEnd>(&event->what)) {
      EXPECT_TRUE(goes_on[late->block.id]) << late->block.id;
      goes_on[late->block.id] = false;
    }
  }
  EXPECT_EQ(left, 0);
  EXPECT_EQ(ends.size(), ends.rbegin()->first + 1);
  for (const auto& [id, count] : ends) EXPECT_EQ(count, 1) << id;
}

TEST(TakeBackAndGiveTwice, DoEveryItemOnceAndAreDecidedTheSameAgain) {
  const unsigned seed = random_seed();
  for (int round = 0; round < rounds_of(1000); ++round) {
    SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed) + ", round " +
                 std::to_string(round));
    std::mt19937 random(seed + static_cast<unsigned>(round));
    const std::size_t units = 2 + random() % 4;
    RunSetup setup = setup_of(units, items_of(static_cast<Items>(50 + random() % 200), 1,
                                              static_cast<int>(1 + random() % 3)));
    for (Unit& unit : setup.units) unit.slots = static_cast<int>(1 + random() % 3);
    const FakeSetup machine = random_machine(random, units);
    const auto policy_seed = static_cast<unsigned>(random());
    RandomPolicy policy(policy_seed, 20, Seconds{3});
    const RecordedRun run = record(policy, setup, machine);
    expect_one_end_of_each(run);
    RandomPolicy again(policy_seed, 20, Seconds{3});
    const JournalCheck check = check_journal(run, again);
    ASSERT_FALSE(check.difference)
        << check.difference->line << " recorded: " << check.difference->recorded
        << "\nnow: " << check.difference->now;
  }
}

}  // namespace
}  // namespace equipoise::take_back_test
