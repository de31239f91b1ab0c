// Tests of paced units: they take the times of a trace in real time, and overlap blocks as the
// model says.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "real/paced/paced_worker.hpp"
#include "real/real_executor.hpp"
#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/random_policy.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/real_runs.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise::paced_test {
namespace {

/// A trace of one unit with samples of items and seconds.
Trace trace_of(const std::vector<std::pair<double, double>>& samples) {
  Trace trace;
  trace.units.resize(1);
  for (const auto& [items, compute_s] : samples) {
    TraceSample sample;
    sample.items = items;
    sample.compute_mean_s = compute_s;
    trace.samples.push_back(sample);
  }
  return trace;
}

Workload copied_items(Items items) {
  Workload workload = items_of(items);
  workload.in_bytes_per_item = 1e6;
  workload.out_bytes_per_item = 1e6;
  workload.resident_bytes = 2e6;
  workload.iteration_bytes = 5e5;
  return workload;
}

/// One unit that takes 1 ms in, 2 ms compute and 1 ms out per item.
RealSetup setup_of(const std::string& unit, const Trace& trace, Seconds first_use = Seconds{5e-3}) {
  RealSetup setup;
  setup.units = parse_units({unit});
  setup.phases = {RealPhase(copied_items(100), nullptr, Seconds{})};
  setup.draws.noise = false;
  const CopySpeed copies{Seconds{}, 1e9};
  setup.units[0].factory =
      make_paced_factory("x", {{BlockTiming(trace, 0), first_use, {copies, copies}}});
  return setup;
}

RealSetup setup_of(const std::string& unit) {
  return setup_of(unit, trace_of({{1, 2e-3}, {10, 2e-2}}));
}

/// The times at which blocks of one item end, when all are handed out at once.
std::vector<double> ends_s(RealSetup setup, std::uint64_t blocks) {
  std::vector<double> ends;
  const auto executor = make_real_executor(std::move(setup));
  executor->run([&] {
    for (std::uint64_t i = 0; i < blocks; ++i) {
      executor->start({.id = i, .first = static_cast<Items>(i), .items = 1}, UnitId{0});
    }
    for (std::uint64_t i = 0; i < blocks; ++i) {
      const auto event = executor->next(Seconds::infinity());
      if (!event) break;
      ends.push_back(event->at.value);
    }
  });
  return ends;
}

/// Two units, the first of which takes `slow_s` for a block of any size, the second 1 ms.
RealSetup slow_and_fast(double slow_s, const std::string& more) {
  RealSetup setup = setup_of("paced,trace_unit=x");
  setup.units = parse_units({"paced,trace_unit=x" + more, "paced,trace_unit=x" + more});
  setup.phases = {RealPhase(items_of(100), nullptr, Seconds{})};
  for (std::size_t i = 0; i < 2; ++i) {
    const double time_s = i == 0 ? slow_s : 1e-3;
    const Trace trace = trace_of({{1, time_s}, {100, time_s}});
    setup.units[i].factory = make_paced_factory("x", {{BlockTiming(trace, 0), Seconds{}, {}}});
    setup.units[i].unit.slots = 2;
  }
  return setup;
}

TEST(Paced, GivesBlocksBackThatItHasNotBegunAndLetsOthersDoWhatTakesLong) {
  // The first unit would take an hour for each of its blocks.
  for (const std::string engines : {",copy_engines=0", ",copy_engines=1"}) {
    Scripted policy([&](const View& view, const Event& event, Decisions& decisions) {
      if (std::holds_alternative<IterationStarted>(event.what)) {
        decisions.assign(UnitId{0}, 50);
        decisions.assign(UnitId{0}, 50);
        decisions.set_timer(Seconds{5e-3}, 1);
      } else if (std::holds_alternative<TimerFired>(event.what)) {
        EXPECT_TRUE(decisions.take_back(UnitId{0}, 1));
        EXPECT_EQ(decisions.give_twice(0, UnitId{0}, UnitId{1}), 50);
      } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
        if (idle->unit.index == 1 && view.remaining() > 0) decisions.assign(idle->unit, 10);
      }
    });
    MemoryJournal journal;
    EXPECT_TRUE(run_by(policy, slow_and_fast(3600.0, engines), journal).complete);
    for (const BlockRecord& block : journal.blocks) EXPECT_EQ(block.unit.index, 1U);
    EXPECT_EQ(journal.count<LostBlock>(), 2);
  }
}

TEST(Paced, DoesEveryItemOnceWhateverAPolicyDoes) {
  const unsigned seed = random_seed();
  for (int round = 0; round < rounds_of(100); ++round) {
    SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed) + ", round " +
                 std::to_string(round));
    const std::string engines = ",copy_engines=" + std::to_string(round % 3);
    RandomPolicy policy(seed + static_cast<unsigned>(round), 20, Seconds{2e-3});
    MemoryJournal journal;
    EXPECT_TRUE(run_by(policy, slow_and_fast(2e-3, engines), journal).complete);
  }
}

