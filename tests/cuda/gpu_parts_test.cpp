// Tests of units that are parts of a GPU, and of loads that compete with them, on a GPU that is not
// there.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "real/cuda/cuda_unit.hpp"
#include "real/real_executor.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/gpu/fake_cuda.hpp"
#include "tests/support/real_runs.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scripted_kernel.hpp"

namespace equipoise::gpu_parts_test {
namespace {

/// A machine that is as it was when the test ends.
class GpuParts : public testing::Test {
 protected:
  ~GpuParts() override {
    set_fake_gpus(1);
    set_fake_driver(0);
  }
};

/// The SMs from `first` to `last`.
std::set<int> sms(int first, int last) {
  std::set<int> all;
  for (int sm = first; sm <= last; ++sm) all.insert(sm);
  return all;
}

TEST_F(GpuParts, HaveJoinedGroupsOfSmsThatNoOtherUnitHas) {
  KernelScript script(400);
  ScriptedKernel kernel(script);
  MemoryJournal journal;
  static_cast<void>(take_opened_parts());
  EXPECT_TRUE(run_all(setup_of({"cuda,sms=16", "cuda,sms=8", "cuda,sms=8"}, {&kernel}), 10, journal)
                  .complete);
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  const std::vector<std::set<int>> opened = take_opened_parts();
  EXPECT_EQ(std::set(opened.begin(), opened.end()),
            (std::set{sms(0, 15), sms(16, 23), sms(24, 31)}));
}

TEST_F(GpuParts, AreDescribedAsPartsThatShareADevice) {
  const std::vector<UnitSpec> parts = parse_units({"cuda,sms=8", "cuda,sms=24"});
  EXPECT_EQ(parts[0].unit.model, "Fake GPU, 8 of 34 SMs");
  EXPECT_EQ(parts[1].unit.model, "Fake GPU, 24 of 34 SMs");
  EXPECT_EQ(parts[0].unit.device, "cuda:0");
  EXPECT_EQ(parts[1].unit.device, "cuda:0");
  EXPECT_EQ(parts[1].unit.copy_engines, 2);
  // 15 MiB are free but for the reserve.
  EXPECT_EQ(parts[0].unit.memory_bytes, 15.0 / 4.0 * 1024 * 1024);
  EXPECT_EQ(parts[1].unit.memory_bytes, 45.0 / 4.0 * 1024 * 1024);
}

TEST_F(GpuParts, AreRefusedIfTheGpuCannotGiveThem) {
  EXPECT_EQ(refusal_of([] {
              (void)parse_units({"cuda,sms=8", "cuda,sms=12"});
            }),
            "--unit cuda,sms=12: sms=12 is not possible; GPU 0 has 34 SMs, of which units can have "
            "32 in multiples of 8");
  EXPECT_EQ(
      refusal_of([] {
        (void)parse_units({"cuda,sms=16", "cuda,sms=24"});
      }),
      "--unit cuda,sms=24: with this unit there are 40 SMs in all; GPU 0 has 34 SMs, of which "
      "units can have 32 in multiples of 8");
}

TEST_F(GpuParts, NeedADriverThatKnowsThem) {
  set_fake_driver(12020);
  EXPECT_EQ(refusal_of([] { (void)parse_units({"cuda,sms=8"}); }),
            "--unit cuda,sms=8: parts of GPUs (sms=) need a driver of CUDA 12.5, and the NVIDIA "
            "driver here knows CUDA 12.2");
  EXPECT_EQ(parse_units({"cuda"})[0].unit.model, "Fake GPU");
}

TEST_F(GpuParts, AreMissedInTheListOfUnitsIfTheDriverKnowsNone) {
  set_fake_driver(12020);
  EXPECT_EQ(cuda_libraries()[0], "driver: CUDA 12.2; parts of GPUs (sms=) need one of CUDA 12.5");
  set_fake_driver(12050);
  EXPECT_EQ(cuda_libraries()[0], "driver: CUDA 12.5");
}

TEST_F(GpuParts, AreOfTheFirstGpuAndWholeUnitsOfTheNext) {
  set_fake_gpus(2);
  const std::vector<UnitSpec> units = parse_units({"cuda", "cuda,sms=8", "cuda,sms=8"});
  EXPECT_EQ(units[0].unit.device, "cuda:1");
  EXPECT_EQ(units[1].unit.device, "cuda:0");
  EXPECT_EQ(units[2].unit.device, "cuda:0");
  EXPECT_EQ(units[0].factory->gpu()->name, "cuda:1");
  EXPECT_EQ(units[0].unit.memory_bytes, 15.0 * 1024 * 1024);
}

/// What a load reports of a run on `units` that lasts until the load has been seen on as many SMs
/// as expected, and whether it was there afterwards.
struct SeenLoad {
  double share = -1.0;
  bool was_seen = false;
};

SeenLoad run_beside_load(const std::vector<std::string>& units, double share, int expected_sms) {
  KernelScript script(200);
  SeenLoad seen;
  std::atomic<bool> was_seen = false;
  script.compute = [&](const Block&, int) {
    for (int i = 0; i < 2000 && !was_seen; ++i) {
      if (fake_load_sms() == expected_sms) was_seen = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  ScriptedKernel kernel(script);
  RealSetup setup = setup_of(units, {&kernel});
  setup.scenario.events.push_back(disturb(DisturbanceKind::compete, "cuda0", 0.0, share));
  setup.report_load = [&](const LoadReport& report) { seen.share = report.share; };
  MemoryJournal journal;
  EXPECT_TRUE(run_all(std::move(setup), 100, journal).complete);
  EXPECT_TRUE(kernel.verify().passed) << kernel.verify().what;
  EXPECT_EQ(fake_load_sms(), 0) << "it ends with its run";
  seen.was_seen = was_seen;
  return seen;
}

TEST_F(GpuParts, ShareTheirOwnSmsWithALoadThatCompetes) {
  // Half of 8 SMs, a quarter of 34, and of 8 SMs never all.
  const SeenLoad half = run_beside_load({"cuda,sms=8", "cuda,sms=16"}, 0.5, 4);
  EXPECT_TRUE(half.was_seen);
  EXPECT_GT(half.share, 0.0);
  EXPECT_LE(half.share, 0.5 + 1e-6);
  EXPECT_TRUE(run_beside_load({"cuda"}, 0.25, 9).was_seen);
  EXPECT_TRUE(run_beside_load({"cuda,sms=8"}, 0.98, 7).was_seen);
}

TEST_F(GpuParts, AreLeftByALoadThatEndsBeforeTheRun) {
  KernelScript script(200);
  std::atomic<bool> came = false;
  std::atomic<bool> went = false;
  script.compute = [&](const Block&, int) {
    for (int i = 0; i < 5000 && !went; ++i) {
      const bool is_there = fake_load_sms() > 0;
      if (is_there) came = true;
      if (came && !is_there) went = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  ScriptedKernel kernel(script);
  RealSetup setup = setup_of({"cuda,sms=16"}, {&kernel});
  setup.scenario.events.push_back(
      disturb(DisturbanceKind::compete, "cuda0", 0.02, 0.5, Seconds{0.3}));
  MemoryJournal journal;
  EXPECT_TRUE(run_all(std::move(setup), 100, journal).complete);
  EXPECT_TRUE(came);
  EXPECT_TRUE(went);
}

}  // namespace
}  // namespace equipoise::gpu_parts_test
