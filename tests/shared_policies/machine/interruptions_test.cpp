// Tests of interruptions: how many waits for cores a unit has, where, and in the mean.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/interruptions.hpp"

namespace equipoise::interruptions_test {
namespace {

TraceSample sample(double compute_s, double waited_s) {
  TraceSample sample;
  sample.items = 10;
  sample.compute_mean_s = compute_s;
  sample.waited_s = waited_s;
  return sample;
}

Trace one_unit(std::vector<TraceSample> samples) {
  Trace trace;
  trace.kernel = "k";
  trace.units.resize(1);
  trace.units[0].name = "u";
  trace.samples = std::move(samples);
  return trace;
}

/// 4 s of computing in which 2 blocks have waited, 1 s and 3 s.
Trace waiting() {
  return one_unit({sample(1.0, 0.0), sample(1.0, 1.0), sample(1.0, 0.0), sample(1.0, 3.0)});
}

const Draw draw({1, 0, "u\nwaits", "k"});

TEST(Interruptions, AreNoneWhereNoWaitsWereMeasured) {
  Trace trace = waiting();
  for (TraceSample& sample : trace.samples) sample.waited_s.reset();
  const Interruptions none(trace, 0);
  EXPECT_EQ(none.share(10), 0.0);
  EXPECT_EQ(none.between(Seconds{0.0}, Seconds{100.0}, 10, draw), Seconds{});
}

TEST(Interruptions, ComeOnceInEachEqualPartOfTheComputing) {
  const Interruptions waits(waiting(), 0);
  EXPECT_DOUBLE_EQ(waits.share(10), 1.0);
  // One wait of 1 s or 3 s in each 2 s.
  double sum_s = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const double wait_s = waits.between(Seconds{2.0 * i}, Seconds{2.0 * (i + 1)}, 10, draw).value;
    EXPECT_TRUE(wait_s == 1.0 || wait_s == 3.0) << wait_s;
    sum_s += wait_s;
  }
  EXPECT_NEAR(sum_s, 2000.0, 100.0);  // the standard deviation is sqrt(1000)
}

TEST(Interruptions, OfConsecutiveSpansAddUpToThoseOfTheWhole) {
  const Interruptions waits(waiting(), 0);
  double sum_s = 0.0;
  for (int i = 0; i < 300; ++i) {
    sum_s += waits.between(Seconds{0.1 * i}, Seconds{0.1 * (i + 1)}, 10, draw).value;
  }
  EXPECT_DOUBLE_EQ(sum_s, waits.between(Seconds{0.0}, Seconds{0.1 * 300}, 10, draw).value);
}

TEST(Interruptions, OfOutliersCountWithTheComputingOfOthers) {
  Trace trace = waiting();
  trace.samples[3].is_outlier = true;
  trace.samples[3].compute_mean_s = 7.0;
  EXPECT_DOUBLE_EQ(Interruptions(trace, 0).share(10), 4.0 / 4.0);
}

TEST(Interruptions, DependOnTheSizeOfBlocksWhereEnoughWereSeen) {
  Trace trace = waiting();  // two waits in blocks of 10
  for (std::size_t i = 0; i < Interruptions::enough_waits; ++i) {
    trace.samples.push_back(sample(1.0, 2.0));
    trace.samples.back().items = 20;
  }
  trace.samples.push_back(sample(1.0, 0.5));
  trace.samples.back().items = 40;
  // The first size joins the second, which has enough, and the last does, too.
  EXPECT_DOUBLE_EQ(Interruptions(trace, 0).share(10), 24.5 / 15.0);
  for (std::size_t i = 0; i < Interruptions::enough_waits; ++i) {
    trace.samples.push_back(sample(1.0, 4.0));
    trace.samples.back().items = 40;
  }
  const Interruptions waits(trace, 0);
  EXPECT_DOUBLE_EQ(waits.share(10), 24.0 / 14.0);
  EXPECT_DOUBLE_EQ(waits.share(20), 24.0 / 14.0);
  EXPECT_DOUBLE_EQ(waits.share(40), 40.5 / 11.0);
  EXPECT_DOUBLE_EQ(waits.share(1000), 40.5 / 11.0);
}

TEST(Interruptions, LengthenTheMeanTimeOfBlocksOfAnySize) {
  const BlockTiming timing(waiting(), 0);
  EXPECT_DOUBLE_EQ(timing.mean_computing(10).value, 1.0);
  EXPECT_DOUBLE_EQ(timing.mean(10).value, 2.0);
  EXPECT_DOUBLE_EQ(timing.mean(40).value, 8.0);
  EXPECT_DOUBLE_EQ(timing.quantile(10, 0.3).value, 1.0);
}

TEST(Interruptions, AverageToTheMeanTimeOfBlocksOfAnySize) {
  // Blocks of 10 wait for as long as they compute, those of 30, which take 2 s, hardly ever.
  Trace trace;
  trace.units.resize(1);
  trace.units[0].name = "u";
  for (std::size_t i = 0; i < Interruptions::enough_waits; ++i) {
    trace.samples.push_back(sample(1.0, 1.0));
    trace.samples.push_back(sample(2.0, 0.1));
    trace.samples.back().items = 30;
  }
  const BlockTiming timing(trace, 0);
  for (const double items : {2.0, 10.0, 15.0, 25.0, 30.0, 100.0}) {
    DrawnTimes times({1, 0, "u", "k"});
    double sum_s = 0.0;
    constexpr std::uint64_t blocks = 4000;
    for (std::uint64_t i = 0; i < blocks; ++i) sum_s += times.next(timing, items, i).value;
    EXPECT_NEAR(sum_s / blocks, timing.mean(items).value, 0.01 * timing.mean(items).value) << items;
  }
  EXPECT_DOUBLE_EQ(timing.mean(10).value, 2.0);
  EXPECT_DOUBLE_EQ(timing.mean(20).value, 2.05);  // halfway between 2 s and 2.1 s
}

TEST(Interruptions, OfALongRunAreThoseOfTheRecordingInTheMean) {
  const BlockTiming timing(waiting(), 0);
  DrawnTimes times({1, 0, "u", "k"});
  double sum_s = 0.0;
  for (std::uint64_t block = 0; block < 2000; ++block) sum_s += times.next(timing, 10, block).value;
  EXPECT_NEAR(sum_s, 4000.0, 150.0);  // 1000 waits of 2 s, with a standard deviation of 1 s
}

}  // namespace
}  // namespace equipoise::interruptions_test
