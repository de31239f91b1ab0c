// Tests of backup=on, on schedules that were worked out by hand and in random runs.
#include "shared_policies/policies/backup_tasks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/contract/memory_journal.hpp"
#include "shared_policies/machine/item_costs.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/policy_schedule.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise::backup_tasks_test {
namespace {

/// greedy with blocks of 10 items, and backup tasks, on units of so many seconds per item.
PolicyTest backed_up(Items items, const std::vector<double>& item_s) {
  PolicyTest test;
  test.policy = "greedy";
  test.parameters = {{"initial_block_items", "10"}, {"backup", "on"}};
  test.items = items;
  for (const double per_item_s : item_s) add_affine(test, 0.0, per_item_s);
  return test;
}

constexpr double never = 1e300;

/// `unit` does nothing from `at` on, until `until`.
Disturbance stall(const std::string& unit, double at, double until = never) {
  Disturbance stalled = disturb(DisturbanceKind::profile, unit, at);
  stalled.profile = {{Seconds{0}, 0.0}, {Seconds{until - at}, 1.0}};
  return stalled;
}

void stop(PolicyTest& test, const std::string& unit, double at, double until) {
  test.fake.scenario.events.push_back(stall(unit, at, until));
}

std::vector<LostBlock> lost_in(const Schedule& schedule) {
  std::vector<LostBlock> lost;
  for (const EventRecord& record : schedule.events) {
    if (const auto* block = std::get_if<LostBlock>(&record.what)) lost.push_back(*block);
  }
  return lost;
}

TEST(BackupTasks, GiveTheLastBlockToTheUnitThatWouldEndItFirst) {
  // u0 takes 1 s for a block, u1 2.5 s. u0 begins blocks at 0, 1 and 2 s, u1 at 0 and 2.5 s. When
  // u0 has nothing to do at 3 s, the last block should end on u1 at 5 s; u0 ends it at 4 s.
  const Schedule schedule = run_schedule(backed_up(50, {0.1, 0.25}));
  expect_all_done(schedule, 50);
  EXPECT_NEAR(schedule.makespan(), 4.0, 1e-12);
  ASSERT_EQ(lost_in(schedule).size(), 1U);
  EXPECT_EQ(lost_in(schedule)[0].by, LostBy::copy);
  EXPECT_EQ(lost_in(schedule)[0].unit.index, 1U);
}

TEST(BackupTasks, AreNotGivenWhereTheBlocksOwnUnitWouldEndItSooner) {
  // The fourth block goes to u0 at 2 s, which ends it at 3 s. u1 has nothing to do, and would take
  // 2 s.
  const Schedule schedule = run_schedule(backed_up(40, {0.1, 0.2}));
  EXPECT_NEAR(schedule.makespan(), 3.0, 1e-12);
  EXPECT_TRUE(lost_in(schedule).empty());
}

TEST(BackupTasks, AreGivenOnceABlockIsOverdueByWhatDoingItAgainTakes) {
  // Each unit takes 1 s for a block. u1 stops at 1.5 s: its second block is due at 2 s, and given
  // again at 3 s.
  PolicyTest test = backed_up(40, {0.1, 0.1});
  stop(test, "u1", 1.5, never);
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 40);
  EXPECT_NEAR(schedule.makespan(), 4.0, 1e-12);
}

TEST(BackupTasks, AreGivenThoughMoreBlocksAreOutThanAreLookedAtAtEachEvent) {
  // Blocks take 1 s. u0 does 101 of them by 101 s, and then those of 100 units that have stopped.
  // While more than 96 are out, the end of a copy and the loss of its block are too few events for
  // a look: u0 waits until the run is older by a hundredth, 0.05 s more for each of four blocks at
  // most (1.01 * 1.01^4 - 1).
  PolicyTest test = backed_up(2010, std::vector<double>(101, 0.1));
  for (int unit = 1; unit <= 100; ++unit) stop(test, fmt::format("u{}", unit), 0.5, never);
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 2010);
  EXPECT_GE(schedule.makespan(), 201.0);
  EXPECT_LE(schedule.makespan(), 201.0 + 4 * 0.05);
}

TEST(BackupTasks, AcceptAnAnswerThatComesLateButFirst) {
  // As above, but u1 goes on at 2.8 s: its block ends at 3.3 s.
  PolicyTest test = backed_up(40, {0.1, 0.1});
  stop(test, "u1", 1.5, 2.8);
  const Schedule schedule = run_schedule(test);
  EXPECT_NEAR(schedule.makespan(), 3.3, 1e-12);
  ASSERT_EQ(lost_in(schedule).size(), 1U);
  EXPECT_EQ(lost_in(schedule)[0].unit.index, 0U);
}

