// Tests of the journal check: recorded runs are decided again, and the first different decision is
// named.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/journal_check.hpp"
#include "tests/support/recorded.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise::journal_check_test {
namespace {

template <class Record>
Record& record_at(RecordedRun& run, std::size_t which) {
  for (RecordedLine& line : run.lines) {
    if (auto* found = std::get_if<Record>(&line.what); found != nullptr && which-- == 0) {
      return *found;
    }
  }
  throw std::out_of_range("there are fewer records of this type");
}

TEST(JournalCheck, AgreesWithEveryPolicyThroughLossesJoinsTimersAndDecisions) {
  for (const PolicyInfo& info : policy_catalog()) {
    if (info.foresight != Foresight::none) continue;
    SCOPED_TRACE(info.name);
    const RunSetup setup = faulty_setup();
    const RecordedRun run = record(*policy_called(info, setup.units), setup, faulty_machine());
    const JournalCheck check = check_journal(run, *policy_called(info, setup.units));
    EXPECT_FALSE(check.difference)
        << check.difference->line << " recorded: " << check.difference->recorded
        << "\nnow: " << check.difference->now;
    std::uint64_t blocks = 0;
    for (const RecordedLine& line : run.lines) {
      const auto* event = std::get_if<EventRecord>(&line.what);
      blocks += std::holds_alternative<BlockRecord>(line.what) ||
                        (event != nullptr && std::holds_alternative<LostBlock>(event->what))
                    ? 1
                    : 0;
    }
    EXPECT_EQ(check.blocks, blocks);
  }
}

TEST(JournalCheck, CountsSecondCopiesAmongTheBlocks) {
  // Five blocks of 10 items. u0 takes 1 s, u1 2.5 s: at 3 s u0 begins a copy of the last one, which
  // u1 would end at 5 s.
  const RunSetup setup = setup_of(2, items_of(50));
  const FakeSetup machine{{affine_unit(0, 0.1), affine_unit(0, 0.25)}, {}};
  const auto greedy = [&] {
    return make_policy(find_policy("greedy"),
                       {{{"initial_block_items", "10"}, {"backup", "on"}}, nullptr, setup.units});
  };
  const JournalCheck check = check_journal(record(*greedy(), setup, machine), *greedy());
  EXPECT_FALSE(check.difference);
  EXPECT_EQ(check.blocks, 6u);
  EXPECT_EQ(check.copies, 1u);
}

TEST(JournalCheck, AgreesWithEveryPolicyThroughALossAndAJoinDuringAMerge) {
  for (const PolicyInfo& info : policy_catalog()) {
    if (info.foresight != Foresight::none) continue;
    SCOPED_TRACE(info.name);
    const RunSetup setup = setup_of(2, items_of(200, 4, 2));
    FakeSetup machine{{affine_unit(0.5, 0.01), affine_unit(1, 0.03)}, Seconds{1e-3}};
    machine.merge = Seconds{10'000};
    machine.faults = {{Seconds{6000}, UnitId{1}, false}, {Seconds{8000}, UnitId{1}, true}};
    const RecordedRun run = record(*policy_called(info, setup.units), setup, machine);
    std::vector<std::string> events;
    for (const RecordedLine& line : run.lines) {
      const auto* event = std::get_if<EventRecord>(&line.what);
      if (event == nullptr) continue;
      if (unit_of(event->what) || std::holds_alternative<IterationBegin>(event->what)) {
        events.emplace_back(word_of(event->what));
      }
    }
    EXPECT_EQ(events, (std::vector<std::string>{"iteration_started", "unit_lost", "unit_joined",
                                                "iteration_started"}));
    const JournalCheck check = check_journal(run, *policy_called(info, setup.units));
    EXPECT_FALSE(check.difference)
        << check.difference->line << " recorded: " << check.difference->recorded
        << "\nnow: " << check.difference->now;
  }
}

TEST(JournalCheck, PassesOverWhatMetersRead) {
  const PolicyInfo& info = find_policy("plb-hec");
  const RunSetup setup = faulty_setup();
  RecordedRun run = record(*policy_called(info, setup.units), setup, faulty_machine());
  for (const std::size_t at : {run.lines.size(), std::size_t{9}, std::size_t{0}}) {
    const Measured reading{Seconds{1}, "package-0", "energy_j", 1.0};
    run.lines.insert(run.lines.begin() + static_cast<std::ptrdiff_t>(at), {0, reading});
  }
  EXPECT_FALSE(check_journal(run, *policy_called(info, setup.units)).difference);
}

TEST(JournalCheck, AgreesWithRunsThatDoNotSayWhenAMergeWasDone) {
  // In run files of version 1.0, an iteration starts before the merge.
  const PolicyInfo& info = find_policy("gss");
  const RunSetup setup = faulty_setup();
  RecordedRun run = record(*policy_called(info, setup.units), setup, faulty_machine());
  Seconds last_end;
  int iterations = 0;
  for (RecordedLine& line : run.lines) {
    if (const auto* block = std::get_if<BlockRecord>(&line.what)) last_end = block->end;
    auto* const event = std::get_if<EventRecord>(&line.what);
    if (event == nullptr || !std::holds_alternative<IterationBegin>(event->what)) continue;
    if (++iterations == 2) {
      EXPECT_EQ(event->at, last_end + Seconds{0.75});
    }
    event->at = last_end;
  }
  EXPECT_EQ(iterations, 2);
  EXPECT_FALSE(check_journal(run, *policy_called(info, setup.units)).difference);
}

/// A run of `greedy` on two units, with 10 blocks.
RecordedRun greedy_run(Items items = 100) {
  return record(*policy_called(find_policy("greedy"), {}), setup_of(2, items_of(items)),
                {{affine_unit(0, 1), affine_unit(0, 2)}, {}, {}});
}

JournalCheck check_greedy(const RecordedRun& run) {
  return check_journal(run, *policy_called(find_policy("greedy"), {}));
}

TEST(JournalCheck, NamesTheBlockWhoseItemsWereChanged) {
  RecordedRun run = greedy_run();
  BlockRecord& block = record_at<BlockRecord>(run, 4);
  const std::uint64_t id = block.block.id;
  block.block.items += 1;
  const JournalCheck check = check_greedy(run);
  ASSERT_TRUE(check.difference);
  EXPECT_EQ(check.blocks, id);  // the blocks before it agree
  EXPECT_NE(check.difference->recorded.find("block " + std::to_string(id) + ":"),
            std::string::npos);
  EXPECT_NE(check.difference->recorded, check.difference->now);
  EXPECT_EQ(std::get<BlockRecord>(run.lines[check.difference->line - 2].what).block.id, id);
}

TEST(JournalCheck, NoticesEveryChangeOfWhatWasHandedOut) {
  const std::vector<void (*)(BlockRecord&)> changes = {
      [](BlockRecord& b) { b.unit.index = 1 - b.unit.index; },
      [](BlockRecord& b) { b.block.first += 1; },
      [](BlockRecord& b) { b.block.tag = BlockTag::tail; },
      [](BlockRecord& b) { b.block.group += 1; },
      [](BlockRecord& b) { b.block.id += 1000; },
      [](BlockRecord& b) { b.after_events += 1; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    for (const std::size_t which : {0, 3, 9}) {
      RecordedRun run = greedy_run();
      changes[i](record_at<BlockRecord>(run, which));
      EXPECT_TRUE(check_greedy(run).difference) << "change " << i << " of block " << which;
    }
  }
}

TEST(JournalCheck, NoticesThatAPolicyDecidesOtherwise) {
  const RecordedRun run = greedy_run();
  Scripted other = pieces_of(7);
  const JournalCheck check = check_journal(run, other);
  ASSERT_TRUE(check.difference);
  EXPECT_NE(check.difference->now.find("7 items"), std::string::npos) << check.difference->now;
  Scripted silent([](const View&, const Event&, Decisions&) {});
  EXPECT_TRUE(check_journal(run, silent).difference);
  Scripted waiting([](const View& view, const Event&, Decisions& decisions) {
    decisions.set_timer(view.now() + Seconds{1});
  });
  EXPECT_TRUE(check_journal(run, waiting).difference);
}

TEST(JournalCheck, NoticesADecisionATimerANoteThatTheJournalLacks) {
  const auto script = [](bool thinks, bool waits, bool notes) {
    return Scripted([=](const View& view, const Event& event, Decisions& decisions) {
      if (std::holds_alternative<RunStarted>(event.what)) {
        if (thinks) decisions.decided({{}, DecisionKind::fit, {{UnitId{0}, "2 x", 0.5, {}, 10}}});
        if (waits) decisions.set_timer(view.now() + Seconds{0.5});
        if (notes) decisions.note("poor_fit");
      }
      if (const auto* idle = std::get_if<UnitIdle>(&event.what)) decisions.assign(idle->unit, 10);
    });
  };
  const FakeSetup machine{{affine_unit(0, 1)}, {}, {}};
  for (int all = 0; all < 8; ++all) {
    Scripted recorded = script((all & 1) != 0, (all & 2) != 0, (all & 4) != 0);
    const RecordedRun run = record(recorded, setup_of(1, items_of(30)), machine);
    for (int now = 0; now < 8; ++now) {
      Scripted again = script((now & 1) != 0, (now & 2) != 0, (now & 4) != 0);
      EXPECT_EQ(check_journal(run, again).difference.has_value(), all != now) << all << now;
    }
  }
}

TEST(JournalCheck, ChecksAnInterruptedRunUpToItsEnd) {
  const auto& info = find_policy("plb-hac");
  RunSetup setup = faulty_setup();
  for (const int stop_after : {1, 2, 5, 20, 60}) {
    int asked = 0;
    setup.stop_requested = [&] { return ++asked == stop_after; };
    const RecordedRun run = record(*policy_called(info, setup.units), setup, faulty_machine());
    ASSERT_FALSE(run.is_whole);
    const JournalCheck check = check_journal(run, *policy_called(info, setup.units));
    EXPECT_FALSE(check.difference) << check.difference->recorded << "\n" << check.difference->now;
    EXPECT_FALSE(check.first_unknown_block);
    EXPECT_GT(check.blocks, 0u);
  }
}

TEST(JournalCheck, ChecksARunThatWasKilledAtAnyLine) {
  const auto& info = find_policy("plb-hec");
  const RunSetup setup = faulty_setup();
  RecordedRun run = record(*policy_called(info, setup.units), setup, faulty_machine());
  run.is_whole = false;
  while (!run.lines.empty()) {
    run.lines.pop_back();
    EXPECT_FALSE(check_journal(run, *policy_called(info, setup.units)).difference)
        << run.lines.size();
  }
}

TEST(JournalCheck, EndsForEveryJournalHoweverItsLinesAreShuffled) {
  // Lines that are missing or exchanged: there is always an answer, never a hang or a crash.
  const auto& info = find_policy("plb-hec");
  const RunSetup setup = faulty_setup();
  const RecordedRun run = record(*policy_called(info, setup.units), setup, faulty_machine());
  for (std::size_t i = 0; i + 1 < run.lines.size(); ++i) {
    RecordedRun without = run;
    without.lines.erase(without.lines.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_TRUE(check_journal(without, *policy_called(info, setup.units)).difference) << i;
    RecordedRun exchanged = run;
    std::swap(exchanged.lines[i].what, exchanged.lines[i + 1].what);
    static_cast<void>(check_journal(exchanged, *policy_called(info, setup.units)));
  }
}

}  // namespace
}  // namespace equipoise::journal_check_test