TEST(Paced, TakesExactlyTheTimesOfTheModelAndNoLess) {
  RealSetup setup = setup_of("paced,trace_unit=x");
  std::optional<PacingReport> pacing;
  setup.report_pacing = [&](const PacingReport& report) { pacing = report; };
  const auto executor = make_real_executor(std::move(setup));
  executor->run([&] {
    executor->start({.id = 0, .first = 0, .items = 5}, UnitId{0});
    auto event = executor->next(Seconds::infinity());
    ASSERT_TRUE(event);
    const BlockFinished first = std::get<BlockFinished>(event->what);
    // Setup: 5 ms of first use and 2 MB of resident data. In: 5 MB. Compute: 10 ms. Out: 5 MB.
    EXPECT_NEAR(first.times.setup.value, 7e-3, 1e-12);
    EXPECT_NEAR(first.times.in.value, 5e-3, 1e-12);
    EXPECT_NEAR(first.times.compute.value, 10e-3, 1e-12);
    EXPECT_NEAR(first.times.out.value, 5e-3, 1e-12);
    EXPECT_GE(event->at - first.assigned, total(first.times));
    executor->start({.id = 1, .first = 5, .items = 1}, UnitId{0});
    event = executor->next(Seconds::infinity());
    ASSERT_TRUE(event);
    const StageTimes& second = std::get<BlockFinished>(event->what).times;
    EXPECT_EQ(second.setup, Seconds{});
    EXPECT_NEAR(second.in.value, 1e-3, 1e-12);
    executor->begin_iteration(0, 1);
    executor->start({.id = 2, .first = 0, .items = 1, .iteration = 1}, UnitId{0});
    event = executor->next(Seconds::infinity());
    ASSERT_TRUE(event);
    EXPECT_NEAR(std::get<BlockFinished>(event->what).times.setup.value, 0.5e-3, 1e-12);
  });
  ASSERT_TRUE(pacing);
  EXPECT_EQ(pacing->blocks, 3u);
  EXPECT_GT(pacing->late_mean.value, 0.0);
  EXPECT_GE(pacing->late_most, pacing->late_mean);
}

TEST(Paced, ReadsResidentDataThatItDoesNotHoldWhileItComputes) {
  // Of the 2 MB, 1 MB is read with each block, at 250 MB/s: 4 ms, and computing an item takes 2 ms.
  // In the setup: 5 ms of first use, and the other MB.
  RealSetup setup = setup_of("paced,trace_unit=x");
  const CopySpeed copies{Seconds{}, 1e9};
  PacedTiming timing{
      BlockTiming(trace_of({{1, 2e-3}, {10, 2e-2}}), 0), Seconds{5e-3}, {copies, copies}};
  timing.stream = ResidentStream{.data = {2e6, 1e6, 0.0}, .speed = {Seconds{}, 2.5e8}};
  setup.units[0].factory = make_paced_factory("x", {timing});
  const auto executor = make_real_executor(std::move(setup));
  executor->run([&] {
    for (const auto& [items, compute_s] : {std::pair{Items{1}, 4e-3}, {Items{5}, 10e-3}}) {
      executor->start({.id = static_cast<std::uint64_t>(items), .items = items}, UnitId{0});
      const auto event = executor->next(Seconds::infinity());
      ASSERT_TRUE(event);
      const StageTimes& times = std::get<BlockFinished>(event->what).times;
      EXPECT_NEAR(times.setup.value, items == 1 ? 6e-3 : 0.0, 1e-12);
      EXPECT_NEAR(times.compute.value, compute_s, 1e-12);
    }
  });
}

TEST(Paced, OverlapsTheBlocksOfAUnitThatHasCopyEngines) {
  // With two engines a block ends every 2 ms, limited by computing; with none, every 4 ms. All
  // blocks are queued at once, so that no controller delay lies between the second end and the
  // last.
  const std::vector<double> overlapped = ends_s(setup_of("paced,trace_unit=x,copy_engines=2"), 6);
  ASSERT_EQ(overlapped.size(), 6u);
  EXPECT_NEAR(overlapped[5] - overlapped[1], 8e-3, 1e-9);
  const std::vector<double> serial = ends_s(setup_of("paced,trace_unit=x,copy_engines=0"), 6);
  ASSERT_EQ(serial.size(), 6u);
  EXPECT_NEAR(serial[5] - serial[1], 16e-3, 1e-9);
}