/// Gives every unit ten items, and again when all are back.
class InRounds final : public Policy {
 public:
  void decide(const View& view, const Event& /*event*/, Decisions& decisions) override {
    if (view.outstanding() > 0) return;
    for (const UnitState& unit : view.units()) {
      if (unit.going_on.empty()) decisions.assign(unit.id, 10);
    }
  }
};

/// Does `items` in rounds, with backup tasks.
void do_in_rounds(Items items, const FakeSetup& machine, MemoryJournal& journal) {
  const auto executor = make_fake_executor(machine);
  const auto policy = make_backup_tasks(std::make_unique<InRounds>());
  EXPECT_TRUE(
      run_policy(*executor, *policy, setup_of(machine.units.size(), items_of(items)), journal)
          .complete);
}

FakeSetup machine_of(const std::vector<double>& item_s) {
  FakeSetup machine;
  for (const double s : item_s) machine.units.push_back(affine_unit(0.0, s));
  return machine;
}

TEST(BackupTasks, AreGivenWhereThePolicyWaitsForAUnitThoughItemsAreLeft) {
  // Blocks take 1 s. u2 stops at 1.5 s: its second block is due at 2 s, when the others get
  // nothing, and has taken twice as long at 3 s. u0 does it by 4 s. Then u0 and u1 do 20 items by 5
  // s, and u0 the last 10 by 6 s.
  FakeSetup machine = machine_of({0.1, 0.1, 0.1});
  machine.scenario.events = {stall("u2", 1.5)};
  MemoryJournal journal;
  do_in_rounds(90, machine, journal);
  EXPECT_NEAR(journal.blocks.back().end.value, 6.0, 1e-12);
}

TEST(BackupTasks, AreNotGivenAtABarrierToWhatIsSlowButAsExpected) {
  // u1 takes 9 s for each of its two blocks, of which only the first has to tell that.
  MemoryJournal journal;
  do_in_rounds(50, machine_of({0.1, 0.9}), journal);
  EXPECT_NEAR(journal.blocks.back().end.value, 9.0 + 9.0 + 1.0, 1e-12);
  EXPECT_EQ(journal.blocks.size(), 5U);
  for (const EventRecord& event : journal.events) {
    EXPECT_FALSE(std::holds_alternative<LostBlock>(event.what));
  }
}

TEST(BackupTasks, AreGivenAtABarrierForAUnitThatIsSilentFromTheStart) {
  // u0 does its first block by 1 s. u1 may take ten times as long: until 10 s. u0 does its block by
  // 11 s, and the last ten items by 12 s.
  MemoryJournal journal;
  do_in_rounds(30, machine_of({0.1, 1e9}), journal);
  EXPECT_NEAR(journal.blocks.back().end.value, 12.0, 1e-9);
}

TEST(BackupTasks, AreGivenAtABarrierAlsoWhileAnotherUnitIsWaitedForLonger) {
  // u0 takes 5 s for a block and the others 1 s. u0's first block may take 10 s. u2 stops at 5.5 s
  // in the second round: its block is due at 6 s, when u1 gets nothing, and has taken twice as long
  // at 7 s. u1 does it by 8 s.
  FakeSetup machine = machine_of({0.5, 0.1, 0.1});
  machine.scenario.events = {stall("u2", 5.5)};
  MemoryJournal journal;
  do_in_rounds(90, machine, journal);
  const auto ends = [](double at_s) {
    return [at_s](const BlockRecord& block) {
      return block.unit.index == 1 && std::abs(block.end.value - at_s) < 1e-9;
    };
  };
  EXPECT_TRUE(std::ranges::any_of(journal.blocks, ends(6.0)));
  EXPECT_TRUE(std::ranges::any_of(journal.blocks, ends(8.0)));
}

TEST(BackupTasks, JudgeAFirstBlockByTheQuickestUnit) {
  // u1 needs 10 s for its only block. u0 has done two by 2 s: u1's should have ended at 1 s, and is
  // overdue by 1 s.
  const Schedule schedule = run_schedule(backed_up(30, {0.1, 1.0}));
  expect_all_done(schedule, 30);
  EXPECT_NEAR(schedule.makespan(), 3.0, 1e-12);
}

