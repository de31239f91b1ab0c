// Tests of the real executor: the promises of the Executor interface, and what only real units do.
#include "real/real_executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/real_runs.hpp"
#include "tests/support/scripted_kernel.hpp"

namespace equipoise::real_executor_test {
namespace {

Block block_of(std::uint64_t id, Items first, Items items, int phase = 0) {
  return {.id = id, .first = first, .items = items, .phase = phase};
}

TEST(RealExecutor, DoesEveryItemExactlyOnceOnTwoUnits) {
  KernelScript script(10'000);
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  const RunOutcome outcome = run_all(setup_of({"cpu", "cpu"}, {&kernel}), 7, journal);
  EXPECT_TRUE(outcome.complete);
  EXPECT_TRUE(kernel.verify().passed);
  EXPECT_EQ(journal.blocks.size(), 1429u);  // 10,000 / 7 rounded up
}

TEST(RealExecutor, ReportsTheBlocksOfAUnitInTheOrderInWhichTheyWereQueued) {
  constexpr std::uint64_t blocks = 500;  // more than a worker's own queue holds
  KernelScript script(blocks);
  ScriptedKernel kernel(script);
  const auto executor = make_real_executor(setup_of({"cpu"}, {&kernel}));
  executor->run([&] {
    for (std::uint64_t i = 0; i < blocks; ++i) {
      executor->start(block_of(i, static_cast<Items>(i), 1), UnitId{0});
    }
    Seconds last{-1.0};
    for (std::uint64_t i = 0; i < blocks; ++i) {
      const auto event = executor->next(Seconds::infinity());
      ASSERT_TRUE(event);
      const auto& finished = std::get<BlockFinished>(event->what);
      EXPECT_EQ(finished.block.id, i);
      EXPECT_GT(event->at, last);
      EXPECT_GE(event->at, finished.assigned + total(finished.times));
      EXPECT_LE(event->at, executor->now());
      last = event->at;
    }
    EXPECT_FALSE(executor->next(Seconds::infinity()));
  });
  EXPECT_TRUE(kernel.verify().passed);
}

TEST(RealExecutor, CopiesResidentDataOnceForEachUnitAndPhase) {
  KernelScript first(100);
  KernelScript second(100);
  ScriptedKernel one(first);
  ScriptedKernel two(second);
  MemoryJournal journal;
  EXPECT_TRUE(run_all(setup_of({"cpu"}, {&one, &two}), 10, journal).complete);
  const auto brought = [&](int phase) {
    return std::ranges::count_if(journal.blocks, [&](const BlockRecord& record) {
      return record.block.phase == phase && record.times.setup > Seconds{};
    });
  };
  EXPECT_EQ(brought(0), 1);
  EXPECT_EQ(brought(1), 1);
  EXPECT_TRUE(one.verify().passed);
  EXPECT_TRUE(two.verify().passed);
}

TEST(RealExecutor, CountsTheCopyOfResidentDataAsTheSetupOfTheFirstBlock) {
  KernelScript script(10);
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  EXPECT_TRUE(run_all(setup_of({"cpu,slowdown=100"}, {&kernel}), 5, journal).complete);
  ASSERT_EQ(journal.blocks.size(), 2u);
  const BlockRecord& first = journal.blocks[0];
  EXPECT_GT(first.times.setup, Seconds{});
  EXPECT_DOUBLE_EQ(first.begins.in.value, (first.begins.setup + first.times.setup).value);
  const BlockRecord& second = journal.blocks[1];
  EXPECT_EQ(second.times.setup, Seconds{});
  EXPECT_EQ(second.begins.setup, second.begins.in);
}

TEST(RealExecutor, LetsTheKernelMergeBetweenIterationsAndNotBeforeThem) {
  KernelScript first(100);
  KernelScript second(100);
  first.iterations = 4;
  second.iterations = 2;
  ScriptedKernel one(first);
  ScriptedKernel two(second);
  // When an iteration begins, all blocks of the iterations before it have come back.
  std::atomic<bool> early = false;
  first.compute = [&](const Block& block, int) {
    if (static_cast<int>(first.merges.size()) != block.iteration) early = true;
  };
  MemoryJournal journal;
  EXPECT_TRUE(run_all(setup_of({"cpu", "cpu"}, {&one, &two}), 10, journal).complete);
  EXPECT_EQ(first.merges, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(journal.count<IterationBegin>(), 6);
  EXPECT_EQ(second.merges, (std::vector<int>{1}));
  EXPECT_FALSE(early);
  EXPECT_TRUE(one.verify().passed);
  EXPECT_TRUE(two.verify().passed);
}

TEST(RealExecutor, TellsOfTheUseOfTheCoresDuringTheRunAndNotAfterIt) {
  KernelScript script(10);
  ScriptedKernel kernel(script);
  RealSetup setup = setup_of({"cpu"}, {&kernel});
  std::vector<CoreUse> uses;
  setup.report_core_use = [&](const CoreUse& use) { uses.push_back(use); };
  const auto executor = make_real_executor(std::move(setup));
  Seconds end;
  executor->run([&] {
    static_cast<void>(executor->next(Seconds{0.1}));
    end = executor->now();
  });
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_GT(uses.front().cores_s, 0.05);
  EXPECT_LT(uses.front().cores_s, end.value + 0.1) << "one core, watched until the run ended";
}

TEST(RealExecutor, ReturnsNothingAtTheDeadlineAndTheBlockLater) {
  KernelScript script(1);
  std::atomic<bool> may_end = false;
  script.compute = [&](const Block&, int) { may_end.wait(false); };
  ScriptedKernel kernel(script);
  const auto executor = make_real_executor(setup_of({"cpu"}, {&kernel}));
  executor->run([&] {
    executor->start(block_of(0, 0, 1), UnitId{0});
    const Seconds deadline = executor->now() + Seconds{0.002};
    EXPECT_FALSE(executor->next(deadline));
    EXPECT_GE(executor->now(), deadline);
    may_end = true;
    may_end.notify_all();
    EXPECT_TRUE(executor->next(Seconds::infinity()));
  });
}

TEST(RealExecutor, HoldsBackWhatHappenedAfterTheDeadline) {
  KernelScript script(2);
  ScriptedKernel kernel(script);
  const auto executor = make_real_executor(setup_of({"cpu"}, {&kernel}));
  executor->run([&] {
    executor->start(block_of(0, 0, 1), UnitId{0});
    executor->start(block_of(1, 1, 1), UnitId{0});
    const auto first = executor->next(Seconds::infinity());
    ASSERT_TRUE(first);
    while (script.computed < 2) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // until it has probably come back
    EXPECT_FALSE(executor->next(first->at));
    EXPECT_TRUE(executor->next(Seconds::infinity()));
  });
}

TEST(RealExecutor, LetsTheOthersDoTheWorkOfAUnitThatFails) {
  KernelScript script(1'000);
  // The third block of whichever unit is brought up first throws. The other unit waits for that, so
  // that it cannot do all the work before.
  int blocks_of_first = 0;
  std::atomic<bool> failed = false;
  script.compute = [&](const Block&, int side) {
    if (side != 0) {
      failed.wait(false);
    } else if (++blocks_of_first == 3) {
      failed = true;
      failed.notify_all();
      throw std::runtime_error("broken");
    }
  };
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  RealSetup setup = setup_of({"cpu,slots=3", "cpu,slots=3"}, {&kernel});
  std::string warning;
  setup.warn = [&](const std::string& text) { warning = text; };
  const RunOutcome outcome = run_all(std::move(setup), 5, journal);
  EXPECT_TRUE(outcome.complete);
  EXPECT_TRUE(kernel.verify().passed);
  EXPECT_NE(warning.find("broken"), std::string::npos) << warning;
  EXPECT_EQ(journal.count<UnitLost>(), 1);
}

TEST(RealExecutor, EndsIncompleteWhenEveryUnitFails) {
  KernelScript script(100);
  script.compute = [](const Block& block, int) {
    if (block.first >= 20) throw std::runtime_error("broken");
  };
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  const RunOutcome outcome = run_all(setup_of({"cpu", "cpu"}, {&kernel}), 10, journal);
  EXPECT_FALSE(outcome.complete);
  EXPECT_FALSE(outcome.interrupted);
  EXPECT_EQ(journal.blocks.size(), 2u);
}

TEST(RealExecutor, StopsWhenAskedToWithAllThatWasDoneInTheJournal) {
  KernelScript script(1'000);
  std::atomic<bool> stops = false;
  script.compute = [&](const Block& block, int) {
    if (block.first >= 500) stops = true;
  };
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  RealSetup setup = setup_of({"cpu"}, {&kernel});
  setup.stop_requested = [&] { return stops.load(); };
  const RunOutcome outcome = run_all(std::move(setup), 10, journal);
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_FALSE(outcome.complete);
  EXPECT_FALSE(kernel.verify().passed);
  EXPECT_GE(journal.blocks.size(), 50u);
  for (const BlockRecord& record : journal.blocks) {
    EXPECT_EQ(script.written[static_cast<std::size_t>(record.block.first)], 1);
  }
}

TEST(RealExecutor, StopsWhileItWaitsForABlockThatDoesNotEnd) {
  KernelScript script(1);
  std::atomic<bool> may_end = false;
  script.compute = [&](const Block&, int) { may_end.wait(false); };
  ScriptedKernel kernel(script);
  RealSetup setup = setup_of({"cpu"}, {&kernel});
  int polls = 0;
  setup.stop_requested = [&] { return ++polls > 1; };
  const auto executor = make_real_executor(std::move(setup));
  executor->run([&] {
    executor->start(block_of(0, 0, 1), UnitId{0});
    EXPECT_FALSE(executor->next(Seconds::infinity()));
    may_end = true;
    may_end.notify_all();
  });
  EXPECT_GE(polls, 2);
}

TEST(RealExecutor, SaysWhichUnitDoesNotComeUp) {
  KernelScript script(10);
  script.come_up = [](int) { throw std::bad_alloc(); };
  ScriptedKernel kernel(script);
  const auto executor = make_real_executor(setup_of({"cpu,id=left"}, {&kernel}));
  bool ran = false;
  try {
    executor->run([&] { ran = true; });
    FAIL() << "a unit without memory came up";
  } catch (const BackendError& error) {
    EXPECT_NE(std::string(error.what()).find("left"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(ran);
}

TEST(RealExecutor, LetsThroughWhatTheBodyThrowsAndRunsAgain) {
  KernelScript script(100);
  ScriptedKernel kernel(script);
  const auto executor = make_real_executor(setup_of({"cpu", "cpu"}, {&kernel}));
  const auto throwing = [&] {
    executor->start(block_of(0, 0, 100), UnitId{1});
    throw std::runtime_error("from the body");
  };
  EXPECT_THROW(executor->run(throwing), std::runtime_error);
  executor->run([&] {
    executor->start(block_of(0, 0, 100), UnitId{0});
    EXPECT_TRUE(executor->next(Seconds::infinity()));
  });
  EXPECT_TRUE(kernel.verify().passed);  // the results of the first run must be discarded
}

TEST(RealExecutor, RunsMoreUnitsThanThereAreCores) {
  KernelScript script(5'000);
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  const std::vector<std::string> units(2 * this_machine().threads.size() + 1, "cpu");
  EXPECT_TRUE(run_all(setup_of(units, {&kernel}), 11, journal).complete);
  EXPECT_TRUE(kernel.verify().passed);
}

TEST(RealExecutor, ComputesKernelsWhoseNumbersVerify) {
  const TypedParameters options{{"options", "20001"}};
  const TypedParameters n{{"n", "97"}};
  const auto prices = make_kernel("blackscholes", options, "--workload");
  const auto product = make_kernel("matmul", n, "--workload");
  prices->allocate(1);
  product->allocate(1);
  MemoryJournal journal;
  RealSetup setup =
      setup_of({"cpu,threads=2", "cpu,slowdown=2,slots=2"}, {prices.get(), product.get()});
  EXPECT_TRUE(run_all(std::move(setup), 13, journal).complete);
  EXPECT_TRUE(prices->verify().passed) << prices->verify().what;
  EXPECT_TRUE(product->verify().passed) << product->verify().what;
}

TEST(CheckMemory, RefusesWhatDoesNotFitAndSaysHowMuchIsNeeded) {
  std::vector<std::unique_ptr<Kernel>> kernels;
  kernels.push_back(make_kernel("matmul", {{"n", "1024"}}, "--workload"));
  // Host: 3 matrices of 8 MiB. Unit: B and rows of A and C, which are 3 matrices again without a
  // limit, or B and 2 rows with the small memory.
  const auto unlimited = parse_units({"cpu"});
  const auto small = parse_units({"cpu,memory_bytes=8421376"});
  constexpr double matrix_bytes = 8.0 * 1024 * 1024;
  check_memory(kernels, unlimited, 6 * matrix_bytes, "--workload");
  check_memory(kernels, small, 4.1 * matrix_bytes, "--workload");
  EXPECT_THROW(check_memory(kernels, small, 4 * matrix_bytes, "--workload"), InputError);
  try {
    check_memory(kernels, unlimited, 6 * matrix_bytes - 1, "--workload");
    FAIL() << "it does not fit";
  } catch (const InputError& error) {
    EXPECT_EQ(error.where(), "--workload");
    EXPECT_NE(error.why().find("needs 0.0469 GiB"), std::string::npos) << error.why();
  }
}

}  // namespace
}  // namespace equipoise::real_executor_test
