// Tests of the driver that every device has: failures at every stage.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "real/real_executor.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/failing_device.hpp"
#include "tests/support/real_runs.hpp"
#include "tests/support/scripted_kernel.hpp"

namespace equipoise::device_failures_test {
namespace {

/// A unit whose device follows `script`, beside a CPU.
RealSetup failing_beside_a_cpu(Kernel& kernel, DeviceScript script) {
  RealSetup setup = setup_of({"emulated", "cpu"}, {&kernel});
  setup.units[0].factory = std::make_shared<FailingFactory>(fast_copies, std::move(script));
  return setup;
}

TEST(DeviceFailures, AtAnyStageLoseTheBlockAndNotTheUnitAndEveryItemIsDoneOnce) {
  for (const DeviceCall stage : {DeviceCall::copy_in, DeviceCall::launch, DeviceCall::copy_out}) {
    for (const DeviceFault fault : {DeviceFault::refused, DeviceFault::later}) {
      KernelScript script(2000);
      ScriptedKernel kernel(script);
      MemoryJournal journal;
      std::atomic<int> failed = 0;
      RealSetup setup = setup_of({"emulated"}, {&kernel});
      setup.units[0].factory =
          std::make_shared<FailingFactory>(fast_copies, [&](DeviceCall call, int before) {
            const bool fails = call == stage && (before == 3 || before == 7);
            failed += fails ? 1 : 0;
            return fails ? fault : DeviceFault::none;
          });
      std::vector<std::string> warnings;
      setup.warn = [&](const std::string& text) { warnings.push_back(text); };
      EXPECT_TRUE(run_all(std::move(setup), 100, journal).complete);
      EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
      EXPECT_EQ(failed, 2);
      EXPECT_EQ(journal.count<LostBlock>(), 2);
      EXPECT_EQ(journal.count<UnitLost>(), 0);
      ASSERT_EQ(warnings.size(), 2u);
      EXPECT_NE(warnings[0].find("could not do a block of 100 items"), std::string::npos)
          << warnings[0];
    }
  }
}

TEST(DeviceFailures, AtTheFirstUseOfALibraryLoseNothing) {
  for (const DeviceFault fault : {DeviceFault::none, DeviceFault::refused, DeviceFault::later}) {
    KernelScript script(2000);
    ScriptedKernel kernel(script);
    MemoryJournal journal;
    std::atomic<int> launches = 0;
    RealSetup setup = setup_of({"emulated"}, {&kernel});
    setup.units[0].factory = std::make_shared<FailingFactory>(
        fast_copies,
        [&](DeviceCall call, int before) {
          launches += call == DeviceCall::launch ? 1 : 0;
          return call == DeviceCall::launch && before == 2 ? fault : DeviceFault::none;
        },
        true);
    EXPECT_TRUE(run_all(std::move(setup), 100, journal).complete);
    EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
    EXPECT_EQ(journal.count<LostBlock>(), 0);
    // 1, 2, 4, ... 1024 items, or up to the 4 that fail, and 20 blocks.
    EXPECT_EQ(launches, (fault == DeviceFault::refused ? 3 : 11) + 20);
  }
}

TEST(DeviceFailures, OfABlockThatBringsResidentDataLeaveNoBlockWithoutThem) {
  // The first copy in is that of resident data. Each stage of the block that brings them fails.
  for (const DeviceCall stage : {DeviceCall::copy_in, DeviceCall::launch, DeviceCall::copy_out}) {
    for (const DeviceFault fault : {DeviceFault::refused, DeviceFault::later}) {
      for (const int failing : {0, 1}) {
        KernelScript script(400);
        ScriptedKernel kernel(script);
        std::atomic<bool> wrong = false;
        script.compute = [&](const Block& block, int) {
          if (block.iteration != 0) wrong = true;
        };
        MemoryJournal journal;
        RealSetup setup = setup_of({"emulated"}, {&kernel});
        setup.units[0].factory =
            std::make_shared<FailingFactory>(fast_copies, [&](DeviceCall call, int before) {
              return call == stage && before == failing ? fault : DeviceFault::none;
            });
        EXPECT_TRUE(run_all(std::move(setup), 40, journal).complete);
        EXPECT_FALSE(wrong) << static_cast<int>(stage) << static_cast<int>(fault) << failing;
        EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
      }
    }
  }
}

TEST(DeviceFailures, MakeLaterBlocksHalfAsLarge) {
  KernelScript script(1000);
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  RealSetup setup = setup_of({"emulated,slots=1"}, {&kernel});
  // Blocks of more than 30 items fail.
  script.compute = [](const Block& block, int) {
    if (block.items > 30) throw std::bad_alloc();
  };
  EXPECT_TRUE(run_all(std::move(setup), 100, journal).complete);
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  EXPECT_EQ(journal.count<LostBlock>(), 2);  // of 100 and of 50 items
  for (const BlockRecord& record : journal.blocks) EXPECT_LE(record.block.items, 25);
}

TEST(DeviceFailures, OfASingleItemOnceLoseTheBlockAlone) {
  KernelScript script(64);
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  RealSetup setup = setup_of({"emulated"}, {&kernel});
  setup.units[0].factory =
      std::make_shared<FailingFactory>(fast_copies, [](DeviceCall call, int before) {
        return call == DeviceCall::launch && before % 10 == 3 ? DeviceFault::later
                                                              : DeviceFault::none;
      });
  EXPECT_TRUE(run_all(std::move(setup), 1, journal).complete);
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  EXPECT_EQ(journal.count<LostBlock>(), 7);  // launches 3, 13, ... 63 of 71
  EXPECT_EQ(journal.count<UnitLost>(), 0);
}

TEST(DeviceFailures, OfSingleItemsOneAfterAnotherLoseTheUnit) {
  KernelScript script(64);
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  RealSetup setup = failing_beside_a_cpu(kernel, [](DeviceCall call, int) {
    return call == DeviceCall::launch ? DeviceFault::later : DeviceFault::none;
  });
  EXPECT_TRUE(run_all(std::move(setup), 4, journal).complete);
  EXPECT_TRUE(has_all_results(script));
  EXPECT_EQ(journal.count<UnitLost>(), 1);
}

TEST(DeviceFailures, ForGoodLoseTheUnitAndTheOthersDoItsWork) {
  for (const DeviceCall stage : {DeviceCall::copy_in, DeviceCall::launch, DeviceCall::copy_out}) {
    KernelScript script(500);
    ScriptedKernel kernel(script);
    MemoryJournal journal;
    std::atomic<bool> failed = false;
    RealSetup setup = failing_beside_a_cpu(kernel, [&](DeviceCall call, int before) {
      if (call != stage || before != 2) return DeviceFault::none;
      failed = true;
      failed.notify_all();
      return DeviceFault::for_good;
    });
    script.compute = [&](const Block& block, int) {
      if (block.first >= 400) failed.wait(false);  // the last items stay until then
    };
    std::string warning;
    setup.warn = [&](const std::string& text) { warning = text; };
    EXPECT_TRUE(run_all(std::move(setup), 10, journal).complete);
    EXPECT_TRUE(has_all_results(script));
    EXPECT_EQ(journal.count<UnitLost>(), 1);
    EXPECT_NE(warning.find("the device fell off the bus"), std::string::npos) << warning;
  }
}

TEST(DeviceFailures, ForGoodAreNoticedThoughTheDeviceNeverRingsAgain) {
  KernelScript script(500);
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  std::atomic<bool> is_silent = false;
  RealSetup setup = failing_beside_a_cpu(kernel, [&](DeviceCall call, int before) {
    if (call != DeviceCall::launch || before != 2) return DeviceFault::none;
    is_silent = true;
    is_silent.notify_all();
    return DeviceFault::silent;
  });
  script.compute = [&](const Block& block, int) {
    if (block.first >= 400) is_silent.wait(false);  // the last items stay until then
  };
  std::string warning;
  setup.warn = [&](const std::string& text) { warning = text; };
  EXPECT_TRUE(run_all(std::move(setup), 10, journal).complete);
  EXPECT_TRUE(has_all_results(script));
  EXPECT_EQ(journal.count<UnitLost>(), 1);
  EXPECT_NE(warning.find("the device fell silent"), std::string::npos) << warning;
}

TEST(DeviceFailures, OfMemoryMakeTheUnitHoldFewerItemsAtATime) {
  KernelScript script(1000);
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  RealSetup setup = setup_of({"emulated"}, {&kernel});
  setup.units[0].factory =
      std::make_shared<FailingFactory>(fast_copies, [](DeviceCall call, int before) {
        return call == DeviceCall::allocate && before < 3 ? DeviceFault::refused
                                                          : DeviceFault::none;
      });
  EXPECT_TRUE(run_all(std::move(setup), 100, journal).complete);
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  EXPECT_EQ(journal.count<LostBlock>(), 0);
}

TEST(DeviceFailures, OfAllMemoryLoseTheUnit) {
  KernelScript script(100);
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  RealSetup setup = failing_beside_a_cpu(kernel, [](DeviceCall call, int) {
    return call == DeviceCall::allocate ? DeviceFault::refused : DeviceFault::none;
  });
  EXPECT_TRUE(run_all(std::move(setup), 10, journal).complete);
  EXPECT_TRUE(has_all_results(script));
  EXPECT_EQ(journal.count<UnitLost>(), 1);
}

TEST(DeviceFailures, ThatNeverEndLoseTheUnitAfterTheTimeout) {
  for (const DeviceCall stage : {DeviceCall::copy_in, DeviceCall::launch, DeviceCall::copy_out}) {
    KernelScript script(200);
    ScriptedKernel kernel(script);
    MemoryJournal journal;
    std::atomic<bool> is_stuck = false;
    RealSetup setup = failing_beside_a_cpu(kernel, [&](DeviceCall call, int before) {
      if (call != stage || before != 1) return DeviceFault::none;
      is_stuck = true;
      is_stuck.notify_all();
      return DeviceFault::stuck;
    });
    script.compute = [&](const Block& block, int) {
      if (block.first >= 150) is_stuck.wait(false);
    };
    setup.block_timeout = BlockTimeout::fixed(Seconds{0.2});
    EXPECT_TRUE(run_all(std::move(setup), 10, journal).complete);
    EXPECT_TRUE(has_all_results(script));
    EXPECT_EQ(journal.count<UnitLost>(), 1);
    EXPECT_EQ(threads_left_behind(), 0) << "a stuck queue is not a stuck thread";
  }
}

TEST(DeviceFailures, AtRandomLeaveEveryItemDoneOnce) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    KernelScript script(3000);
    ScriptedKernel kernel(script);
    MemoryJournal journal;
    RealSetup setup = failing_beside_a_cpu(kernel, [seed](DeviceCall call, int before) {
      const unsigned mixed = (seed * 2654435761U) ^ (static_cast<unsigned>(before) * 40503U) ^
                             (static_cast<unsigned>(call) * 9176U);
      const unsigned draw = mixed * 2246822519U >> 24;
      if (draw < 10) return DeviceFault::refused;
      return draw < 20 ? DeviceFault::later : DeviceFault::none;
    });
    EXPECT_TRUE(run_all(std::move(setup), 60, journal).complete) << "seed " << seed;
    EXPECT_TRUE(has_all_results(script)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace equipoise::device_failures_test
