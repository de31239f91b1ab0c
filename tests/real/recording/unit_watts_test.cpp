// Tests of the watts of units: how domains are divided, and what is added while a unit computes.
#include "real/recording/unit_watts.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/gpu/gpu_stand_in.hpp"

namespace equipoise::unit_watts_test {
namespace {

using Names = std::vector<std::string>;

TEST(CountedEnergy, GoesFromStepToStepOfTheCounter) {
  // Steps of 30 J were seen at 1 s, 4 s and 7 s.
  const std::vector<CounterReading> readings = {{0.0, 0.0},  {1.0, 30.0}, {2.0, 30.0},
                                                {3.0, 30.0}, {4.0, 60.0}, {5.0, 60.0},
                                                {6.0, 60.0}, {7.0, 90.0}, {8.0, 90.0}};
  const auto counted = counted_energy(readings);
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->begin_s, 1.0);
  EXPECT_EQ(counted->end_s, 7.0);
  EXPECT_DOUBLE_EQ(counted->mean_w(), 10.0);
}

TEST(CountedEnergy, IsThatOfAllReadingsIfThereIsOneStepOrNone) {
  const std::vector<CounterReading> one = {{0.0, 0.0}, {1.0, 0.0}, {2.0, 8.0}, {4.0, 8.0}};
  EXPECT_DOUBLE_EQ(counted_energy(one)->mean_w(), 2.0);
  const std::vector<CounterReading> none = {{0.0, 5.0}, {1.0, 5.0}};
  EXPECT_DOUBLE_EQ(counted_energy(none)->mean_w(), 0.0);
  EXPECT_FALSE(counted_energy(std::vector<CounterReading>{{1.0, 5.0}}));
  EXPECT_FALSE(counted_energy({}));
}

TEST(UnitDomains, DivideThePackagesByThreads) {
  const auto units = parse_units({"cpu,threads=1", "cpu,threads=3"});
  const UnitDomains domains(units, {{"package-0", 20.0}, {"package-1", 12.0}});
  EXPECT_DOUBLE_EQ(domains.idle_w(0).value(), 8.0);
  EXPECT_DOUBLE_EQ(domains.idle_w(1).value(), 24.0);
  EXPECT_EQ(domains.of(0), (Names{"package-0", "package-1"}));
  EXPECT_EQ(domains.of(0), domains.of(1));
  EXPECT_FALSE(domains.is_apart(0, 0, 2));
  EXPECT_TRUE(domains.is_apart(0, 0, 1)) << "recorded alone";
}

TEST(UnitDomains, GiveAGpuToItsUnitsAndThePackagesToTheOthers) {
  auto units = parse_units({"cpu,threads=2", "cpu", "cpu", "cpu"});
  put_on_gpu(units[1], {"cuda:0", "00000000:01:00.0"});
  put_on_gpu(units[2], {"cuda:1", "00000000:02:00.0"});
  put_on_gpu(units[3], {"cuda:1", "00000000:02:00.0"});
  const UnitDomains domains(units, {{"package-0", 20.0}, {"cuda:0", 50.0}, {"cuda:1", 60.0}});
  EXPECT_DOUBLE_EQ(domains.idle_w(0).value(), 20.0);
  EXPECT_DOUBLE_EQ(domains.idle_w(1).value(), 50.0);
  EXPECT_DOUBLE_EQ(domains.idle_w(2).value(), 30.0);
  EXPECT_DOUBLE_EQ(domains.idle_w(3).value(), 30.0);
  EXPECT_EQ(domains.of(1), Names{"cuda:0"});
  EXPECT_FALSE(domains.is_apart(0, 0, 4)) << "cores also work for the GPUs";
  EXPECT_TRUE(domains.is_apart(0, 0, 1));
  EXPECT_TRUE(domains.is_apart(1, 0, 4));
  EXPECT_FALSE(domains.is_apart(2, 0, 4));
}

TEST(UnitDomains, GiveThePackagesToTheGpusIfNoUnitIsOnCores) {
  auto units = parse_units({"cpu", "cpu"});
  put_on_gpu(units[0], {"cuda:0", "00000000:01:00.0"});
  put_on_gpu(units[1], {"cuda:1", "00000000:02:00.0"});
  const UnitDomains domains(units, {{"package-0", 20.0}, {"cuda:0", 50.0}, {"cuda:1", 60.0}});
  EXPECT_DOUBLE_EQ(domains.idle_w(0).value(), 60.0);
  EXPECT_DOUBLE_EQ(domains.idle_w(1).value(), 70.0);
  EXPECT_EQ(domains.of(0), Names{"cuda:0"});
}

TEST(UnitDomains, KnowNothingOfWhatIsNotMeasured) {
  auto units = parse_units({"cpu", "cpu"});
  put_on_gpu(units[1], {"cuda:0", "00000000:01:00.0"});
  const UnitDomains without_gpu(units, {{"package-0", 20.0}});
  EXPECT_DOUBLE_EQ(without_gpu.idle_w(0).value(), 20.0);
  EXPECT_FALSE(without_gpu.idle_w(1));
  const UnitDomains without_package(units, {{"cuda:0", 50.0}});
  EXPECT_FALSE(without_package.idle_w(0));
  EXPECT_DOUBLE_EQ(without_package.idle_w(1).value(), 50.0);
}

StageTimes times(double in_s, double compute_s, double out_s) {
  return {.setup = Seconds{},
          .in = Seconds{in_s},
          .compute = Seconds{compute_s},
          .out = Seconds{out_s}};
}

Measured energy(double at_s, const std::string& domain, double joules) {
  return {Seconds{at_s}, domain, "energy_j", joules};
}

/// Two units watched from 10 s on. Unit 0 computes 3 of every 4 s and copies in the rest; unit 1
/// ends its last block at 18 s.
BusyWatch watched() {
  BusyWatch watch(2);
  watch.block(0, Seconds{9.0}, times(0.0, 5.0, 0.0));
  watch.reading(energy(9.5, "package-0", 1000.0));
  watch.begin(Seconds{10.0});
  for (const double at_s : {10.0, 14.0, 18.0}) {
    watch.reading(energy(at_s, "package-0", 100.0 * at_s));
    watch.reading(energy(at_s, "cuda:0", 300.0 * at_s));
    watch.reading({Seconds{at_s}, "cuda:0", "power_w", 1.0});
    watch.block(0, Seconds{at_s + 4.0}, times(0.5, 3.0, 0.5));
  }
  watch.block(1, Seconds{18.0}, times(0.0, 8.0, 0.0));
  for (const double at_s : {22.0, 26.0}) {
    watch.reading(energy(at_s, "package-0", 100.0 * at_s));
    watch.reading(energy(at_s, "cuda:0", 300.0 * at_s));
  }
  return watch;
}

TEST(BusyWatch, FindsWhatAUnitAddsToTheIdleMachineWhileItComputes) {
  const BusyWatch watch = watched();
  // Unit 0 until 22 s, from the counters' first step, at 14 s: 8 s, of which it computes 6 s.
  // (8 s * 100 W - 8 s * 40 W) / 6 s
  EXPECT_DOUBLE_EQ(watch.added_w(0, Names{"package-0"}, {{"package-0", 40.0}}).value(), 80.0);
  // (8 s * 300 W - 8 s * 30 W) / 6 s = 360 W more
  EXPECT_DOUBLE_EQ(
      watch.added_w(0, Names{"package-0", "cuda:0"}, {{"package-0", 40.0}, {"cuda:0", 30.0}})
          .value(),
      440.0);
  // Unit 1 computes all the time until 18 s.
  EXPECT_DOUBLE_EQ(watch.added_w(1, Names{"package-0"}, {{"package-0", 40.0}}).value(), 60.0);
  EXPECT_EQ(watch.added_w(1, Names{"package-0"}, {{"package-0", 140.0}}).value(), 0.0);
}

TEST(BusyWatch, KnowsNothingOfADomainThatWasNotReadToTheEnd) {
  BusyWatch watch = watched();
  const WattsByDomain idle_w = {{"package-0", 40.0}, {"package-1", 40.0}};
  EXPECT_FALSE(watch.added_w(0, Names{"package-1"}, idle_w));
  EXPECT_FALSE(watch.added_w(0, Names{}, idle_w));
  watch.block(0, Seconds{27.0}, times(0.0, 1.0, 0.0));
  EXPECT_FALSE(watch.added_w(0, Names{"package-0"}, idle_w));
}

TEST(BusyWatch, LastsFromItsBeginToTheLastBlock) {
  const BusyWatch watch = watched();
  EXPECT_TRUE(watch.lasted(0, Seconds{12.0}));
  EXPECT_FALSE(watch.lasted(0, Seconds{12.5}));
  EXPECT_FALSE(BusyWatch(1).lasted(0, Seconds{}));
}

}  // namespace
}  // namespace equipoise::unit_watts_test