TEST(Paced, DrawsTheTimesOfItsUnitAndRepetition) {
  const Trace trace = trace_of({{1, 1e-3}, {1, 2e-3}, {1, 4e-3}});
  RealSetup setup = setup_of("paced,trace_unit=x,id=gpu", trace);
  setup.draws = {.seed = 7, .repetition = 2, .noise = true};
  const Draw draw(
      {.seed = 7, .repetition = 2, .unit = "gpu", .kernel = setup.phases[0].workload.kernel});
  const BlockTiming timing(trace, 0);
  const auto executor = make_real_executor(std::move(setup));
  executor->run([&] {
    for (std::uint64_t i = 0; i < 5; ++i) {
      executor->start({.id = i, .first = static_cast<Items>(i), .items = 1}, UnitId{0});
      const auto event = executor->next(Seconds::infinity());
      ASSERT_TRUE(event);
      EXPECT_DOUBLE_EQ(std::get<BlockFinished>(event->what).times.compute.value,
                       timing.quantile(1.0, draw.quantile(i)).value);
    }
  });
}

TEST(Paced, WaitsForTheMergeBetweenIterationsUntilTheRunIsToStop) {
  RealSetup setup = setup_of("paced,trace_unit=x");
  const auto clock = std::make_shared<FakeClock>();
  setup.clock = clock;
  setup.phases[0].merge = Seconds{1000.0};
  bool is_to_stop = false;
  int asked = 0;
  setup.stop_requested = [&] { return is_to_stop && ++asked > 2; };
  const auto executor = make_real_executor(std::move(setup));
  executor->run([&] {
    EXPECT_NEAR(executor->begin_iteration(0, 0).value, 0.0, 1e-9);
    EXPECT_NEAR(executor->begin_iteration(0, 1).value, 1000.0, 1e-9);
    is_to_stop = true;
    executor->begin_iteration(0, 2);
    // It polls the stop request every 50 ms: at once, after 50 ms and after 100 ms.
    EXPECT_NEAR(clock->now().value, 1000.1, 1e-9);
  });
}

TEST(Paced, LetsGoOfItsBlocksWhenItsUnitFailsAndBeginsAnewWhenItJoins) {
  RealSetup setup = setup_of("paced,trace_unit=x,id=gpu");
  setup.scenario.events = {disturb(DisturbanceKind::fail, "gpu", 0.01, 1.0, Seconds{0.02})};
  const auto executor = make_real_executor(std::move(setup));
  executor->run([&] {
    executor->start({.id = 0, .first = 0, .items = 1'000'000}, UnitId{0});  // takes 4000 s
    auto event = executor->next(Seconds::infinity());
    ASSERT_TRUE(event && std::holds_alternative<UnitLost>(event->what));
    event = executor->next(Seconds::infinity());
    ASSERT_TRUE(event && std::holds_alternative<UnitJoined>(event->what));
    executor->start({.id = 1, .first = 0, .items = 1}, UnitId{0});
    event = executor->next(Seconds::infinity());
    ASSERT_TRUE(event);
    const BlockFinished& finished = std::get<BlockFinished>(event->what);
    EXPECT_EQ(finished.block.id, 1u);
    EXPECT_NEAR(finished.times.setup.value, 7e-3, 1e-12);  // first use and resident data again
    EXPECT_NEAR(finished.times.in.value, 1e-3, 1e-12);
    EXPECT_LT(event->at, Seconds{1000.0});
  });
}

TEST(Paced, BeginsAnewWhenItJoinsHoweverManyBlocksItHad) {
  RealSetup setup = setup_of("paced,trace_unit=x,id=gpu");
  setup.scenario.events = {disturb(DisturbanceKind::fail, "gpu", 1e-6, 1.0, Seconds{2e-6})};
  const auto executor = make_real_executor(std::move(setup));
  executor->run([&] {
    // More than a worker's own queue holds; each takes 4000 s.
    for (std::uint64_t i = 0; i < 70; ++i) {
      executor->start({.id = i, .first = 0, .items = 1'000'000}, UnitId{0});
    }
    auto event = executor->next(Seconds::infinity());
    ASSERT_TRUE(event && std::holds_alternative<UnitLost>(event->what));
    event = executor->next(Seconds::infinity());
    ASSERT_TRUE(event && std::holds_alternative<UnitJoined>(event->what));
    executor->start({.id = 70, .first = 0, .items = 1}, UnitId{0});
    event = executor->next(Seconds{1000.0});
    ASSERT_TRUE(event);
    EXPECT_EQ(std::get<BlockFinished>(event->what).block.id, 70u);
  });
}

TEST(Paced, RunsTenTimesAsFastAtATenthOfTheScale) {
  RealSetup setup = setup_of("paced,trace_unit=x", trace_of({{1, 2e-3}}), Seconds{1.0});
  setup.time_scale = 0.1;
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<double> ends = ends_s(std::move(setup), 1);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_GE(ends[0], 1.0);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(100));
}

}  // namespace
}  // namespace equipoise::paced_test
