// Tests of probes: schedules worked out by hand on the fake executor, and what the run loop and
// replays make of them.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/run/journal_check.hpp"
#include "shared_policies/run/recorded_decisions.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/recorded.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise::probe_test {
namespace {

/// An item takes 1 s. A probe of x bytes takes 1 s + x / 10 there, and 0.5 s + x / 20 back.
FakeUnit linked_unit() {
  FakeUnit unit = affine_unit(0, 1);
  unit.probe_there_s = [](double bytes) { return 1.0 + bytes / 10.0; };
  unit.probe_back_s = [](double bytes) { return 0.5 + bytes / 20.0; };
  return unit;
}

/// An end of a probe, in seconds; without an answer: the time of the event alone.
struct End {
  std::uint64_t number = 0;
  std::optional<ProbeTimes> times;
  double at_s = 0.0;

  bool operator==(const End&) const = default;
};

End answered(std::uint64_t number, double there_at_s, double there_s, double back_at_s,
             double back_s, double at_s) {
  return {number,
          ProbeTimes{Seconds{there_at_s}, Seconds{there_s}, Seconds{back_at_s}, Seconds{back_s}},
          at_s};
}

/// The answers in a journal, in their order.
std::vector<End> ends_of(const MemoryJournal& journal) {
  std::vector<End> ends;
  for (const EventRecord& record : journal.events) {
    const auto* const probed = std::get_if<Probed>(&record.what);
    if (probed != nullptr) ends.push_back({probed->probe.number, probed->times, record.at.value});
  }
  return ends;
}

bool has_started(const Event& event) {
  return std::holds_alternative<IterationStarted>(event.what);
}

/// Runs `script` over `items` on units of `machine`.
RunOutcome run_on(const FakeSetup& machine, const Scripted::Script& script, MemoryJournal& journal,
                  Workload workload) {
  Scripted policy(script);
  const auto executor = make_fake_executor(machine);
  return run_policy(*executor, policy, setup_of(machine.units.size(), std::move(workload)),
                    journal);
}

TEST(Probe, IsAnsweredWithTheTimesOfItsCopies) {
  // 100 bytes there take 1 + 10 s, 40 back 0.5 + 2 s. Bytes are rounded up; 0 bytes take the
  // latency.
  struct Case {
    double there;
    std::optional<double> back;
    End end;
  };
  const std::vector<Case> cases = {{100, 40, answered(7, 0, 11, 11, 2.5, 13.5)},
                                   {99.5, 39.5, answered(7, 0, 11, 11, 2.5, 13.5)},
                                   {100, std::nullopt, answered(7, 0, 11, 11, 0, 11)},
                                   {0, 0, answered(7, 0, 1, 1, 0.5, 1.5)}};
  for (const Case& probed : cases) {
    MemoryJournal journal;
    const auto policy = [&](const View& view, const Event& event, Decisions& decisions) {
      if (has_started(event)) {
        EXPECT_TRUE(decisions.probe(UnitId{0}, probed.there, probed.back, 7));
        ASSERT_EQ(view.probes(), 1U);
        EXPECT_EQ(view.unit(UnitId{0}).probes[0].probe.number, 7U);
      } else if (std::holds_alternative<Probed>(event.what)) {
        EXPECT_EQ(view.probes(), 0U);
        EXPECT_TRUE(view.unit(UnitId{0}).probes.empty());
        EXPECT_EQ(decisions.assign(UnitId{0}, 10), 10);
      }
    };
    const RunOutcome outcome = run_on({{linked_unit()}, {}, {}}, policy, journal, items_of(10));
    EXPECT_TRUE(outcome.complete);
    EXPECT_FALSE(outcome.policy_stalled);
    EXPECT_EQ(ends_of(journal), std::vector{probed.end});
    EXPECT_DOUBLE_EQ(journal.blocks[0].end.value, probed.end.at_s + 10.0);
    EXPECT_EQ(journal.count<ProbeBegin>(), 1);
  }
}

TEST(Probe, WaitsForItsTurnAmongTheCopiesOfBlocks) {
  // Blocks: 2 s in, 10 s, 1 s out. The probe: 2 s there, 1 s back. With one engine the first block
  // is copied in up to 2 s, the probe up to 4 s, the second block up to 6 s. The first is computed
  // up to 12 s and out at 13 s; then the probe comes back, up to 14 s. The second is computed up to
  // 22 s, out at 23 s. Without engines, one follows another.
  for (const int engines : {0, 1}) {
    FakeUnit unit = linked_unit();
    unit.copy_engines = engines;
    unit.in_s = [](double) { return 2.0; };
    unit.out_s = [](double) { return 1.0; };
    MemoryJournal journal;
    const auto policy = [](const View&, const Event& event, Decisions& decisions) {
      if (!has_started(event)) return;
      decisions.assign(UnitId{0}, 10);
      decisions.probe(UnitId{0}, 10, 10);
      decisions.assign(UnitId{0}, 10);
    };
    ASSERT_TRUE(run_on({{unit}, {}, {}}, policy, journal, items_of(20)).complete);
    EXPECT_EQ(ends_of(journal), std::vector{engines == 0 ? answered(0, 13, 2, 15, 1, 16)
                                                         : answered(0, 2, 2, 13, 1, 14)});
    EXPECT_DOUBLE_EQ(journal.blocks[1].end.value, engines == 0 ? 29.0 : 23.0);
  }
}

TEST(Probe, SharesTheCopyEngineOfADevice) {
  // Both ask at once. The first unit copies from 0 to 2 s, the second one from 2 to 4 s.
  FakeUnit unit = linked_unit();
  unit.device = "card";
  MemoryJournal journal;
  const auto policy = [](const View&, const Event& event, Decisions& decisions) {
    if (has_started(event)) {
      for (std::uint32_t i = 0; i < 2; ++i) decisions.probe(UnitId{i}, 10, std::nullopt, i);
    } else if (std::holds_alternative<Probed>(event.what)) {
      decisions.assign(UnitId{0}, 10);
    }
  };
  ASSERT_TRUE(run_on({{unit, unit}, {}, {}}, policy, journal, items_of(20)).complete);
  EXPECT_EQ(ends_of(journal),
            (std::vector{answered(0, 0, 2, 2, 0, 2), answered(1, 2, 2, 4, 0, 4)}));
}

TEST(Probe, IsAnsweredAtOnceWhereNoLinkLeads) {
  MemoryJournal journal;
  const auto policy = [](const View&, const Event& event, Decisions& decisions) {
    if (has_started(event)) {
      decisions.assign(UnitId{0}, 10);
      decisions.set_timer(Seconds{3});
    } else if (std::holds_alternative<TimerFired>(event.what)) {
      EXPECT_TRUE(decisions.probe(UnitId{0}, 1000, 1000));
    }
  };
  ASSERT_TRUE(run_on({{affine_unit(0, 1)}, {}, {}}, policy, journal, items_of(10)).complete);
  EXPECT_EQ(ends_of(journal), std::vector{answered(0, 3, 0, 3, 0, 3)});
}

TEST(Probe, IsRefusedOnAbsentUnitsAndForWhatAreNoBytes) {
  FakeSetup machine{{linked_unit(), linked_unit()}, {}, {{Seconds{1}, UnitId{1}, false}}};
  MemoryJournal journal;
  const auto policy = [](const View&, const Event& event, Decisions& decisions) {
    if (std::holds_alternative<UnitLost>(event.what)) {
      EXPECT_FALSE(decisions.probe(UnitId{1}, 10));
    }
    if (!has_started(event)) return;
    const double none = std::numeric_limits<double>::quiet_NaN();
    for (const double bytes : {-1.0, 1e16, std::numeric_limits<double>::infinity(), none}) {
      EXPECT_FALSE(decisions.probe(UnitId{0}, bytes)) << bytes;
      EXPECT_FALSE(decisions.probe(UnitId{0}, 1.0, bytes)) << bytes;
    }
    decisions.assign(UnitId{0}, 10);
  };
  ASSERT_TRUE(run_on(machine, policy, journal, items_of(10)).complete);
  EXPECT_EQ(journal.count<ProbeBegin>(), 0);
}

TEST(Probe, EndsWithoutAnAnswerWhenItsUnitIsLost) {
  // The policy hears of the block, then of the probe, then of the unit.
  FakeSetup machine{{linked_unit(), linked_unit()}, {}, {{Seconds{5}, UnitId{1}, false}}};
  MemoryJournal journal;
  std::vector<int> told;
  const auto policy = [&](const View& view, const Event& event, Decisions& decisions) {
    if (has_started(event)) {
      decisions.probe(UnitId{1}, 100, std::nullopt, 3);
      decisions.assign(UnitId{1}, 10);
    }
    if (std::holds_alternative<BlockLost>(event.what)) told.push_back(1);
    if (const auto* probed = std::get_if<Probed>(&event.what)) {
      told.push_back(2);
      EXPECT_FALSE(probed->times);
      EXPECT_EQ(view.probes(), 0U);
    }
    if (std::holds_alternative<UnitLost>(event.what)) {
      told.push_back(3);
      decisions.assign(UnitId{0}, 10);
    }
  };
  ASSERT_TRUE(run_on(machine, policy, journal, items_of(10)).complete);
  EXPECT_EQ(told, (std::vector{1, 2, 3}));
  EXPECT_EQ(ends_of(journal), (std::vector{End{3, std::nullopt, 5}}));
}

TEST(Probe, HoldsBackNeitherAnIterationNorTheRun) {
  // Iterations end at 10 and 20 s. The probe of 140 bytes ends at 15 s, that of 900 would at 106 s.
  FakeSetup machine{{linked_unit(), linked_unit(), affine_unit(0, 1)}, {}, {}};
  MemoryJournal journal;
  const auto policy = [](const View& view, const Event& event, Decisions& decisions) {
    if (!has_started(event)) return;
    if (view.iteration() == 0) {
      decisions.probe(UnitId{0}, 140, std::nullopt, 1);
      decisions.probe(UnitId{1}, 900, 900, 2);
    }
    decisions.assign(UnitId{2}, 10);
  };
  ASSERT_TRUE(run_on(machine, policy, journal, items_of(10, 1, 2)).complete);
  EXPECT_EQ(ends_of(journal), std::vector{answered(1, 0, 15, 15, 0, 15)});
  ASSERT_EQ(journal.blocks.size(), 2U);
  EXPECT_DOUBLE_EQ(journal.blocks[1].begins.setup.value, 10.0);
  EXPECT_DOUBLE_EQ(journal.blocks[1].end.value, 20.0);
  EXPECT_EQ(journal.count<ProbeBegin>(), 2);
}

TEST(Probe, LetsTheNextBlockBringTheSetupOfOneThatWasTakenBack) {
  // A block is dispatched in 1 s and brings 5 s of setup. It is taken back before it begins, so the
  // probe begins at 1 s and ends at 3 s; the second block brings the setup up to 8 s and ends at 13
  // s.
  FakeUnit unit = linked_unit();
  unit.resident_s = 5.0;
  MemoryJournal journal;
  const auto policy = [](const View&, const Event& event, Decisions& decisions) {
    if (has_started(event)) {
      decisions.assign(UnitId{0}, 5);
      decisions.probe(UnitId{0}, 10);
      decisions.assign(UnitId{0}, 5);
      EXPECT_TRUE(decisions.take_back(UnitId{0}, 0));
    } else if (std::holds_alternative<BlockFinished>(event.what)) {
      decisions.assign(UnitId{0}, 5);
    }
  };
  ASSERT_TRUE(run_on({{unit}, Seconds{1}, {}}, policy, journal, items_of(10)).complete);
  EXPECT_EQ(ends_of(journal), std::vector{answered(0, 1, 2, 3, 0, 3)});
  EXPECT_DOUBLE_EQ(journal.blocks[0].times.setup.value, 5.0);
  EXPECT_DOUBLE_EQ(journal.blocks[0].end.value, 13.0);
}

TEST(Probe, DoesNotKeepARunFromItsEndForEver) {
  // The policy probes and hands nothing out: at once, or in a second each.
  for (const FakeUnit& unit : {affine_unit(0, 1), linked_unit()}) {
    MemoryJournal journal;
    const auto policy = [](const View&, const Event& event, Decisions& decisions) {
      const bool asks_again = std::holds_alternative<Probed>(event.what);
      if (asks_again || has_started(event)) decisions.probe(UnitId{0}, 0);
    };
    const RunOutcome outcome = run_on({{unit}, {}, {}}, policy, journal, items_of(10));
    EXPECT_TRUE(outcome.complete);
    EXPECT_TRUE(outcome.policy_stalled);
    EXPECT_NEAR(journal.count<Probed>(), 10'000, 2);
  }
}

/// Probes the first unit with `bytes` and gives it all items when that is answered.
Scripted probes_first(double bytes) {
  return Scripted([bytes](const View&, const Event& event, Decisions& decisions) {
    if (has_started(event)) decisions.probe(UnitId{0}, bytes, 10, 4);
    if (std::holds_alternative<Probed>(event.what)) decisions.assign(UnitId{0}, 10);
  });
}

TEST(Probe, IsComparedWhenARunIsChecked) {
  Scripted policy = probes_first(100);
  const RecordedRun run = record(policy, setup_of(1, items_of(10)), {{linked_unit()}, {}, {}});
  Scripted again = probes_first(100);
  const JournalCheck same = check_journal(run, again);
  EXPECT_FALSE(same.difference);
  EXPECT_EQ(same.blocks, 1U);
  Scripted other = probes_first(101);
  const JournalCheck check = check_journal(run, other);
  ASSERT_TRUE(check.difference);
  EXPECT_EQ(check.difference->recorded, "'probe' at 0 s of u0, with 100 bytes there, 10 back");
  EXPECT_EQ(check.difference->now, "'probe' at 0 s of u0, with 101 bytes there, 10 back");
  Scripted silent = pieces_of(10);
  EXPECT_TRUE(check_journal(run, silent).difference);
}

TEST(Probe, IsSentAgainWithRecordedDecisions) {
  // Where copies take twice as long, the probe ends at 24 s (22 s there, 2 s back), and the block
  // which waited for it in the recorded run begins then.
  Scripted policy = probes_first(100);
  const RunSetup setup = setup_of(1, items_of(10));
  const RecordedRun run = record(policy, setup, {{linked_unit()}, {}, {}});
  FakeUnit slow = affine_unit(0, 1);
  slow.probe_there_s = [](double bytes) { return 2.0 + bytes / 5.0; };
  slow.probe_back_s = [](double bytes) { return 1.0 + bytes / 10.0; };
  const RecordedDecisions decisions(run, setup.units, setup.phases, "run.jsonl");
  const auto executor = make_fake_executor({{slow}, {}, {}});
  MemoryJournal journal;
  ASSERT_TRUE(
      run_policy(*decisions.make_executor(*executor), *decisions.make_policy(), setup, journal)
          .complete);
  EXPECT_EQ(ends_of(journal), std::vector{answered(4, 0, 22, 22, 2, 24)});
  EXPECT_DOUBLE_EQ(journal.blocks[0].begins.compute.value, 24.0);
  EXPECT_DOUBLE_EQ(journal.blocks[0].end.value, 34.0);
}

}  // namespace
}  // namespace equipoise::probe_test
