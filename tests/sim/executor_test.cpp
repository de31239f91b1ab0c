// Tests of the simulator: the times of blocks, worked out by hand.
#include "sim/sim_executor.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdio>
#include <map>
#include <stdexcept>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/failure.hpp"
#include "sim/child_process.hpp"
#include "tests/support/sim_platforms.hpp"
#include "tests/support/simulate.hpp"

namespace equipoise::executor_test {
namespace {

constexpr double tolerance = 1e-12;

Workload workload(Items items, double in_bytes = 0.0, double out_bytes = 0.0) {
  Workload workload;
  workload.kernel = "k";
  workload.items = items;
  workload.in_bytes_per_item = in_bytes;
  workload.out_bytes_per_item = out_bytes;
  return workload;
}

Block block(std::uint64_t id, Items items, int phase = 0) {
  Block block;
  block.id = id;
  block.items = items;
  block.phase = phase;
  return block;
}

/// One unit that takes 1 ms per item, on a private link of 1 MB/s and 10 us.
SimSetup one_unit(const Workload& work) {
  TestPlatform platform;
  platform.units = {{0.0, 1e-3, 0.0, 1e6, 1e-5}};
  return sim_setup(platform, {work});
}

void expect_finish(const Finish& finish, std::uint64_t id, double in_s, double compute_s,
                   double out_s, double at_s) {
  EXPECT_EQ(finish.block, id);
  EXPECT_NEAR(finish.in_s, in_s, tolerance);
  EXPECT_NEAR(finish.compute_s, compute_s, tolerance);
  EXPECT_NEAR(finish.out_s, out_s, tolerance);
  EXPECT_NEAR(finish.at_s, at_s, tolerance);
}

TEST(SimExecutor, CopiesInComputesAndCopiesOut) {
  const Seen seen = simulate(one_unit(workload(10, 1000, 100)), [](Executor& executor, Seen& out) {
    out.numbers.push_back(executor.now().value);
    executor.start(block(0, 10), {0});
    take_finishes(executor, out);
    out.numbers.push_back(executor.now().value);
  });
  ASSERT_EQ(seen.finishes.size(), 1U);
  // 10,000 bytes in and 1,000 bytes out at 1 MB/s, with 10 us each.
  expect_finish(seen.finishes[0], 0, 0.01001, 0.01, 0.00101, 0.02102);
  EXPECT_EQ(seen.numbers[0], 0.0);
  EXPECT_NEAR(seen.numbers[1], 0.02102, tolerance);
}

TEST(SimExecutor, QueuesBlocksAndDispatchesThoseThatWaitMeanwhile) {
  SimSetup setup = one_unit(workload(10));
  setup.costs[0].dispatch = {1.5e-3};
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    executor.start(block(0, 1), {0});  // dispatched at 1.5 ms, ends at 2.5 ms
    executor.start(block(1, 1), {0});  // already dispatched at 1.5 ms, ends at 3.5 ms
    take_finishes(executor, out);
    executor.start(block(2, 1), {0});  // handed out at 3.5 ms, dispatched at 5 ms
    take_finishes(executor, out);
  });
  ASSERT_EQ(seen.finishes.size(), 3U);
  expect_finish(seen.finishes[0], 0, 0, 1e-3, 0, 2.5e-3);
  expect_finish(seen.finishes[1], 1, 0, 1e-3, 0, 3.5e-3);
  expect_finish(seen.finishes[2], 2, 0, 1e-3, 0, 6e-3);
  EXPECT_NEAR(seen.finishes[2].assigned_s, 3.5e-3, tolerance);
}

TEST(SimExecutor, DispatchesBlocksOfAUnitAsThatUnitTakes) {
  SimSetup setup = one_unit(workload(10));
  setup.costs[0].dispatch = {1.5e-3};
  setup.costs[0].unit_dispatch = {Seconds{0.5e-3}};
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    executor.start(block(0, 1), {0});  // dispatched at 0.5 ms, ends at 1.5 ms
    take_finishes(executor, out);
  });
  ASSERT_EQ(seen.finishes.size(), 1U);
  expect_finish(seen.finishes[0], 0, 0, 1e-3, 0, 1.5e-3);
}

