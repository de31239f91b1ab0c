// Tests of recordings with meters: a powercap folder of the tests, and their stand-in for NVML.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "real/meters/machine_meters.hpp"
#include "real/recording/recorder.hpp"
#include "tests/support/fake_nvml.hpp"
#include "tests/support/gpu_stand_in.hpp"
#include "tests/support/scripted_kernel.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::recorded_watts_test {
namespace {

using std::chrono::milliseconds;

/// A machine whose package and GPU take nothing unless units compute: then they count a joule for
/// each block.
class MeteredMachine : public testing::Test {
 protected:
  MeteredMachine() {
    script_.compute = [this](const Block&, int) {
      std::this_thread::sleep_for(milliseconds(2));
      const std::lock_guard lock(mutex_);
      ++blocks_;
      show();
    };
    show();
    folder_.write("intel-rapl:0/name", "package-0\n");
    folder_.write("intel-rapl:0/max_energy_range_uj", "262143328850\n");
  }

  void show() {
    // A counter is never half written.
    const std::string counter = folder_.path("intel-rapl:0/energy_uj");
    folder_.write("intel-rapl:0/next", std::to_string(blocks_ * 1'000'000) + "\n");
    std::filesystem::rename(folder_.path("intel-rapl:0/next"), counter);
    nvml_.set(blocks_ * 1'000ULL, 0);
  }

  Recording record_with_meters(const std::vector<UnitSpec>& units, bool alone) {
    RecordSetup setup;
    setup.units = units;
    setup.kernel = &kernel_;
    setup.samples_min = setup.samples_max = 2;
    setup.sizes = {1, 10};
    setup.alone = alone;
    setup.busy_span = Seconds{0.1};
    setup.meters = std::make_shared<MeterSampler>(
        machine_meters(gpus_of(units), {folder_.path(""), fake_nvml_file}));
    setup.meters->measure_idle(milliseconds(40));
    return record(setup);
  }

  TemporaryFolder folder_;
  FakeNvml nvml_;
  KernelScript script_{100};
  ScriptedKernel kernel_{script_};
  std::mutex mutex_;
  std::uint64_t blocks_ = 1;
};

/// A block takes at least 2 ms, so that a joule for each is at most 500 W.
void expect_busy(const Unit& unit) {
  EXPECT_EQ(unit.idle_w, 0.0);
  ASSERT_TRUE(unit.busy_w);
  EXPECT_GT(*unit.busy_w, 0.0);
  EXPECT_LE(*unit.busy_w, 501.0);
}

TEST_F(MeteredMachine, GivesEveryUnitThatIsRecordedAloneItsWatts) {
  auto units = parse_units({"cpu", "cpu", "cpu"});
  put_on_gpu(units[2], "cuda0", "00000000:01:00.0");
  const Recording recording = record_with_meters(units, true);
  EXPECT_TRUE(recording.unmetered.empty());
  for (std::size_t i = 0; i < units.size(); ++i) {
    expect_busy(recording.trace.units[i]);
    EXPECT_EQ(recording.units[i].unit.busy_w, recording.trace.units[i].busy_w);
  }
}

TEST_F(MeteredMachine, GivesUnitsTheirWattsIfNoOtherUnitSharesTheirMeter) {
  auto units = parse_units({"cpu", "cpu"});
  put_on_gpu(units[1], "cuda0", "00000000:01:00.0");
  const Recording recording = record_with_meters(units, false);
  EXPECT_TRUE(recording.unmetered.empty());
  EXPECT_TRUE(recording.trace.units[0].busy_w);
  EXPECT_TRUE(recording.trace.units[1].busy_w);
}

TEST_F(MeteredMachine, SaysWhichUnitsWereNotMeasuredApart) {
  const Recording recording = record_with_meters(parse_units({"cpu", "cpu"}), false);
  EXPECT_EQ(recording.unmetered,
            (std::vector<std::string>{
                "busy watts of cpu0, cpu1 were not measured apart: record with --alone"}));
  for (const Unit& unit : recording.trace.units) {
    EXPECT_EQ(unit.idle_w, 0.0);
    EXPECT_FALSE(unit.busy_w);
  }
}

TEST_F(MeteredMachine, SaysWhichUnitsHaveNoMeter) {
  auto units = parse_units({"cpu", "cpu"});
  put_on_gpu(units[1], "cuda0", "00000000:09:00.0");
  const Recording recording = record_with_meters(units, true);
  EXPECT_EQ(recording.unmetered,
            (std::vector<std::string>{"watts of cuda0 were not measured: no meter counts them"}));
  EXPECT_TRUE(recording.trace.units[0].busy_w);
  EXPECT_FALSE(recording.trace.units[1].idle_w);
}

TEST_F(MeteredMachine, LosesAMeterAndGivesNoBusyWatts) {
  script_.compute = [this](const Block&, int) {
    std::this_thread::sleep_for(milliseconds(2));
    std::filesystem::remove(folder_.path("intel-rapl:0/energy_uj"));
  };
  const Recording recording = record_with_meters(parse_units({"cpu"}), false);
  EXPECT_EQ(recording.unmetered,
            (std::vector<std::string>{
                "busy watts of cpu0 were not measured: a meter was not read to the end"}));
  EXPECT_FALSE(recording.trace.units[0].busy_w);
}

TEST_F(MeteredMachine, RecordsNoWattsWithoutMeters) {
  std::filesystem::remove_all(folder_.path("intel-rapl:0"));
  script_.compute = {};
  const Recording recording = record_with_meters(parse_units({"cpu"}), false);
  EXPECT_TRUE(recording.unmetered.empty());
  EXPECT_FALSE(recording.trace.units[0].idle_w);
  EXPECT_FALSE(recording.trace.units[0].busy_w);
}

TEST_F(MeteredMachine, SaysInOneLineWhatIsMeasured) {
  const std::vector<GpuPlace> gpus = {{"cuda0", "00000000:01:00.0"}, {"cuda1", "00000000:03:00.0"}};
  EXPECT_EQ(meters_text(machine_meters(gpus, {folder_.path(""), fake_nvml_file})),
            "package-0 (RAPL), cuda0 (NVML); cuda1 is not measured: Insufficient Permissions");
  const std::string none = folder_.path("none");
  EXPECT_EQ(meters_text(machine_meters({}, {none, fake_nvml_file})),
            "none: " + none + " shows no CPU package");
}

}  // namespace
}  // namespace equipoise::recorded_watts_test