TEST(BackupTasks, TakeTheLastOfTheBlocksThatWaitOnAUnit) {
  // Each unit has two blocks. u0 does 4 by 4 s. u1 takes 5 s for a block; of its two, that which it
  // has not begun would end last. u0 ends it at 5 s, when u1 ends its first.
  PolicyTest test = backed_up(60, {0.1, 0.5});
  test.slots = 2;
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 60);
  EXPECT_NEAR(schedule.makespan(), 5.0, 1e-12);
}

TEST(BackupTasks, TakeBackTheOneThatHasRunForLessOfTwoBlocksThatAreBothOverdue) {
  // u1 stops at 1.5 s, and its block is given to u0 at 3 s. That stops at 3.2 s. The copy is due at
  // 4 s. Given once, it must be overdue by twice what doing it again takes: u2 gets it at 6 s. As
  // far as anybody knows, the items are dear, and u1 will end them before u0 does.
  PolicyTest test = backed_up(60, {0.1, 0.1, 0.1});
  stop(test, "u1", 1.5, never);
  stop(test, "u0", 3.2, never);
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 60);
  EXPECT_NEAR(schedule.makespan(), 7.0, 1e-12);
  ASSERT_EQ(lost_in(schedule).size(), 2U);
  EXPECT_EQ(lost_in(schedule)[0].by, LostBy::take_back);
  EXPECT_EQ(lost_in(schedule)[0].unit.index, 0U);
  EXPECT_EQ(lost_in(schedule)[1].by, LostBy::copy);
}

TEST(BackupTasks, KeepABlockOfDearItemsUntilItsUnitEndsIt) {
  // An item costs 0.2 s in u0's only block, of 10 items, and 0.01 s in all others. u1 and u2 do
  // theirs by 0.1 s, and each other's pace says that u0's will take 0.1 s again. They begin it, at
  // the earliest at 0.2 s, but it ends at 2 s, on u0.
  PolicyTest test = backed_up(30, {0.1, 0.1, 0.1});
  test.fake.items = {
      std::make_shared<const ItemCosts>(std::vector<CostRange>{{0, 10, 2.0}, {10, 20, 0.1}})};
  const Schedule schedule = run_schedule(test);
  expect_all_done(schedule, 30);
  // Scaled to mean 1: 30 / 22 times 2 s.
  EXPECT_NEAR(schedule.makespan(), 60.0 / 22.0, 1e-9);
  EXPECT_EQ(schedule.blocks_on(0).size(), 1U);
}

TEST(BackupTasks, DoNotExpectASmallerBlockToTakeLess) {
  // Every block takes 1 s, whatever its size, as where libraries compute whole tiles. The last one
  // has one item: begun at 1 s, it is due at 2 s, and nobody would end it sooner.
  PolicyTest test = backed_up(21, {0.0, 0.0});
  for (FakeUnit& unit : test.fake.units) unit.compute_s = [](double) { return 1.0; };
  const Schedule schedule = run_schedule(test);
  EXPECT_NEAR(schedule.makespan(), 2.0, 1e-12);
  EXPECT_TRUE(lost_in(schedule).empty());
}

TEST(BackupTasks, JudgeALargeBlockByTheLatestLargeOne) {
  // u0 takes 1 s + 0.01 s an item: 2 s for its first block of 100 items, 1.01 s for one of one
  // item. u1 begins a block of 100 items at 5 s, which takes 50 s. u0 does it by 7 s; from its
  // latest block it would have been 101 s.
  FakeSetup machine{{affine_unit(1.0, 0.01), affine_unit(0.0, 0.5)}, {}, {}};
  const std::map<std::uint32_t, std::vector<Items>> sizes = {{0, {100, 1}}, {1, {10, 100}}};
  std::map<std::uint32_t, std::size_t> given;
  const auto policy = make_backup_tasks(
      std::make_unique<Scripted>([&](const View&, const Event& event, Decisions& to) {
        const auto* const idle = std::get_if<UnitIdle>(&event.what);
        if (idle == nullptr) return;
        const std::vector<Items>& of = sizes.at(idle->unit.index);
        std::size_t& next = given[idle->unit.index];
        if (next < of.size()) to.assign(idle->unit, of[next++]);
      }));
  MemoryJournal journal;
  ASSERT_TRUE(run_policy(*make_fake_executor(machine), *policy, setup_of(2, items_of(211)), journal)
                  .complete);
  EXPECT_NEAR(journal.blocks.back().end.value, 7.0, 1e-12);
}