TEST(SimExecutor, BringsResidentDataAndTheFirstUseBeforeTheFirstBlockOfAPhase) {
  Workload work = workload(10, 1000);
  work.resident_bytes = 1e6;
  SimSetup setup = one_unit(work);
  setup.phases.push_back(work);
  setup.timing.push_back(setup.timing[0]);
  setup.costs.assign(2, {{}, {0.25}});
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    executor.start(block(0, 1), {0});
    executor.start(block(1, 1), {0});
    executor.start(block(2, 1, 1), {0});
    take_finishes(executor, out);
  });
  ASSERT_EQ(seen.finishes.size(), 3U);
  // The resident data take 1.00001 s after first use, the block's own bytes 1.01 ms after that.
  expect_finish(seen.finishes[0], 0, 1.01e-3, 1e-3, 0, 1.25202);
  EXPECT_NEAR(seen.finishes[0].setup_s, 1.25001, tolerance);
  // The second block is copied in while the first is computed. The next phase waits for both.
  expect_finish(seen.finishes[1], 1, 1.01e-3, 1e-3, 0, 1.25303);
  EXPECT_EQ(seen.finishes[1].setup_s, 0.0);
  expect_finish(seen.finishes[2], 2, 1.01e-3, 1e-3, 0, 2.50505);
  EXPECT_NEAR(seen.finishes[2].setup_s, 1.25001, tolerance);
}

/// The setup times of five blocks: two of the first iteration on unit 0; of the second iteration
/// two there and one, the last, on unit 1. Resident data take 1.00001 s, what changes 0.25001 s.
std::map<std::uint64_t, double> setups_of_two_iterations(Distribution distribution) {
  Workload work = workload(10);
  work.resident_bytes = 1e6;
  work.distribution = distribution;
  work.iteration_bytes = 2.5e5;
  work.iterations = 2;
  TestPlatform platform;
  platform.units.assign(2, {0.0, 1e-3, 0.1, 1e6, 1e-5});
  const Seen seen = simulate(sim_setup(platform, {work}), [](Executor& executor, Seen& out) {
    executor.start(block(0, 1), {0});
    executor.start(block(1, 1), {0});
    take_finishes(executor, out);
    executor.begin_iteration(0, 1);
    for (std::uint64_t id = 2; id < 5; ++id) {
      Block next = block(id, 1);
      next.iteration = 1;
      executor.start(next, {id == 4 ? 1U : 0U});
    }
    take_finishes(executor, out);
  });
  std::map<std::uint64_t, double> setup_s;
  for (const Finish& finish : seen.finishes) setup_s[finish.block] = finish.setup_s;
  return setup_s;
}

void expect_setups(const std::map<std::uint64_t, double>& seen,
                   const std::map<std::uint64_t, double>& expected) {
  ASSERT_EQ(seen.size(), expected.size());
  for (const auto& [id, setup_s] : expected) EXPECT_NEAR(seen.at(id), setup_s, tolerance) << id;
}

TEST(SimExecutor, BringsWhatChangedBeforeTheFirstBlockOfAFurtherIteration) {
  expect_setups(setups_of_two_iterations(Distribution::master),
                {{0, 1.00001}, {1, 0.0}, {2, 0.25001}, {3, 0.0}, {4, 1.00001}});
}

TEST(SimExecutor, BringsOnlyWhatChangedIfResidentDataAreReplicated) {
  expect_setups(setups_of_two_iterations(Distribution::replicated),
                {{0, 0.0}, {1, 0.0}, {2, 0.25001}, {3, 0.0}, {4, 0.25001}});
}

TEST(SimExecutor, MovesTheBytesOfTheTraceWhereItHasThem) {
  SimSetup setup = one_unit(workload(10, 1000, 1000));
  Trace trace = affine_trace({0.0, 1e-3});
  trace.samples[0].in_bytes = 2000.0;
  trace.samples[1].in_bytes = 2000.0;
  setup.timing[0][0] = BlockTiming(trace, 0);
  const Seen seen = simulate(setup, [](Executor& executor, Seen& out) {
    executor.start(block(0, 4), {0});
    take_finishes(executor, out);
  });
  expect_finish(seen.finishes.at(0), 0, 2.01e-3, 4e-3, 4.01e-3, 10.02e-3);
}

