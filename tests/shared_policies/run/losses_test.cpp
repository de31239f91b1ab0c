// Tests of the causes of a run's loss, with values worked out by hand.
#include "shared_policies/run/losses.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/contract/random_machine.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/metrics.hpp"
#include "shared_policies/run/results.hpp"
#include "tests/support/random_seed.hpp"

namespace equipoise::losses_test {
namespace {

/// A block of `items` with stages one after another up to `end_s`.
BlockRecord block(std::uint32_t unit, Items items, double assigned_s, const StageTimes& times,
                  double end_s) {
  BlockRecord record;
  record.unit = UnitId{unit};
  record.block.items = items;
  record.assigned = Seconds{assigned_s};
  record.times = times;
  record.end = Seconds{end_s};
  record.begins = back_to_back(times, record.end);
  return record;
}

StageTimes stages(double setup_s, double in_s, double compute_s, double out_s) {
  return {Seconds{setup_s}, Seconds{in_s}, Seconds{compute_s}, Seconds{out_s}};
}

StageTimes computing(double compute_s) { return stages(0, 0, compute_s, 0); }

EventRecord iteration(double at_s) { return {Seconds{at_s}, IterationBegin{}}; }

Losses losses_of(const LossAccount& account, double makespan_s) {
  const std::optional<Losses> losses = account.losses(Seconds{makespan_s});
  EXPECT_TRUE(losses);
  EXPECT_NEAR(total(*losses).value, makespan_s, 1e-12) << "the causes add up to the makespan";
  return *losses;
}

TEST(Losses, WeighTheTailOfAUnitByItsSpeed) {
  LossAccount account(std::vector<Unit>(2));
  account.event(iteration(0));
  account.block(block(1, 20, 0, computing(4), 4));  // 5 items/s, then idle for 2 s
  account.block(block(0, 60, 0, computing(6), 6));  // 10 items/s
  const Losses losses = losses_of(account, 6);
  EXPECT_DOUBLE_EQ(losses.computing.value, 80.0 / 15.0);
  EXPECT_DOUBLE_EQ(losses.tail.value, 2.0 * 5.0 / 15.0);
}

TEST(Losses, CountCopiesOnlyWhileTheUnitDoesNotCompute) {
  LossAccount account(std::vector<Unit>(1));
  account.event(iteration(0));
  account.block(block(0, 1, 0, stages(1, 2, 4, 1), 8));  // computes from 3 to 7, out from 7 to 8
  // In from 5 to 8 beside the first block, of which 1 s is not hidden, and that is beside its out.
  BlockRecord second = block(0, 1, 0, stages(0, 3, 2, 0.5), 10.5);
  second.begins.in = Seconds{5};
  account.block(second);
  const Losses losses = losses_of(account, 10.5);
  EXPECT_DOUBLE_EQ(losses.copies.value, 3 + 1 + 0.5);
  EXPECT_DOUBLE_EQ(losses.longest_setup.value, 1.0);
  EXPECT_DOUBLE_EQ(losses.computing.value, 6.0);
}

TEST(Losses, CountWhatACopyTakesLongerThanAloneAsLink) {
  const auto alone = [](UnitId /*unit*/, const Block& /*block*/, ResidentData data) {
    return stages(data == ResidentData::missing ? 1 : 0, 2, 0, 0.25);
  };
  LossAccount account(std::vector<Unit>(1), alone);
  account.event(iteration(0));
  account.block(block(0, 1, 0, stages(4, 2, 3, 1), 10));
  const Losses losses = losses_of(account, 10);
  EXPECT_DOUBLE_EQ(losses.link.value, 3 + 0 + 0.75);
  EXPECT_DOUBLE_EQ(losses.copies.value, 1 + 2 + 0.25);
  EXPECT_DOUBLE_EQ(losses.longest_setup.value, 4.0);
}

TEST(Losses, TellWaitingForOthersFromWaitingForTheController) {
  LossAccount account(std::vector<Unit>(2));
  account.event(iteration(0));
  account.block(block(0, 10, 0, computing(1), 1));  // event 1
  account.block(block(1, 10, 0, computing(3), 3));  // event 2
  // Both wait for unit 1, and then for a decision of 0.5 s. Dispatching takes another 0.25 s.
  BlockRecord next = block(0, 10, 3.5, computing(1), 4.75);
  next.after_events = 2;
  account.block(next);
  next = block(1, 10, 3.5, computing(3), 6.75);
  next.after_events = 2;
  account.block(next);
  const Losses losses = losses_of(account, 6.75);
  const double speeds = 10.0 + 10.0 / 3.0;
  EXPECT_DOUBLE_EQ(losses.controller.value, 0.75);
  EXPECT_DOUBLE_EQ(losses.barrier.value, 2.0 * 10.0 / speeds);
  EXPECT_DOUBLE_EQ(losses.tail.value, 2.0 * 10.0 / speeds);
  EXPECT_DOUBLE_EQ(losses.training.value, 0.0);
}

TEST(Losses, OfTwoLevelsCountTheEventsOfEachAgentApart) {
  LossAccount account(std::vector<Unit>(3));
  const auto add = [&account](BlockRecord record, std::uint32_t node, std::uint64_t after_events) {
    record.node = UnitId{node};
    record.after_events = after_events;
    account.block(record);
  };
  account.event(iteration(0));
  add(block(2, 10, 0, computing(0.5), 0.5), 4, 0);
  add(block(0, 10, 0, computing(1), 1), 3, 0);  // event 1 of node 3
  add(block(2, 10, 0.5, computing(0.5), 1), 4, 1);
  add(block(1, 10, 0, computing(3), 3), 3, 0);  // event 2
  add(block(0, 10, 3, computing(1), 4), 3, 2);  // has waited for unit 1, not for its agent
  const Losses losses = losses_of(account, 4);
  EXPECT_DOUBLE_EQ(losses.controller.value, 0.0);
  EXPECT_GT(losses.barrier.value, 0.0);
}

TEST(Losses, CallWaitingAfterATrainingBlockTraining) {
  LossAccount account(std::vector<Unit>(2));
  account.event(iteration(0));
  BlockRecord record = block(0, 10, 0, computing(1), 1);
  record.block.tag = BlockTag::train;
  account.block(record);
  account.block(block(1, 10, 0, computing(1), 1));
  account.event({Seconds{2}, TimerEnd{}});  // event 3
  for (std::uint32_t unit = 0; unit < 2; ++unit) {
    record = block(unit, 10, 2, computing(1), 3);
    record.after_events = 3;
    account.block(record);
  }
  const Losses losses = losses_of(account, 3);
  EXPECT_DOUBLE_EQ(losses.training.value, 0.5) << "unit 0, which has half of the speed";
  EXPECT_DOUBLE_EQ(losses.barrier.value, 0.5);
}

TEST(Losses, NameTheLongestSetupOfEveryIteration) {
  LossAccount account(std::vector<Unit>(2));
  account.event(iteration(0));
  account.block(block(0, 1, 0, stages(2, 0, 1, 0), 3));
  account.block(block(1, 1, 0, stages(5, 0, 1, 0), 6));
  account.event(iteration(6));
  account.block(block(1, 1, 6, stages(0.25, 0, 1, 0), 7.25));
  account.block(block(0, 1, 6, stages(0.5, 0, 1, 0), 7.5));
  EXPECT_DOUBLE_EQ(losses_of(account, 7.5).longest_setup.value, 5.5);
}

TEST(Losses, CallTheEndOfAnIterationABarrierAndOnlyThatOfTheRunATail) {
  LossAccount account(std::vector<Unit>(2));
  account.event(iteration(0.5));
  account.block(block(0, 10, 0.5, computing(1), 1.5));
  account.block(block(1, 10, 0.5, computing(2), 2.5));
  account.event(iteration(3));  // after merging for 0.5 s
  account.block(block(1, 5, 3, computing(1), 4));
  account.block(block(0, 20, 3, computing(2), 5));
  const Losses losses = losses_of(account, 5);
  EXPECT_DOUBLE_EQ(losses.controller.value, 0.5);
  EXPECT_DOUBLE_EQ(losses.barrier.value, (1.0 * 10 + 0.5 * 15) / 15);
  EXPECT_DOUBLE_EQ(losses.tail.value, 1.0 * 5 / 15);
}

TEST(Losses, ChargeLostBlocksToFailureAndAbsenceToNothing) {
  LossAccount account(std::vector<Unit>(2));
  account.event(iteration(0));
  account.block(block(0, 1, 0, computing(1), 1));
  account.event({Seconds{3}, UnitLost{UnitId{0}}});
  account.event({Seconds{3}, LostBlock{UnitId{0}, Block{2, 0, 1}, {}}});
  account.event({Seconds{4}, UnitJoined{UnitId{0}}});
  BlockRecord back = block(0, 3, 4, computing(3), 7);
  back.after_events = 4;
  account.block(back);
  account.block(block(1, 10, 0, computing(10), 10));
  const Losses losses = losses_of(account, 10);
  EXPECT_DOUBLE_EQ(losses.failure.value, 2.0 / 2.0);
  EXPECT_DOUBLE_EQ(losses.computing.value, (4.0 + 1.0) / 2.0 + 10.0 / 2.0) << "1 s was absence";
  EXPECT_DOUBLE_EQ(losses.tail.value, 3.0 / 2.0);
  EXPECT_DOUBLE_EQ(losses.controller.value, 0.0);
}

TEST(Losses, CallWaitingForACopyEngineOfAnotherUnitLink) {
  std::vector<Unit> units(3);
  units[0].device = units[1].device = "gpu";
  LossAccount account(units);
  account.event(iteration(0));
  for (std::uint32_t unit = 0; unit < 3; ++unit) {
    account.block(block(unit, 1, 0, stages(0, 1, 2, 0), 4));  // assigned 1 s before its copy in
  }
  const Losses losses = losses_of(account, 4);
  EXPECT_DOUBLE_EQ(losses.link.value, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(losses.controller.value, 1.0 / 3.0);
}

TEST(Losses, OfARepeatedRunCountWaitsAsTheRecordedPolicyMadeThem) {
  // Unit 0 waits from 1 s to 3 s for unit 1, whose end the policy waited for. A repeated run hands
  // out all blocks at the start, which is event 0, and holds this one back until 3 s.
  LossAccount account(std::vector<Unit>(2), {}, true);
  account.event(iteration(0));
  account.block(block(0, 1, 0, computing(1), 1));
  account.block(block(1, 3, 0, computing(3), 3));
  account.block(block(0, 1, 3, computing(1), 4));
  const Losses losses = losses_of(account, 4);
  EXPECT_DOUBLE_EQ(losses.barrier.value, 2.0 / 2.0) << "both units do an item a second";
  EXPECT_DOUBLE_EQ(losses.controller.value, 0.0);
}

TEST(Losses, AreUnknownWhereAUnitTakesNoTime) {
  LossAccount account(std::vector<Unit>(2));
  EXPECT_FALSE(account.losses(Seconds{0}));
  account.block(block(0, 1, 0, computing(0), 1));
  EXPECT_FALSE(account.losses(Seconds{1}));
}

TEST(Losses, OverTheBoundAddUpToTheLoss) {
  const Losses run{.computing = Seconds{6}, .copies = Seconds{3}, .tail = Seconds{1}};
  const Losses over = over_bound(run, Seconds{4});
  EXPECT_DOUBLE_EQ(over.computing.value, 2.0);
  EXPECT_DOUBLE_EQ(over.copies.value, 3.0);
  EXPECT_DOUBLE_EQ(total(over).value, 10.0 - 4.0);
}

TEST(Losses, LeaveOutWhatTheBoundCannotAvoidEither) {
  const Losses run{.computing = Seconds{2},
                   .link = Seconds{3},
                   .copies = Seconds{1},
                   .controller = Seconds{1},
                   .tail = Seconds{3},
                   .failure = Seconds{1}};  // 11 s
  // 2 s of the bound are no computing: half of the 4 s of copying.
  const Losses over = over_bound(run, Seconds{4});
  EXPECT_DOUBLE_EQ(over.link.value, 1.5);
  EXPECT_DOUBLE_EQ(over.copies.value, 0.5);
  EXPECT_DOUBLE_EQ(over.tail.value, 3.0);
  EXPECT_DOUBLE_EQ(over.failure.value, 1.0);
  EXPECT_DOUBLE_EQ(over.computing.value, 0.0);
  // 6.5 s: all copying, and half of the rest.
  EXPECT_DOUBLE_EQ(over_bound(run, Seconds{8.5}).copies.value, 0.0);
  EXPECT_DOUBLE_EQ(over_bound(run, Seconds{8.5}).tail.value, 1.5);
  EXPECT_DOUBLE_EQ(over_bound(run, Seconds{8.5}).failure.value, 0.5);
  // By luck a run can be under its bound.
  EXPECT_DOUBLE_EQ(over_bound(run, Seconds{11.5}).computing.value, -0.5);
  EXPECT_DOUBLE_EQ(total(over_bound(run, Seconds{11.5})).value, -0.5);
}

TEST(Losses, DoNotContainTheMergesThatAreInTheBound) {
  const Losses run{.computing = Seconds{6},
                   .copies = Seconds{3},
                   .barrier = Seconds{5},
                   .merging = Seconds{4}};  // 14 s
  // A bound of 9 s: 4 s of merges and 5 s of computing.
  const Losses over = over_bound(run, Seconds{9});
  EXPECT_DOUBLE_EQ(over.computing.value, 1.0);
  EXPECT_DOUBLE_EQ(over.copies.value, 3.0);
  EXPECT_DOUBLE_EQ(over.barrier.value, 1.0);
  EXPECT_DOUBLE_EQ(total(over).value, 14.0 - 9.0);
}

/// Numbers of a run of 100 s that had a block on some units of each phase.
RunNumbers run_that_used(const std::vector<std::vector<bool>>& phases) {
  RunNumbers numbers;
  numbers.makespan = Seconds{100};
  for (const std::vector<bool>& used : phases) {
    std::vector<UnitInPhase>& units = numbers.phases.emplace_back(used.size());
    for (std::size_t p = 0; p < used.size(); ++p) units[p].blocks = used[p] ? 1 : 0;
  }
  return numbers;
}

Seconds time_of_unused(const RunNumbers& run, const std::vector<BoundPhase>& bound) {
  EXPECT_EQ(time_without(run, bound).dropped, Seconds{}) << "no block was dropped";
  return time_without(run, bound).unused;
}

TEST(Losses, CountWhatUnitsWithoutABlockWouldHaveDoneAtTheSpeedsOfTheBound) {
  // 12 items in 3 s: unit 0 does 9 of them, at 3 items/s, and would need 4 s for all; unit 1 does
  // 3, and would need 12 s; the bound has no work for unit 2.
  const std::vector<BoundPhase> bound = {{Seconds{3}, {9, 3, 0}}};
  EXPECT_DOUBLE_EQ(time_of_unused(run_that_used({{true, false, false}}), bound).value, 4.0 - 3.0);
  EXPECT_DOUBLE_EQ(time_of_unused(run_that_used({{false, true, true}}), bound).value, 12.0 - 3.0);
  EXPECT_DOUBLE_EQ(time_of_unused(run_that_used({{true, true, false}}), bound).value, 0.0);
  // The units that were used have no part in the bound: all of the run, as far as it is a loss.
  EXPECT_DOUBLE_EQ(time_of_unused(run_that_used({{false, false, true}}), bound).value, 100.0);
  // Two phases of 3 s; a unit that has blocks in one of them only is unused in the other.
  const std::vector<BoundPhase> two = {bound.front(), {Seconds{3}, {4, 4, 4}}};
  EXPECT_DOUBLE_EQ(
      time_of_unused(run_that_used({{true, false, true}, {true, true, false}}), two).value,
      1.0 + 3.0 * 4 / 8);
  // Without a bound, and in phases that never began, nothing is known to be unused.
  EXPECT_DOUBLE_EQ(time_of_unused(run_that_used({{true, false, false}}), {}).value, 0.0);
  EXPECT_DOUBLE_EQ(time_of_unused(run_that_used({{false, false, false}}), bound).value, 0.0);
}

TEST(Losses, CountUnitsThatWorkedInVainAsRedoneNotAsUnused) {
  // 12 items in 3 s, 6 of them on unit 0, 4 on unit 1 and 2 on unit 2. Unit 0 alone would need 6 s.
  const std::vector<BoundPhase> bound = {{Seconds{3}, {6, 4, 2}}};
  RunNumbers numbers = run_that_used({{true, false, false}});
  numbers.phases[0][0].dropped = 1;  // beside blocks that counted
  numbers.phases[0][1].dropped = 1;  // all that it had
  const WithoutUnits without = time_without(numbers, bound);
  EXPECT_DOUBLE_EQ(without.unused.value, 3.0 * 2 / 6);
  EXPECT_DOUBLE_EQ(without.dropped.value, 3.0 * 4 / 6);
  // A run of 6.5 s of computing: 1 s because unit 2 was not used, 2 s because unit 1 worked in
  // vain, and 0.5 s because blocks were small. Unit 0 had done 0.25 s again besides.
  Losses run{.computing = Seconds{6.5}, .redone = Seconds{0.25}};
  run.without_unused = without.unused;
  run.without_dropped = without.dropped;
  const Losses over = over_bound(run, Seconds{3});
  EXPECT_DOUBLE_EQ(over.unused.value, 1.0);
  EXPECT_DOUBLE_EQ(over.redone.value, 2.25);
  EXPECT_DOUBLE_EQ(over.computing.value, 0.5);
  EXPECT_DOUBLE_EQ(total(over).value, 6.75 - 3.0);
  run.computing = Seconds{5};  // no more than what computing takes longer, 2 s
  EXPECT_DOUBLE_EQ(over_bound(run, Seconds{3}).redone.value, 1.25);
}

TEST(Losses, TellUnitsThatWereNotUsedFromComputingThatTookLonger) {
  // The bound above, and a run that used unit 0 alone, at 2 instead of 3 items/s: 6 s, of which 1 s
  // is because unit 1 was not used, and 2 s because blocks were small.
  const Losses run{.computing = Seconds{6}, .copies = Seconds{0.5}, .without_unused = Seconds{1}};
  const Losses over = over_bound(run, Seconds{3});
  EXPECT_DOUBLE_EQ(over.unused.value, 1.0);
  EXPECT_DOUBLE_EQ(over.computing.value, 2.0);
  EXPECT_DOUBLE_EQ(over.copies.value, 0.5);
  EXPECT_DOUBLE_EQ(total(over).value, 6.5 - 3.0);
  // Luck, or a bound that copies set: no more than what computing takes longer.
  const Losses lucky{.computing = Seconds{3.25}, .tail = Seconds{1}, .without_unused = Seconds{1}};
  EXPECT_DOUBLE_EQ(over_bound(lucky, Seconds{3}).unused.value, 0.25);
  EXPECT_DOUBLE_EQ(over_bound(lucky, Seconds{3}).computing.value, 0.0);
  const Losses quick{.computing = Seconds{2}, .tail = Seconds{2}, .without_unused = Seconds{1}};
  EXPECT_DOUBLE_EQ(over_bound(quick, Seconds{3}).unused.value, 0.0);
  EXPECT_DOUBLE_EQ(total(over_bound(quick, Seconds{3})).value, 4.0 - 3.0);
}

TEST(Losses, KnowTheMergesBetweenTheIterationsOfAPhase) {
  LossAccount account(std::vector<Unit>(2));
  const auto done = [&](std::uint32_t unit, int phase, int iteration, double begin_s,
                        double end_s) {
    BlockRecord record = block(unit, 10, begin_s, computing(end_s - begin_s), end_s);
    record.block.phase = phase;
    record.block.iteration = iteration;
    account.block(record);
  };
  account.event(iteration(0));
  done(1, 0, 0, 0.0, 1.0);  // then waits for 1 s
  done(0, 0, 0, 0.0, 2.0);
  account.event(iteration(2.5));  // merged
  done(0, 0, 1, 2.5, 3.5);
  done(1, 0, 1, 2.5, 3.5);
  account.event(iteration(3.75));  // the first one of the next phase: a decision came before
  done(0, 1, 0, 3.75, 4.75);
  done(1, 1, 0, 3.75, 4.75);
  const Losses losses = losses_of(account, 4.75);
  EXPECT_DOUBLE_EQ(losses.merging.value, 0.5);
  // u1 has 2/3 of the speed in the first iteration.
  EXPECT_NEAR(losses.barrier.value, 2.0 / 3.0 + 0.5 + 0.25, 1e-12);
}

TEST(Losses, OfAResultAreTheMeanOfItsRuns) {
  const auto run = [](double tail_s) {
    Metrics metrics(std::vector<Unit>(2));
    metrics.block(block(0, 10, 0, computing(1), 1));
    metrics.block(
        block(1, 10 * static_cast<Items>(1 + tail_s), 0, computing(1 + tail_s), 1 + tail_s));
    return PolicyRun{metrics.numbers(), true, false};
  };
  const PolicyResult result = summarise("greedy", "sim", {run(1), run(2)}, 1.5);
  ASSERT_TRUE(result.loss);
  EXPECT_DOUBLE_EQ(result.loss->tail.value, (1.0 / 2 + 2.0 / 2) / 2);
  EXPECT_NEAR(total(*result.loss).value, 2.5 - 1.5, 1e-12);
  EXPECT_FALSE(summarise("greedy", "sim", {run(1)}, std::nullopt).loss);
}

/// Runs a policy of the catalog on a random machine, with faults, overlap, phases and iterations.
TEST(Losses, AddUpToTheMakespanWhateverHappens) {
  std::mt19937 random(random_seed());
  for (int round = 0; round < rounds_of(100); ++round) {
    for (const PolicyInfo& info : policy_catalog()) {
      RandomMachine machine = random_machine_with_phases(random);
      add_scenario(machine, random);
      const auto policy = make_policy(info, {{}, &machine.known, machine.run.units});
      const auto executor = make_fake_executor(machine.fake);
      Metrics metrics(machine.run.units);
      ASSERT_TRUE(run_policy(*executor, *policy, machine.run, metrics).complete) << info.name;
      const RunNumbers numbers = metrics.numbers();
      ASSERT_TRUE(numbers.losses) << info.name;
      EXPECT_NEAR(total(*numbers.losses) / numbers.makespan, 1.0, 1e-9) << info.name;
      for (const LossCause& cause : loss_causes) {
        EXPECT_GE(((*numbers.losses).*cause.member).value, 0.0) << info.name;
      }
    }
  }
}

}  // namespace
}  // namespace equipoise::losses_test