TEST(BackupTasks, AreNotHeardOfByThePolicy) {
  // u1 stops at 1.5 s. The policy's timers have any number, and say so when they fire.
  std::vector<std::string> heard;
  auto inner = std::make_unique<Scripted>([&](const View&, const Event& event, Decisions& to) {
    if (std::holds_alternative<IterationStarted>(event.what)) {
      to.set_timer(Seconds{0.25}, 0);
      to.set_timer(Seconds{0.5}, ~std::uint64_t{0});
    } else if (const auto* fired = std::get_if<TimerFired>(&event.what)) {
      heard.push_back("timer " + std::to_string(fired->timer));
    } else if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
      heard.push_back("finished " + std::to_string(finished->block.id));
    } else if (const auto* lost = std::get_if<BlockLost>(&event.what)) {
      EXPECT_EQ(lost->by, LostBy::copy);
      EXPECT_FALSE(lost->returns_items);
      heard.push_back("lost " + std::to_string(lost->block.id));
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      to.assign(idle->unit, 10);
    }
  });
  PolicyTest test = backed_up(40, {0.1, 0.1});
  stop(test, "u1", 1.5, never);
  const auto policy = make_backup_tasks(std::move(inner));
  MemoryJournal journal;
  ASSERT_TRUE(
      run_policy(*make_fake_executor(test.fake), *policy, setup_of(2, items_of(40)), journal)
          .complete);
  EXPECT_EQ(heard, (std::vector<std::string>{"timer 0", "timer 18446744073709551615", "finished 0",
                                             "finished 1", "finished 2", "lost 3"}));
}

TEST(BackupTasks, AreOnOrOff) {
  const std::string refusal = refusal_of([&] {
    (void)make_policy(find_policy("gss"), {{{"backup", "yes"}}});
  });
  EXPECT_NE(refusal.find("backup"), std::string::npos) << refusal;
}

/// Units of which all but the first stall, slow down, or stop for ever and do not say so.
PolicyTest disturbed(std::mt19937& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const std::vector<std::string> policies = {"greedy", "ss", "gss",     "tss",  "fac2",     "awf-b",
                                             "awf-c",  "af", "hguided", "mfsc", "equipoise"};
  PolicyTest test;
  test.policy = policies[random() % policies.size()];
  test.parameters = {{"backup", "on"}};
  test.items = static_cast<Items>(50 + random() % 400);
  test.iterations = static_cast<int>(1 + random() % 3);
  test.slots = static_cast<int>(1 + random() % 3);
  const std::size_t units = 2 + random() % 4;
  for (std::size_t p = 0; p < units; ++p) {
    FakeUnit unit = affine_unit(uniform(0, 0.1), uniform(0.01, 0.5));
    const double in = uniform(0, 0.1);
    const double out = uniform(0, 0.1);
    if (random() % 2 == 0) unit.in_s = [in](double items) { return in * items; };
    if (random() % 2 == 0) unit.out_s = [out](double items) { return out * items; };
    unit.resident_s = random() % 2 == 0 ? uniform(0, 2) : 0.0;
    test.fake.units.push_back(unit);
    const std::string name = "u" + std::to_string(p);
    const double at = uniform(0, 20);
    const std::size_t what = random() % 4;
    if (p > 0 && what == 0) stop(test, name, at, never);
    if (what == 1) stop(test, name, at, at + uniform(0, 20));
    if (what == 2) {
      test.fake.scenario.events.push_back(
          disturb(DisturbanceKind::slow, name, at, uniform(1, 30), Seconds{at + uniform(0, 20)}));
    }
  }
  return test;
}

TEST(BackupTasks, EndEveryRunInWhichUnitsStallSlowDownOrStopForEver) {
  const unsigned seed = random_seed();
  for (int round = 0; round < rounds_of(1000); ++round) {
    std::mt19937 random(seed + static_cast<unsigned>(round));
    const PolicyTest test = disturbed(random);
    SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed) + ", round " +
                 std::to_string(round) + ": " + test.policy);
    const Schedule schedule = run_schedule(test);
    expect_all_done(schedule, test.items * test.iterations);
    std::map<std::uint64_t, int> ends;
    for (const BlockRecord& record : schedule.blocks) ++ends[record.block.id];
    for (const LostBlock& lost : lost_in(schedule)) ++ends[lost.block.id];
    for (const auto& [id, count] : ends) EXPECT_EQ(count, 1) << "block " << id;
  }
}

}  // namespace
}  // namespace equipoise::backup_tasks_test