TEST(SimExecutor, LetsTheMasterThinkWhileUnitsGoOn) {
  TestPlatform platform;
  platform.units = {{0.0, 1e-3}, {0.0, 2e-3}};
  const Seen seen =
      simulate(sim_setup(platform, {workload(10)}), [](Executor& executor, Seen& out) {
        executor.start(block(0, 2), {1});  // ends at 4 ms
        executor.start(block(1, 1), {0});  // ends at 1 ms
        executor.start(block(2, 1), {0});  // ends at 2 ms
        executor.occupy(std::nullopt, {3e-3});
        out.numbers.push_back(executor.now().value);
        take_finishes(executor, out, {3e-3});
        out.numbers.push_back(executor.now().value);
        take_finishes(executor, out);
      });
  EXPECT_NEAR(seen.numbers.at(0), 3e-3, tolerance);
  EXPECT_NEAR(seen.numbers.at(1), 3e-3, tolerance);
  ASSERT_EQ(seen.finishes.size(), 3U);
  expect_finish(seen.finishes[0], 1, 0, 1e-3, 0, 1e-3);
  expect_finish(seen.finishes[1], 2, 0, 1e-3, 0, 2e-3);
  expect_finish(seen.finishes[2], 0, 0, 4e-3, 0, 4e-3);
}

TEST(SimExecutor, LetsAUnitThinkAfterWhatItHas) {
  const Seen seen = simulate(one_unit(workload(10)), [](Executor& executor, Seen& out) {
    executor.occupy(UnitId{0}, {0.5});  // the unit is idle, so it thinks from now on
    executor.start(block(0, 1), {0});   // 0.5 to 0.501
    executor.occupy(UnitId{0}, {0.25});
    executor.start(block(1, 1), {0});  // 0.751 to 0.752
    executor.occupy(UnitId{0}, {0.125});
    take_finishes(executor, out);      // thinks until 0.877
    executor.start(block(2, 1), {0});  // 0.877 to 0.878
    take_finishes(executor, out);
  });
  ASSERT_EQ(seen.finishes.size(), 3U);
  EXPECT_NEAR(seen.finishes[0].at_s, 0.501, tolerance);
  EXPECT_NEAR(seen.finishes[1].at_s, 0.752, tolerance);
  EXPECT_NEAR(seen.finishes[2].at_s, 0.878, tolerance);
}

TEST(SimExecutor, OrdersWhatHappensAtOneTimeByUnit) {
  TestPlatform platform;
  platform.units.assign(9, {0.0, 1e-3});
  const Seen seen =
      simulate(sim_setup(platform, {workload(99)}), [](Executor& executor, Seen& out) {
        for (const std::uint32_t unit : {4U, 8U, 0U, 2U, 6U})
          executor.start(block(unit, 5), {unit});
        const auto first = executor.next(Seconds::infinity());
        out.numbers.push_back(std::get<BlockFinished>(first->what).unit.index);
        // All events of this time, without waiting.
        take_finishes(executor, out, first->at);
        out.numbers.push_back(executor.now().value);
      });
  EXPECT_EQ(seen.numbers.at(0), 0.0);
  ASSERT_EQ(seen.finishes.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(seen.finishes[i].unit, 2 * (i + 1));
  EXPECT_NEAR(seen.numbers.at(1), 5e-3, tolerance);
}

TEST(SimExecutor, SaysNothingAtTheDeadlineOrWhenNothingCanHappen) {
  const Seen seen = simulate(one_unit(workload(10)), [](Executor& executor, Seen& out) {
    out.numbers.push_back(executor.next(Seconds::infinity()).has_value() ? 1.0 : 0.0);
    out.numbers.push_back(executor.now().value);
    out.numbers.push_back(executor.next({2.0}).has_value() ? 1.0 : 0.0);
    out.numbers.push_back(executor.now().value);
    executor.start(block(0, 1000), {0});  // ends at 3
    out.numbers.push_back(executor.next({1.0}).has_value() ? 1.0 : 0.0);
    out.numbers.push_back(executor.now().value);
    out.numbers.push_back(executor.next({2.5}).has_value() ? 1.0 : 0.0);
    out.numbers.push_back(executor.now().value);
    out.numbers.push_back(executor.next({3.0}).has_value() ? 1.0 : 0.0);
  });
  EXPECT_EQ(seen.numbers, (std::vector<double>{0, 0, 0, 2, 0, 2, 0, 2.5, 1}));
}

TEST(SimExecutor, KeepsApartWhatIsANanosecondApart) {
  TestPlatform platform;
  platform.units = {{0.0, 1e-9}, {0.0, 2e-9}, {0.0, 3e-9}};
  const Seen seen =
      simulate(sim_setup(platform, {workload(10)}), [](Executor& executor, Seen& out) {
        for (const std::uint32_t unit : {2U, 1U, 0U}) executor.start(block(unit, 1), {unit});
        for (int i = 0; i < 3; ++i) {
          const auto event = executor.next(Seconds::infinity());
          out.numbers.push_back(std::get<BlockFinished>(event->what).unit.index);
          out.numbers.push_back(executor.now().value);
        }
      });
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(seen.numbers.at(2 * i), static_cast<double>(i));
    EXPECT_NEAR(seen.numbers.at(2 * i + 1), 1e-9 * static_cast<double>(i + 1), 1e-15);
  }
}

