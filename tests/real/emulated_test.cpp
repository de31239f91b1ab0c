// Tests of emulated accelerators, and of the driver that every device has: overlap, memory,
// slow-downs.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/real_executor.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/failing_device.hpp"
#include "tests/support/real_runs.hpp"
#include "tests/support/scripted_kernel.hpp"

namespace equipoise::emulated_test {
namespace {

Block block_of(std::uint64_t id, Items first, Items items) {
  return {.id = id, .first = first, .items = items};
}

TEST(Emulated, IsAGpuWithMemoryAndCopyEnginesOfItsOwn) {
  const UnitSpec spec = parse_units({"emulated,threads=2,memory_bytes=64Mi,copy_engines=1"})[0];
  EXPECT_EQ(spec.unit.name, "emulated0");
  EXPECT_EQ(spec.unit.kind, UnitKind::gpu);
  EXPECT_EQ(spec.unit.model, "emulated");
  EXPECT_EQ(spec.unit.memory_bytes, 64.0 * 1024 * 1024);
  EXPECT_EQ(spec.unit.copy_engines, 1);
  EXPECT_EQ(spec.unit.slots, 3);
  EXPECT_EQ(spec.factory->cores(), 2);
  EXPECT_TRUE(spec.computes());
}

/// Every kernel of the catalog, small.
const std::map<std::string, TypedParameters> small = {
    {"binomial", {{"options", "640"}, {"steps", "16"}}},
    {"blackscholes", {{"options", "1000"}}},
    {"empty", {{"items", "64"}}},
    {"fft2d", {{"transforms", "20"}, {"rows", "16"}, {"columns", "32"}}},
    {"gaussian", {{"width", "32"}, {"height", "64"}, {"radius", "5"}}},
    {"grn", {{"genes", "64"}, {"candidates", "16"}}},
    {"kmeans", {{"points", "500"}, {"clusters", "8"}, {"iterations", "4"}}},
    {"mandelbrot", {{"width", "32"}, {"height", "64"}}},
    {"matmul", {{"n", "64"}}},
    {"nbody", {{"bodies", "90"}, {"iterations", "4"}}},
    {"synthetic", {{"items", "640"}, {"operations", "1000"}}},
    {"taylor", {{"points", "640"}, {"terms", "16"}}}};

TEST(Emulated, ComputesEveryKernelWithVerifiedResultsBesideACpu) {
  for (const KernelInfo& info : kernel_catalog()) {
    ASSERT_TRUE(small.contains(info.name)) << info.name << ": add small parameters";
    const auto kernel = make_kernel(info.name, small.at(info.name), "--workload");
    kernel->allocate(1);
    for (const char* const engines : {"1", "2"}) {
      MemoryJournal journal;
      RealSetup setup = setup_of({"cpu", std::string("emulated,slots=3,copy_engines=") + engines},
                                 {kernel.get()});
      EXPECT_TRUE(run_all(std::move(setup), 3, journal).complete) << info.name;
      EXPECT_TRUE(kernel->verify().passed) << info.name << ": " << kernel->verify().what;
    }
  }
}

TEST(Emulated, ReadsResidentDataThatItDoesNotHoldWhileItComputes) {
  // A matrix of 512 x 512 numbers has 2 MiB, a row of each of the other two 4 KiB. With 1 MiB, a
  // block of 32 rows leaves 768 KiB, so 1.25 MiB are read with it, and 1 MiB more in the setup: at
  // 100 MB/s and 10 us, 13.12 ms. Computing takes a millisecond or so.
  const auto kernel = make_kernel("matmul", {{"n", "512"}}, "--workload");
  kernel->allocate(1);
  for (const char* const engines : {"1", "2"}) {
    MemoryJournal journal;
    RealSetup setup = setup_of({std::string("emulated,in_bytes_per_s=1e8,memory_bytes=1Mi,slots=2,"
                                            "copy_engines=") +
                                engines},
                               {kernel.get()});
    EXPECT_TRUE(run_all(std::move(setup), 32, journal).complete);
    EXPECT_TRUE(kernel->verify().passed) << kernel->verify().what;
    ASSERT_EQ(journal.blocks.size(), 16U);
    Seconds copied_in;
    for (const BlockRecord& record : journal.blocks) {
      EXPECT_GE(record.times.compute.value, 1.25 * 1048576.0 / 1e8) << record.block.id;
      EXPECT_GE(record.begins.in, copied_in) << "one copy in at a time, streams included";
      copied_in = record.begins.compute + Seconds{1.25 * 1048576.0 / 1e8};
    }
  }
}

TEST(Emulated, HoldsItsCopiesToTheirLatencyAndBandwidth) {
  KernelScript script(1000);  // 8 bytes in and 8 bytes out for each item
  ScriptedKernel kernel(script);
  RealSetup setup =
      setup_of({"emulated,in_bytes_per_s=4e6,out_bytes_per_s=2e6,latency_s=1e-3"}, {&kernel});
  const auto executor = make_real_executor(std::move(setup));
  executor->run([&] {
    executor->start(block_of(0, 0, 1000), UnitId{0});
    const auto event = executor->next(Seconds::infinity());
    ASSERT_TRUE(event);
    const auto& finished = std::get<BlockFinished>(event->what);
    EXPECT_GE(finished.times.in.value, 1e-3 + 8e3 / 4e6 - 1e-9);
    EXPECT_GE(finished.times.out.value, 1e-3 + 8e3 / 2e6 - 1e-9);
    EXPECT_GE(event->at - finished.assigned, total(finished.times));
  });
  EXPECT_TRUE(kernel.verify().passed);
}

/// When a copy of a unit began and ended.
struct CopySpan {
  double begin_s = 0.0;
  double end_s = 0.0;
};

/// Expects that no two of the copies overlap.
void expect_one_at_a_time(std::vector<CopySpan> copies) {
  std::ranges::sort(copies, {}, &CopySpan::begin_s);
  for (std::size_t i = 1; i < copies.size(); ++i) {
    EXPECT_GE(copies[i].begin_s, copies[i - 1].end_s - 1e-9) << i;
  }
}

TEST(Emulated, CopiesForOneUnitOfADeviceAtATime) {
  for (const std::string engines : {"1", "2"}) {
    KernelScript script(900);
    ScriptedKernel kernel(script);
    const std::string unit =
        "emulated,device=card,in_bytes_per_s=4e5,out_bytes_per_s=4e5,copy_engines=" + engines;
    MemoryJournal journal;
    EXPECT_TRUE(run_all(setup_of({unit, unit, unit}, {&kernel}), 15, journal).complete);
    EXPECT_TRUE(kernel.verify().passed);
    std::vector<CopySpan> in;
    std::vector<CopySpan> out;
    std::set<std::uint32_t> units;
    for (const BlockRecord& record : journal.blocks) {
      units.insert(record.unit.index);
      const double in_s = record.begins.in.value;
      const double out_s = record.begins.out.value;
      in.push_back({in_s, in_s + record.times.in.value});
      out.push_back({out_s, out_s + record.times.out.value});
    }
    EXPECT_EQ(units.size(), 3u);
    expect_one_at_a_time(in);
    expect_one_at_a_time(out);
    if (engines == "2") continue;
    in.insert(in.end(), out.begin(), out.end());
    expect_one_at_a_time(in);
  }
}

TEST(Emulated, GoesOnWhenAnotherUnitOfItsDeviceIsLost) {
  KernelScript script(2000);
  ScriptedKernel kernel(script);
  const std::string unit = "emulated,device=card,in_bytes_per_s=1e6,copy_engines=1";
  RealSetup setup = setup_of({unit, unit}, {&kernel});
  for (int i = 0; i < 5; ++i) {
    setup.scenario.events.push_back(disturb(DisturbanceKind::fail, "emulated0", 1e-3 * (2 * i + 1),
                                            1.0, Seconds{1e-3 * (2 * i + 2)}));
  }
  MemoryJournal journal;
  EXPECT_TRUE(run_all(std::move(setup), 40, journal).complete);
  EXPECT_TRUE(has_all_results(script));
}

TEST(Emulated, KeepsAsManyBlocksInFlightAsItsMemoryHolds) {
  for (const Items in_memory : {Items{1}, Items{2}, Items{3}, Items{5}}) {
    KernelScript script(50);
    std::atomic<bool> may_compute = false;
    std::atomic<int> most = 0;
    script.compute = [&](const Block&, int) { may_compute.wait(false); };
    ScriptedKernel kernel(script);
    RealSetup setup = setup_of({"emulated"}, {&kernel});
    // 8 bytes of resident data, 16 bytes for each item; a block has 10 items.
    setup.units[0].unit.memory_bytes = 8.0 + 160.0 * static_cast<double>(in_memory);
    setup.units[0].factory =
        std::make_shared<FailingFactory>(fast_copies, [&](DeviceCall call, int before) {
          if (call == DeviceCall::launch) most = std::max(most.load(), before + 1);
          return DeviceFault::none;
        });
    const auto executor = make_real_executor(std::move(setup));
    executor->run([&] {
      for (std::uint64_t i = 0; i < 5; ++i) {
        executor->start(block_of(i, static_cast<Items>(10 * i), 10), UnitId{0});
      }
      while (most < in_memory) std::this_thread::yield();
      EXPECT_FALSE(executor->next(executor->now() + Seconds{0.005}));
      EXPECT_EQ(most, in_memory);
      may_compute = true;
      may_compute.notify_all();
      for (int i = 0; i < 5; ++i) EXPECT_TRUE(executor->next(Seconds::infinity()));
    });
    EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  }
}

TEST(Emulated, BringsResidentDataOncePerPhaseAndWhatChangedWithEveryIteration) {
  KernelScript first(40);
  KernelScript second(40);
  first.iterations = 3;
  std::atomic<bool> wrong = false;
  first.compute = [&](const Block& block, int) {
    if (block.iteration != static_cast<int>(first.merges.size())) wrong = true;
  };
  ScriptedKernel one(first);
  ScriptedKernel two(second);
  MemoryJournal journal;
  EXPECT_TRUE(run_all(setup_of({"emulated"}, {&one, &two}), 10, journal).complete);
  EXPECT_FALSE(wrong);
  const auto brought = std::ranges::count_if(
      journal.blocks, [](const BlockRecord& record) { return record.times.setup > Seconds{}; });
  EXPECT_EQ(brought, 4);  // three iterations of the first phase, and the second phase
  EXPECT_TRUE(one.verify().passed);
  EXPECT_TRUE(two.verify().passed);
}

TEST(Emulated, HasReplicatedDataBeforeItsFirstBlock) {
  for (const Distribution distribution : {Distribution::master, Distribution::replicated}) {
    KernelScript script(40);
    script.iterations = 3;
    script.distribution = distribution;
    ScriptedKernel kernel(script);
    MemoryJournal journal;
    EXPECT_TRUE(run_all(setup_of({"emulated"}, {&kernel}), 10, journal).complete);
    const auto brought = std::ranges::count_if(
        journal.blocks, [](const BlockRecord& record) { return record.times.setup > Seconds{}; });
    EXPECT_EQ(brought, distribution == Distribution::master ? 3 : 2);
    EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  }
}

TEST(Emulated, ComputesOnReplicatedDataBesideACpu) {
  const auto kernel =
      make_kernel("matmul", {{"n", "64"}, {"distribution", "replicated"}}, "--workload");
  kernel->allocate(1);
  MemoryJournal journal;
  EXPECT_TRUE(run_all(setup_of({"cpu", "emulated"}, {kernel.get()}), 8, journal).complete);
  EXPECT_TRUE(kernel->verify().passed) << kernel->verify().what;
}

TEST(DeviceScenario, AcceptsEveryItemOnceHoweverOftenTheUnitGoesAndComes) {
  KernelScript script(20'000);
  script.compute = [](const Block&, int) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  };
  ScriptedKernel kernel(script);
  RealSetup setup = setup_of({"emulated", "cpu"}, {&kernel});
  for (int i = 0; i < 40; ++i) {
    setup.scenario.events.push_back(
        disturb(DisturbanceKind::fail, "emulated0", 1e-3 * i, 1.0, Seconds{1e-3 * i + 5e-4}));
  }
  MemoryJournal journal;
  EXPECT_TRUE(run_all(std::move(setup), 40, journal).complete);
  EXPECT_TRUE(has_all_results(script));
}

TEST(DeviceScenario, SlowsEveryStageDownWithoutKeepingTheDriverFromItsOtherBlocks) {
  for (const std::string engines : {"1", "2"}) {
    KernelScript script(800);
    ScriptedKernel kernel(script);
    script.compute = [](const Block&, int) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    };
    MemoryJournal journal;
    // 800 bytes in 1 ms for each copy of a block of 100 items; copies in take twice as long.
    RealSetup setup = setup_of({"emulated,slowdown=3,in_bytes_per_s=8e5,out_bytes_per_s=8e5,"
                                "latency_s=0,copy_engines=" +
                                engines},
                               {&kernel});
    setup.scenario.events.push_back(
        disturb(DisturbanceKind::bandwidth, in_link_of(setup.units[0].unit), 0.0, 0.5));
    EXPECT_TRUE(run_all(std::move(setup), 100, journal).complete);
    EXPECT_TRUE(kernel.verify().passed);
    EXPECT_EQ(journal.blocks.size(), 8u);
    for (const BlockRecord& record : journal.blocks) {
      EXPECT_GE(record.times.compute.value, 6e-3 - 1e-9);
      EXPECT_GE(record.times.in.value, 2e-3 - 1e-9);
      EXPECT_GE(record.times.out.value, 1e-3 - 1e-9) << "a device copies by itself";
    }
  }
}

}  // namespace
}  // namespace equipoise::emulated_test
