// Tests of CUDA units on a GPU that is not there: what no real one does when it is asked to.
#include "tests/support/gpu/fake_cuda.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>

#include "real/cuda/cuda_device.hpp"
#include "real/machine.hpp"
#include "real/real_executor.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/real_runs.hpp"
#include "tests/support/scripted_kernel.hpp"

namespace equipoise::fake_gpu_test {
namespace {

TEST(FakeGpu, IsDescribedLikeARealOne) {
  const Unit unit = parse_units({"cuda"})[0].unit;
  EXPECT_EQ(unit.model, "Fake GPU");
  EXPECT_EQ(unit.copy_engines, 2) << "it has three";
  EXPECT_EQ(unit.memory_bytes, 15.0 * 1024 * 1024) << "16 MiB are free";
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
  EXPECT_EQ(journal.count("unit_lost"), 1);
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
  EXPECT_EQ(journal.count("block_lost"), 0);
  EXPECT_EQ(journal.blocks.size(), 5u);
}

TEST(FakeGpu, LosesABlockThatIsTooLargeForItsMemoryAndDoesHalvesOfIt) {
  KernelScript script(1'250'000);
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  EXPECT_TRUE(run_all(setup_of_larger_gpu("cuda,slots=1", kernel), 1'250'000, journal).complete);
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  EXPECT_EQ(journal.count("block_lost"), 1);
  for (const BlockRecord& record : journal.blocks) EXPECT_LE(record.block.items, 625'000);
}

}  // namespace
}  // namespace equipoise::fake_gpu_test