TEST(SimExecutor, DrawsByUnitAndOrdinalWhoeverAsks) {
  TestPlatform platform;
  platform.units = {{1e-3, 1e-4, 0.3}, {2e-3, 1e-4, 0.3}};
  SimSetup setup = sim_setup(platform, {workload(100)});
  setup.noise = true;
  setup.seed = 7;
  setup.repetition = 2;
  const Seen one_by_one = simulate(setup, [](Executor& executor, Seen& out) {
    for (std::uint64_t id = 0; id < 6; ++id) {
      executor.start(block(id, 10), {static_cast<std::uint32_t>(id % 2)});
      take_finishes(executor, out);
    }
  });
  const Seen all_at_once = simulate(setup, [](Executor& executor, Seen& out) {
    for (std::uint64_t id = 6; id-- > 0;) {
      executor.start(block(id, 10), {static_cast<std::uint32_t>(id % 2)});
    }
    take_finishes(executor, out);
  });
  std::vector<std::vector<double>> expected(2);
  for (std::uint32_t unit = 0; unit < 2; ++unit) {
    const Draw draw({7, 2, setup.platform.units[unit].unit.name, "k"});
    for (std::uint64_t ordinal = 0; ordinal < 3; ++ordinal) {
      expected[unit].push_back(setup.timing[0][unit].quantile(10, draw.quantile(ordinal)).value);
    }
  }
  for (const Seen& seen : {one_by_one, all_at_once}) {
    std::vector<std::vector<double>> drawn(2);
    for (const Finish& finish : seen.finishes) drawn[finish.unit].push_back(finish.compute_s);
    EXPECT_EQ(drawn, expected);
  }
}

TEST(SimExecutor, LetsWhatTheBodyThrowsThroughWhileBlocksAreOut) {
  const SimSetup setup = one_unit(workload(10, 1000));
  ChildProcess child([&](int) {
    const auto executor = make_sim_executor(setup);
    try {
      executor->run([&] {
        executor->start(block(0, 10), {0});
        throw std::out_of_range("as it was");
      });
    } catch (const std::out_of_range&) {
      return 0;
    }
    return 1;
  });
  EXPECT_TRUE(child.wait().succeeded());
}

TEST(SimExecutor, ThrowsBackendErrorWhenThePlatformDoesNotComeUp) {
  const auto fails = [](SimSetup setup) {
    return ChildProcess([&](int) {
             try {
               make_sim_executor(setup)->run([] {});
             } catch (const BackendError&) {
               return 0;
             }
             return 1;
           })
        .wait()
        .succeeded();
  };
  SimSetup setup = one_unit(workload(10));
  setup.platform.units[0].unit.name = "nobody";
  EXPECT_TRUE(fails(setup));
  setup.source.xml = "no platform";
  EXPECT_TRUE(fails(setup));
}

TEST(SimExecutor, IsOneInAProcess) {
  const SimSetup setup = one_unit(workload(10));
  ChildProcess child([&](int) {
    std::freopen("/dev/null", "w", stderr);
    const auto first = make_sim_executor(setup);
    const auto second = make_sim_executor(setup);
    return 0;
  });
  EXPECT_EQ(child.wait().signal, SIGABRT);
}

TEST(SimExecutor, Holds4096Units) {
  TestPlatform platform;
  platform.shared_bandwidth = 1e12;
  for (int i = 0; i < 4096; ++i) platform.units.push_back({0.0, 1e-3 * (1 + i)});
  const Seen seen =
      simulate_blocks(sim_setup(platform, {workload(5000, 1000)}), std::vector<Items>(4096, 1));
  EXPECT_EQ(seen.finishes.size(), 5000U);
}

}  // namespace
}  // namespace equipoise::executor_test
