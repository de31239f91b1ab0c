// Tests of CUDA units on a GPU that is not there: what no real one does when it is asked to.
#include "tests/support/gpu/fake_cuda.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "real/cuda/cuda_memory.hpp"
#include "real/kernels/catalog.hpp"
#include "real/machine.hpp"
#include "real/real_executor.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/random_policy.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/real_runs.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scripted_kernel.hpp"

namespace equipoise::fake_gpu_test {
namespace {

TEST(FakeGpu, IsDescribedLikeARealOne) {
  const Unit unit = parse_units({"cuda"})[0].unit;
  EXPECT_EQ(unit.model, "Fake GPU");
  EXPECT_EQ(unit.copy_engines, 2) << "it has three";
  EXPECT_EQ(unit.memory_bytes, 15.0 * 1024 * 1024) << "16 MiB are free";
}

TEST(FakeGpu, LeavesAMatrixThatItDoesNotHoldInTheHostsMemory) {
  const auto kernel = make_kernel("matmul", {{"n", "384"}}, "--workload");
  kernel->allocate(1);
  const std::size_t matrix_bytes = std::size_t{384} * 384 * sizeof(double);  // more than a MiB
  for (const bool holds_it : {false, true}) {
    const std::size_t before = fake_direct_bytes();
    MemoryJournal journal;
    EXPECT_TRUE(run_all(setup_of({holds_it ? "cuda" : "cuda,memory_bytes=1Mi"}, {kernel.get()}), 50,
                        journal)
                    .complete);
    EXPECT_TRUE(kernel->verify().passed) << kernel->verify().what;
    // The rows of the first matrix, and those of the second.
    EXPECT_EQ(fake_direct_bytes() - before, (holds_it ? 2 : 1) * matrix_bytes);
    kernel->clear_results();
  }
}

TEST(FakeGpu, IsLostWhenItFailsForGoodAndTheOthersDoItsWork) {
  KernelScript script(500);
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  std::atomic<bool> is_broken = false;
  script.compute = [&](const Block& block, int) {
    if (block.id > 2 && !is_broken.exchange(true)) {
      break_fake_gpu();
      is_broken.notify_all();
    }
    if (block.first >= 400) is_broken.wait(false);  // the last items stay until then
  };
  RealSetup setup = setup_of({"cuda", "cpu"}, {&kernel});
  std::string warning;
  setup.warn = [&](const std::string& text) { warning = text; };
  EXPECT_TRUE(run_all(std::move(setup), 10, journal).complete);
  mend_fake_gpu();
  EXPECT_TRUE(has_all_results(script));
  EXPECT_EQ(journal.count<UnitLost>(), 1);
  EXPECT_NE(warning.find("an illegal memory access (cudaErrorIllegalAddress)"), std::string::npos)
      << warning;
}

TEST(FakeGpu, KeepsEveryStageBusyForAsLongAsItIsSlowedDown) {
  KernelScript script(400);
  ScriptedKernel kernel(script);
  script.compute = [](const Block&, int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  MemoryJournal journal;
  EXPECT_TRUE(run_all(setup_of({"cuda,slowdown=3"}, {&kernel}), 100, journal).complete);
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  EXPECT_EQ(journal.blocks.size(), 4u);
  for (const BlockRecord& record : journal.blocks) {
    EXPECT_GE(record.times.compute.value, 5e-3) << "6 ms; the clocks are compared to some us";
  }
}

TEST(FakeGpu, IsHeldBusyWhereAScenarioSlowsItDown) {
  KernelScript script(400);
  ScriptedKernel kernel(script);
  script.compute = [](const Block&, int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  RealSetup setup = setup_of({"cuda"}, {&kernel});
  setup.scenario.events.push_back(disturb(DisturbanceKind::slow, "cuda0", 0.0, 3.0));
  MemoryJournal journal;
  EXPECT_TRUE(run_all(std::move(setup), 100, journal).complete);
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  for (const BlockRecord& record : journal.blocks) {
    EXPECT_GE(record.times.compute.value, 5e-3) << "6 ms; the clocks are compared to some us";
  }
}

TEST(FakeGpu, BringsResidentDataAgainWithEveryIteration) {
  KernelScript script(40);
  script.iterations = 3;
  std::atomic<bool> wrong = false;
  script.compute = [&](const Block& block, int) {
    if (block.iteration != static_cast<int>(script.merges.size())) wrong = true;
  };
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  EXPECT_TRUE(run_all(setup_of({"cuda"}, {&kernel}), 10, journal).complete);
  EXPECT_FALSE(wrong);
  EXPECT_TRUE(kernel.verify().passed);
}

TEST(FakeGpu, DoesEveryItemOnceHoweverOftenItGoesAndComes) {
  KernelScript script(20'000);
  script.compute = [](const Block&, int) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  };
  ScriptedKernel kernel(script);
  RealSetup setup = setup_of({"cuda", "cpu"}, {&kernel});
  for (int i = 0; i < 40; ++i) {
    setup.scenario.events.push_back(
        disturb(DisturbanceKind::fail, "cuda0", 1e-3 * i, 1.0, Seconds{1e-3 * i + 5e-4}));
  }
  MemoryJournal journal;
  EXPECT_TRUE(run_all(std::move(setup), 40, journal).complete);
  EXPECT_TRUE(has_all_results(script));
}

TEST(FakeGpu, DoesEveryItemOnceWhateverIsTakenBackOrGivenTwice) {
  const unsigned seed = random_seed();
  const std::vector<std::vector<std::string>> machines = {
      {"cuda", "cpu"}, {"cuda,slots=3", "emulated"}, {"cuda,slowdown=2", "cpu"}};
  for (int round = 0; round < rounds_of(60); ++round) {
    SCOPED_TRACE("--gtest_random_seed=" + std::to_string(seed) + ", round " +
                 std::to_string(round));
    KernelScript script(400);
    script.has_inputs_apart = true;
    script.iterations = 1 + round % 3;
    script.compute = [](const Block&, int) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    };
    ScriptedKernel kernel(script);
    RealSetup setup =
        setup_of(machines[static_cast<std::size_t>(round) % machines.size()], {&kernel});
    if (round % 4 == 3) {
      setup.scenario.events.push_back(
          disturb(DisturbanceKind::fail, "cuda0", 2e-3, 1.0, Seconds{4e-3}));
    }
    RandomPolicy policy(seed + static_cast<unsigned>(round), 40, Seconds{2e-3});
    MemoryJournal journal;
    EXPECT_TRUE(run_by(policy, std::move(setup), journal).complete);
    EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  }
}

/// A unit that was asked for when its GPU had more free memory.
RealSetup setup_of_larger_gpu(const std::string& unit, ScriptedKernel& kernel) {
  resize_fake_gpu(std::size_t{1} << 30);
  RealSetup setup = setup_of({unit}, {&kernel});
  resize_fake_gpu(std::size_t{16} << 20);
  return setup;
}

TEST(FakeGpu, HoldsAsMuchAsItsMemoryThoughMoreIsAllowed) {
  // 8 bytes in and 8 bytes out for each item: 20 MB in all, of which 16 MiB fit.
  KernelScript script(1'250'000);
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  EXPECT_TRUE(run_all(setup_of_larger_gpu("cuda", kernel), 250'000, journal).complete);
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  EXPECT_EQ(journal.count<LostBlock>(), 0);
  EXPECT_EQ(journal.blocks.size(), 5u);
}

TEST(FakeGpu, LosesABlockThatIsTooLargeForItsMemoryAndDoesHalvesOfIt) {
  KernelScript script(1'250'000);
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  EXPECT_TRUE(run_all(setup_of_larger_gpu("cuda,slots=1", kernel), 1'250'000, journal).complete);
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  EXPECT_EQ(journal.count<LostBlock>(), 1);
  for (const BlockRecord& record : journal.blocks) EXPECT_LE(record.block.items, 625'000);
}

/// Runs 20 blocks of 5 ms each on a unit that is slowed down 3 times, and calls `meanwhile` when
/// the second one computes.
void run_slowed_down(const std::function<void()>& meanwhile, const Scenario& scenario = {}) {
  KernelScript script(200);
  std::thread other;
  script.compute = [&](const Block& block, int) {
    if (block.id == 2 && !other.joinable()) other = std::thread(meanwhile);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  ScriptedKernel kernel(script);
  RealSetup setup = setup_of({"cuda,slowdown=3"}, {&kernel});
  setup.scenario = scenario;
  MemoryJournal journal;
  EXPECT_TRUE(run_all(std::move(setup), 10, journal).complete);
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  if (other.joinable()) other.join();
}

// What frees memory waits for all queues, and nothing else gets through: also not the question
// whether a stage that is held has ended.
TEST(FakeGpu, GoesOnWhereAnotherThreadFreesMemoryWhileStagesAreHeld) {
  run_slowed_down(free_fake_memory);
}

TEST(FakeGpu, GoesOnWhereALoadEndsWhileStagesAreHeld) {
  Scenario scenario;
  scenario.events.push_back(disturb(DisturbanceKind::compete, "cuda0", 0.0, 0.5, Seconds{0.02}));
  run_slowed_down([] {}, scenario);
}

TEST(FakeGpu, GivesNothingBackWhileUnitsOfItLive) {
  const int before = fake_frees();
  RunOutcome outcome;
  {
    KernelScript script(2000);
    script.iterations = 2;
    script.distribution = Distribution::replicated;
    ScriptedKernel kernel(script);
    RealSetup setup = setup_of({"cuda,device=0,slowdown=2", "cuda,device=0"}, {&kernel});
    setup.scenario.events.push_back(
        disturb(DisturbanceKind::compete, "cuda0", 0.0, 0.5, Seconds{0.005}));
    MemoryJournal journal;
    for (int i = 0; i < 3; ++i) {
      outcome = run_all(setup, 50, journal);
      EXPECT_TRUE(outcome.complete);
    }
    EXPECT_EQ(fake_frees(), before) << "units are there for further runs";
  }
  EXPECT_GT(fake_frees(), before);
}

/// Prices 100,000 options, whose inputs are 800 kB each, on the fake GPU, and returns how many
/// bytes it has read in place.
std::size_t read_in_place_by_a_run() {
  const auto kernel = make_kernel("blackscholes", {{"options", "100000"}}, "--workload");
  kernel->allocate(1);
  const std::size_t before = fake_direct_bytes();
  MemoryJournal journal;
  EXPECT_TRUE(run_all(setup_of({"cuda"}, {kernel.get()}), 50'000, journal).complete);
  EXPECT_TRUE(kernel->verify().passed) << kernel->verify().what;
  return fake_direct_bytes() - before;
}

TEST(FakeGpu, ReadsInputsInPlaceAndOnlyThose) {
  EXPECT_EQ(read_in_place_by_a_run(), 4u * 800'000);
  EXPECT_EQ(fake_registered_bytes(), 0u) << "not longer than there are units";
}

TEST(FakeGpu, GathersInputsWhereMemoryCannotBeRegistered) {
  set_fake_registering(false);
  EXPECT_EQ(read_in_place_by_a_run(), 0u);
  set_fake_registering(true);
}

TEST(FakeGpu, ReadsInputsInPlaceWithoutRegisteringWhereItSharesTheHostsMemory) {
  set_fake_registering(false);
  set_fake_sharing(true);
  EXPECT_EQ(read_in_place_by_a_run(), 4u * 800'000);
  set_fake_sharing(false);
  set_fake_registering(true);
}

// The kernel is gone when the unit that was left behind goes on; its arrays are not.
TEST(FakeGpu, MayReadArraysOfAKernelThatIsGone) {
  const auto pool = make_cuda_pool(0);
  auto stay = std::make_unique<CudaStay>(pool);
  std::size_t bytes = 0;
  {
    const auto kernel = make_kernel("blackscholes", {{"options", "100000"}}, "--workload");
    kernel->allocate(1);
    for (const FixedArray& array : kernel->data().fixed) {
      bytes += array.bytes;
      EXPECT_TRUE(pool->host().register_array(array, false));
    }
  }
  EXPECT_GE(fake_registered_bytes(), bytes);
  stay.reset();
  EXPECT_EQ(fake_registered_bytes(), 0u);
}

// The matrix B, 320,000 bytes, goes to both. Each copy waits for the other one.
TEST(FakeGpu, GetsResidentDataWhileAnotherOneGetsThem) {
  set_fake_gpus(2);
  set_fake_copies_together(2);
  const auto kernel = make_kernel("matmul", {{"n", "200"}}, "--workload");
  kernel->allocate(1);
  MemoryJournal journal;
  EXPECT_TRUE(run_all(setup_of({"cuda", "cuda"}, {kernel.get()}), 20, journal).complete);
  EXPECT_EQ(set_fake_copies_together(0), 2);
  EXPECT_TRUE(kernel->verify().passed) << kernel->verify().what;
  set_fake_gpus(1);
}

// Five blocks of 200 commands would fill a queue, and the device would stop the program.
TEST(FakeGpu, HasNoFullQueueHoweverManyBlocksAreHeld) {
  for (const int commands : {1, 200}) {
    set_fake_commands(commands);
    KernelScript script(4000);
    ScriptedKernel kernel(script);
    MemoryJournal journal;
    EXPECT_TRUE(run_all(setup_of({"cuda,slots=64,slowdown=1.5"}, {&kernel}), 10, journal).complete);
    EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
    EXPECT_EQ(journal.blocks.size(), 400u);
  }
  set_fake_commands(1);
}

}  // namespace
}  // namespace equipoise::fake_gpu_test
