// Tests of the thread that reads meters during real runs.
#include "real/meters/meter_sampler.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "real/real_executor.hpp"
#include "shared_policies/run/metrics.hpp"
#include "tests/support/real_runs.hpp"
#include "tests/support/scripted_kernel.hpp"

namespace equipoise::meter_sampler_test {
namespace {

/// A meter that shows 10 J more with each reading, until it cannot be read any more.
class CountingMeter final : public Meter {
 public:
  CountingMeter(std::string domain, std::atomic<int>& readings,
                int most = std::numeric_limits<int>::max())
      : Meter(std::move(domain), "test"), readings_(readings), most_(most) {}

  std::optional<double> joules(double /*now_s*/) override {
    const int before = readings_++;
    return before < most_ ? std::optional(10.0 * before) : std::nullopt;
  }

 private:
  std::atomic<int>& readings_;
  int most_;
};

/// A meter that shows 30 W.
class SteadyMeter final : public Meter {
 public:
  SteadyMeter() : Meter("package-0", "test") {}
  std::optional<double> joules(double now_s) override { return 30.0 * now_s; }
};

std::vector<Measured> all_of(MeterSampler& sampler) {
  std::vector<Measured> readings;
  while (auto reading = sampler.take(Seconds::infinity())) readings.push_back(std::move(*reading));
  return readings;
}

/// Runs two blocks on one unit, the first of which ends when `is_over`.
RunNumbers run_metered(const std::shared_ptr<MeterSampler>& meters,
                       const std::function<bool()>& is_over, MemoryJournal& memory) {
  KernelScript script(2);
  script.compute = [&](const Block&, int) {
    while (!is_over()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  ScriptedKernel kernel(script);
  RealSetup real = setup_of({"cpu"}, {&kernel});
  real.meters = meters;
  RunSetup setup;
  setup.units = {real.units[0].unit};
  setup.phases = {kernel.workload()};
  Scripted policy = pieces_of(1);
  const auto executor = make_real_executor(std::move(real));
  MeteredJournal journal(meters.get(), memory);
  EXPECT_TRUE(run_policy(*executor, policy, setup, journal).complete);
  journal.finish();
  Metrics metrics(setup.units, {}, meters->note());
  for (const BlockRecord& block : memory.blocks) metrics.block(block);
  for (const Measured& reading : memory.measurements) metrics.measured(reading);
  return metrics.numbers();
}

TEST(MeterSampler, ReadsFromTheStartOfARunToItsEnd) {
  std::atomic<int> readings = 0;
  Meters meters;
  meters.found.push_back(std::make_unique<CountingMeter>("package-0", readings));
  meters.notes = {"dram is not counted"};
  const auto sampler = std::make_shared<MeterSampler>(std::move(meters));
  for (int run = 0; run < 2; ++run) {
    readings = 0;
    MemoryJournal memory;
    const RunNumbers numbers = run_metered(
        sampler, [&] { return readings > 5; }, memory);
    ASSERT_EQ(memory.measurements.size(), static_cast<std::size_t>(readings));
    ASSERT_GE(memory.measurements.size(), 7u) << "six before the end of the first block";
    EXPECT_EQ(memory.measurements.front().at, Seconds{});
    EXPECT_GE(memory.measurements.back().at, numbers.makespan);
    for (std::size_t i = 0; i < memory.measurements.size(); ++i) {
      EXPECT_EQ(memory.measurements[i].what, "energy_j");
      EXPECT_EQ(memory.measurements[i].value, 10.0 * static_cast<double>(i));
      const Seconds before = memory.measurements[i == 0 ? 0 : i - 1].at;
      EXPECT_GE(memory.measurements[i].at, before);
    }
    EXPECT_EQ(numbers.energy_from, EnergySource::measured);
    EXPECT_DOUBLE_EQ(*numbers.energy_j, 10.0 * (readings - 1));
    EXPECT_EQ(numbers.energy_note, "of package-0; dram is not counted");
  }
}

TEST(MeterSampler, LeavesOutADomainThatCannotBeReadAnyMore) {
  std::atomic<int> first = 0;
  std::atomic<int> second = 0;
  Meters meters;
  meters.found.push_back(std::make_unique<CountingMeter>("package-0", first));
  meters.found.push_back(std::make_unique<CountingMeter>("package-1", second, 3));
  MemoryJournal memory;
  const auto sampler = std::make_shared<MeterSampler>(std::move(meters));
  const RunNumbers numbers = run_metered(
      sampler, [&] { return first > 5; }, memory);
  EXPECT_EQ(second, 4) << "the reading that fails is the last";
  EXPECT_EQ(numbers.energy_from, EnergySource::measured);
  EXPECT_DOUBLE_EQ(*numbers.energy_j, 10.0 * (first - 1));
  EXPECT_TRUE(numbers.energy_note.starts_with("of package-0, without package-1: read only until "))
      << numbers.energy_note;
}

TEST(MeterSampler, SaysWhatTheIdleMachineTakes) {
  Meters meters;
  meters.found.push_back(std::make_unique<SteadyMeter>());
  MeterSampler sampler(std::move(meters));
  sampler.measure_idle(std::chrono::milliseconds(1));
  sampler.begin();
  const std::vector<Measured> readings = all_of(sampler);
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].what, "idle_w");
  EXPECT_EQ(readings[0].domain, "package-0");
  EXPECT_NEAR(readings[0].value, 30.0, 1e-6);
  EXPECT_EQ(readings[1].what, "energy_j");
  EXPECT_EQ(readings[1].value, 0.0);
}

TEST(MeterSampler, GivesReadingsUpToATime) {
  std::atomic<int> count = 0;
  Meters meters;
  meters.found.push_back(std::make_unique<CountingMeter>("package-0", count));
  MeterSampler sampler(std::move(meters));
  sampler.begin();
  sampler.end(Seconds{2.0});
  EXPECT_EQ(sampler.take(Seconds{1.0})->at, Seconds{});
  EXPECT_FALSE(sampler.take(Seconds{1.0}));
  EXPECT_EQ(sampler.take(Seconds{2.0})->value, 10.0);
  EXPECT_FALSE(sampler.take(Seconds::infinity()));
}

TEST(MeterSampler, DoesNothingWithoutMeters) {
  const auto sampler = std::make_shared<MeterSampler>(Meters{{}, {"no folder", "no library"}});
  sampler->measure_idle(std::chrono::hours(1));
  MemoryJournal memory;
  const RunNumbers numbers = run_metered(
      sampler, [] { return true; }, memory);
  EXPECT_TRUE(memory.measurements.empty());
  EXPECT_EQ(numbers.energy_from, EnergySource::unknown);
  EXPECT_EQ(numbers.energy_note,
            "no meter was read (no folder; no library), and no unit's watts are known");
}

}  // namespace
}  // namespace equipoise::meter_sampler_test
