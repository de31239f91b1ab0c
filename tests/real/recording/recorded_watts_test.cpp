// Tests of recordings with meters: a powercap folder of the tests, and their stand-in for NVML.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "real/meters/meter.hpp"
#include "tests/support/gpu/fake_nvml.hpp"
#include "tests/support/gpu/gpu_stand_in.hpp"
#include "tests/support/metered_machine.hpp"

namespace equipoise::recorded_watts_test {
namespace {

class MeteredMachineTest : public testing::Test, protected MeteredMachine {
 protected:
  MeteredMachineTest() {
    nvml_file_ = fake_nvml_file;
    after_block_ = [this] { nvml_.set(blocks_ * 1'000ULL, 0); };
    nvml_.set(blocks_ * 1'000ULL, 0);
  }

  FakeNvml nvml_;
};

/// A block takes at least 2 ms, so that a joule for each is at most 500 W.
void expect_busy(const Unit& unit) {
  EXPECT_EQ(unit.idle_w, 0.0);
  ASSERT_TRUE(unit.busy_w);
  EXPECT_GT(*unit.busy_w, 0.0);
  EXPECT_LE(*unit.busy_w, 501.0);
}

TEST_F(MeteredMachineTest, GivesEveryUnitThatIsRecordedAloneItsWatts) {
  auto units = parse_units({"cpu", "cpu", "cpu"});
  put_on_gpu(units[2], {"cuda:0", "00000000:01:00.0"});
  const Recording recording = record_with_meters(units, true);
  EXPECT_TRUE(recording.unmetered.empty());
  for (std::size_t i = 0; i < units.size(); ++i) {
    expect_busy(recording.trace.units[i]);
    EXPECT_EQ(recording.units[i].unit.busy_w, recording.trace.units[i].busy_w);
  }
}

TEST_F(MeteredMachineTest, GivesUnitsTheirWattsIfNoOtherUnitSharesTheirMeter) {
  auto units = parse_units({"cpu", "cpu"});
  put_on_gpu(units[0], {"cuda:0", "00000000:01:00.0"});
  put_on_gpu(units[1], {"cuda:1", "00000000:02:00.0"});
  const Recording recording = record_with_meters(units, false);
  EXPECT_TRUE(recording.unmetered.empty());
  EXPECT_TRUE(recording.trace.units[0].busy_w);
  EXPECT_TRUE(recording.trace.units[1].busy_w);
}

TEST_F(MeteredMachineTest, DoesNotTakeTheHostsWorkForAGpuForThatOfTheCpu) {
  auto units = parse_units({"cpu", "cpu"});
  put_on_gpu(units[1], {"cuda:0", "00000000:01:00.0"});
  const Recording recording = record_with_meters(units, false);
  EXPECT_EQ(recording.unmetered,
            std::vector<std::string>{
                "busy watts of cpu0 were not measured apart: record each unit alone"});
  EXPECT_FALSE(recording.trace.units[0].busy_w);
  EXPECT_TRUE(recording.trace.units[1].busy_w);
}

TEST_F(MeteredMachineTest, SaysWhichUnitsWereNotMeasuredApart) {
  const Recording recording = record_with_meters(parse_units({"cpu", "cpu"}), false);
  EXPECT_EQ(recording.unmetered,
            (std::vector<std::string>{
                "busy watts of cpu0 and cpu1 were not measured apart: record each unit alone"}));
  for (const Unit& unit : recording.trace.units) {
    EXPECT_EQ(unit.idle_w, 0.0);
    EXPECT_FALSE(unit.busy_w);
  }
}

TEST_F(MeteredMachineTest, SaysWhichUnitsHaveNoMeter) {
  auto units = parse_units({"cpu", "cpu"});
  put_on_gpu(units[1], {"cuda:9", "00000000:09:00.0"});
  const Recording recording = record_with_meters(units, true);
  EXPECT_EQ(recording.unmetered,
            (std::vector<std::string>{"watts of cpu1 were not measured: no meter counts them"}));
  EXPECT_TRUE(recording.trace.units[0].busy_w);
  EXPECT_FALSE(recording.trace.units[1].idle_w);
}

TEST_F(MeteredMachineTest, LosesAMeterAndGivesNoBusyWatts) {
  script_.compute = [this](const Block&, int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    remove_counter();
  };
  const Recording recording = record_with_meters(parse_units({"cpu"}), false);
  EXPECT_EQ(recording.unmetered,
            (std::vector<std::string>{
                "busy watts of cpu0 were not measured: a meter was not read to the end"}));
  EXPECT_FALSE(recording.trace.units[0].busy_w);
}

TEST_F(MeteredMachineTest, RecordsNoWattsWithoutMeters) {
  remove_counter();
  script_.compute = {};
  const Recording recording = record_with_meters(parse_units({"cpu"}), false);
  EXPECT_TRUE(recording.unmetered.empty());
  EXPECT_FALSE(recording.trace.units[0].idle_w);
  EXPECT_FALSE(recording.trace.units[0].busy_w);
}

TEST_F(MeteredMachineTest, SaysInOneLineWhatIsMeasured) {
  const std::vector<Gpu> gpus = {{"cuda:0", "00000000:01:00.0"}, {"cuda:1", "00000000:03:00.0"}};
  EXPECT_EQ(meters_text(machine_meters(gpus, {folder_.path(""), fake_nvml_file})),
            "package-0 (RAPL), cuda:0 (NVML); cuda:1 is not measured: Insufficient Permissions");
  const std::string none = folder_.path("none");
  EXPECT_EQ(meters_text(machine_meters({}, {none, fake_nvml_file})),
            "none: " + none + " shows no CPU package");
}

}  // namespace
}  // namespace equipoise::recorded_watts_test
