// Tests of the lines that are fitted to recorded copies, and of the excess over them on units that
// copy with their own cores.
#include <gtest/gtest.h>

#include "shared_policies/fit/copy_fit.hpp"

namespace equipoise::copy_fit_test {
namespace {

/// A trace in which an item takes 2 s to compute.
Trace recorded(const std::vector<double>& sizes) {
  Trace trace;
  trace.units.resize(1);
  for (const double items : sizes) {
    TraceSample sample;
    sample.items = items;
    sample.compute_mean_s = 2.0 * items;
    trace.samples.push_back(sample);
  }
  return trace;
}

Workload copied() {
  Workload workload;
  workload.in_bytes_per_item = 100.0;
  workload.out_bytes_per_item = 50.0;
  return workload;
}

TEST(FitCopySpeed, FindsTheLineThatTheCopiesLieOn) {
  const CopySpeed speed = fit_copy_speed({1e3, 1e5, 1e7}, {1e-6 + 1e-7, 1e-6 + 1e-5, 1e-6 + 1e-3});
  EXPECT_NEAR(speed.latency.value, 1e-6, 1e-12);
  EXPECT_NEAR(speed.bandwidth_bytes_per_s, 1e10, 1e3);
}

TEST(FitCopySpeed, GoesThroughTheOriginRatherThanBelowIt) {
  // Small copies come from caches and are faster than the line through the large ones.
  const CopySpeed speed = fit_copy_speed({1e3, 1e6}, {0.5e-7, 1e-4});
  EXPECT_EQ(speed.latency.value, 0.0);
  // sum(b^2/t^2) / sum(b/t) with b/t = 2e10 and 1e10
  EXPECT_NEAR(speed.bandwidth_bytes_per_s, 5e20 / 3e10, 1.0);
}

TEST(FitCopySpeed, KeepsTheBandwidthOfLargeCopiesHoweverManyTinyOnesBeganLate) {
  std::vector<double> bytes = {1e5, 1e6, 1e7, 1e8};
  std::vector<double> times_s;
  for (const double size : bytes) times_s.push_back(1e-5 + size / 1e9);
  for (int i = 0; i < 100; ++i) {
    bytes.push_back(1e4);
    times_s.push_back(4e-5 + 1e4 / 1e9);  // 30 us late
  }
  const CopySpeed speed = fit_copy_speed(bytes, times_s);
  EXPECT_NEAR(speed.bandwidth_bytes_per_s, 1e9, 0.02e9);
}

TEST(FitCopySpeed, TakesCopiesOfOneSizeAsProportional) {
  const CopySpeed speed = fit_copy_speed({1e6, 1e6}, {1e-4, 1e-4});
  EXPECT_EQ(speed.latency.value, 0.0);
  EXPECT_NEAR(speed.bandwidth_bytes_per_s, 1e10, 1.0);
}

TEST(CopySpeedsOf, AreTheLinesThroughTheSamplesThatHaveTimes) {
  Trace trace = recorded({1.0, 2.0, 3.0, 4.0});
  EXPECT_FALSE(copy_speeds_of(trace, 0, copied()).in);
  trace.samples[0].in_s = 3.0;
  trace.samples[1].in_s = 4.0;
  trace.samples[2].in_s = 9.0;
  trace.samples[2].is_outlier = true;
  const CopySpeeds speeds = copy_speeds_of(trace, 0, copied());
  ASSERT_TRUE(speeds.in);
  EXPECT_FALSE(speeds.out);
  EXPECT_NEAR(speeds.in->latency.value, 2.0, 1e-9);
  EXPECT_NEAR(speeds.in->bandwidth_bytes_per_s, 100.0, 1e-6);
  EXPECT_NEAR(speeds.in->time(400.0).value, 6.0, 1e-9);
  EXPECT_EQ(speeds.in->time(0.0), Seconds{});
}

TEST(CopySpeedsOf, TakeTheBytesOfTheSampleBeforeThoseOfTheWorkload) {
  Trace trace = recorded({1.0, 2.0});
  for (TraceSample& sample : trace.samples) {
    sample.out_bytes = 1000.0 * sample.items;
    sample.out_s = sample.items;
  }
  EXPECT_NEAR(copy_speeds_of(trace, 0, copied()).out->bandwidth_bytes_per_s, 1000.0, 1e-6);
}

/// 100 bytes take 1 s in, 200 bytes take 0.5 s. The line through the origin has
/// sum(b^2/t^2) / sum(b/t) = (1e4 + 16e4) / (100 + 400) = 340 bytes/s.
Trace recorded_with_copies() {
  Trace trace = recorded({1.0, 2.0});
  trace.samples[0].in_s = 1.0;
  trace.samples[1].in_s = 0.5;
  return trace;
}

TEST(BlockTimingOf, HasInComputingWhatOwnCopiesTakeBeyondTheirLine) {
  const BlockTiming by_itself = block_timing_of(recorded_with_copies(), 0, copied(), 0);
  EXPECT_NEAR(by_itself.mean(1.0).value, 2.0 + 1.0 - 100.0 / 340.0, 1e-9);
  EXPECT_NEAR(by_itself.mean(2.0).value, 4.0 + 0.5 - 200.0 / 340.0, 1e-9);
  const BlockTiming by_engine = block_timing_of(recorded_with_copies(), 0, copied(), 1);
  EXPECT_EQ(by_engine.mean(1.0), Seconds{2.0});
  EXPECT_EQ(by_engine.mean(2.0), Seconds{4.0});
}

TEST(BlockTimingOf, LeavesATenthOfTheComputing) {
  Trace trace = recorded_with_copies();
  // Less than the 0.088 s by which the line exceeds the copy.
  trace.samples[1].compute_mean_s = 0.05;
  EXPECT_NEAR(block_timing_of(trace, 0, copied(), 0).mean(2.0).value, 0.005, 1e-12);
}

}  // namespace
}  // namespace equipoise::copy_fit_test
