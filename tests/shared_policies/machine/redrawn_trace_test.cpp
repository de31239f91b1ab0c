// Tests of traces as another recording might have been: how far means vary, and what stays.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "shared_policies/machine/redrawn_trace.hpp"

namespace equipoise::redrawn_trace_test {
namespace {

constexpr std::uint64_t seed = 7;

Trace one_unit(std::vector<TraceSample> samples) {
  Trace trace;
  trace.kernel = "k";
  trace.units.resize(1);
  trace.units[0].name = "u";
  trace.samples = std::move(samples);
  return trace;
}

TraceSample sample(double items, double seconds) {
  TraceSample sample;
  sample.items = items;
  sample.compute_mean_s = seconds;
  return sample;
}

TraceSample summary(double items, std::uint64_t count, double mean_s, double sd_s) {
  TraceSample summary = sample(items, mean_s);
  summary.count = count;
  summary.compute_sd_s = sd_s;
  summary.is_summary = true;
  return summary;
}

/// Mean and standard deviation of the mean time of the first `samples` samples of `trace` over
/// 4,000 redrawings.
std::pair<double, double> spread_of(const Trace& trace, std::size_t samples) {
  constexpr int times = 4000;
  double sum = 0.0;
  double square = 0.0;
  for (std::uint64_t i = 0; i < times; ++i) {
    const Trace other = redrawn(trace, seed, i);
    double mean = 0.0;
    for (std::size_t at = 0; at < samples; ++at) mean += other.samples[at].compute_mean_s;
    mean /= static_cast<double>(samples);
    sum += mean;
    square += mean * mean;
  }
  const double mean = sum / times;
  return {mean, std::sqrt(square / times - mean * mean)};
}

TEST(RedrawnTrace, VariesTheMeanOfSamplesByTheirStandardError) {
  // Of 1, 2, 3, 4 s the mean is 2.5 s, and its standard error sqrt(5/3) / 2 = 0.6455 s.
  const Trace trace =
      one_unit({sample(10, 1.0), sample(10, 2.0), sample(10, 3.0), sample(10, 4.0)});
  const auto [mean, sd] = spread_of(trace, 4);
  EXPECT_NEAR(mean, 2.5, 0.05);
  EXPECT_NEAR(sd, 0.6455, 0.03);
}

TEST(RedrawnTrace, VariesTheMeanOfASummaryByItsStandardError) {
  // sd / sqrt(n) = 0.1 s; with 24 degrees of freedom Student's t deviates by sqrt(24 / 22).
  const auto [mean, sd] = spread_of(one_unit({summary(10, 25, 2.0, 0.5)}), 1);
  EXPECT_NEAR(mean, 2.0, 0.01);
  EXPECT_NEAR(sd, 0.1 * std::sqrt(24.0 / 22.0), 0.005);
}

TEST(RedrawnTrace, VariesTheSumOfWaitsByItsStandardError) {
  // Of waits of 0, 0, 0 and 4 s, the sum over all four is 4 s, and its deviation 4 sqrt(3) / 2 s.
  Trace trace = one_unit({sample(10, 1.0), sample(10, 2.0), sample(30, 3.0), sample(30, 4.0)});
  for (TraceSample& sample : trace.samples) sample.waited_s = 0.0;
  trace.samples[3].waited_s = 4.0;
  constexpr int times = 4000;
  double sum = 0.0;
  double square = 0.0;
  for (std::uint64_t i = 0; i < times; ++i) {
    const double waited_s = redrawn(trace, seed, i).samples[3].waited_s.value();
    sum += waited_s / times;
    square += waited_s * waited_s / times;
  }
  EXPECT_NEAR(sum, 4.0, 0.2);
  EXPECT_NEAR(std::sqrt(square - sum * sum), 2.0 * std::sqrt(3.0), 0.2);
}

TEST(RedrawnTrace, MovesASingleTimeByTheDeviationOfTheNearestSize) {
  const Trace trace = one_unit({sample(100, 4.0), summary(50, 400, 2.0, 0.2), summary(1, 4, 1, 1)});
  const auto [mean, sd] = spread_of(trace, 1);
  EXPECT_NEAR(mean, 4.0, 0.05);
  EXPECT_NEAR(sd, 0.4, 0.02);
}

TEST(RedrawnTrace, LeavesTimesAsTheyAreWhereNothingWasRepeated) {
  const Trace trace = one_unit({sample(1, 1.0), sample(2, 2.5)});
  const Trace other = redrawn(trace, seed, 3);
  EXPECT_EQ(other.samples[0].compute_mean_s, 1.0);
  EXPECT_EQ(other.samples[1].compute_mean_s, 2.5);
}

TEST(RedrawnTrace, MultipliesAllTimesOfASizeByOneFactorAndNoOutlier) {
  Trace trace = one_unit({sample(10, 1.0), sample(10, 2.0), sample(10, 50.0)});
  trace.samples[2].is_outlier = true;
  const Trace other = redrawn(trace, seed, 1);
  EXPECT_DOUBLE_EQ(other.samples[1].compute_mean_s, 2.0 * other.samples[0].compute_mean_s);
  EXPECT_EQ(other.samples[2].compute_mean_s, 50.0);
}

TEST(RedrawnTrace, IsTheSameForTheSameSeedAndNumber) {
  const Trace trace = one_unit({sample(10, 1.0), sample(10, 2.0)});
  const auto factor = [&](std::uint64_t with_seed, std::uint64_t redrawing) {
    return redrawn(trace, with_seed, redrawing).samples[0].compute_mean_s;
  };
  EXPECT_EQ(factor(1, 5), factor(1, 5));
  bool differs = false;
  for (std::uint64_t i = 0; i < 8; ++i) differs = differs || factor(1, i) != factor(2, i);
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace equipoise::redrawn_trace_test
