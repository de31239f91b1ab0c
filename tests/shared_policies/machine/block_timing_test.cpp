// Tests of the block times that the simulator takes from a trace: means and quantiles between and
// outside the recorded sizes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"

namespace equipoise::block_timing_test {
namespace {

Trace one_unit(std::vector<TraceSample> samples) {
  Trace trace;
  trace.units.resize(3);
  trace.samples = std::move(samples);
  return trace;
}

TraceSample sample(double items, double seconds) {
  TraceSample sample;
  sample.items = items;
  sample.compute_mean_s = seconds;
  return sample;
}

TraceSample summary(double items, std::uint64_t count, double mean_s, std::optional<double> sd_s) {
  TraceSample summary = sample(items, mean_s);
  summary.count = count;
  summary.compute_sd_s = sd_s;
  summary.is_summary = true;
  return summary;
}

/// The average of the quantiles at the midpoints of `steps` equal intervals of u.
double average_of_quantiles(const BlockTiming& timing, double items, int steps) {
  double sum = 0.0;
  for (int i = 0; i < steps; ++i) sum += timing.quantile(items, (i + 0.5) / steps).value;
  return sum / steps;
}

TEST(BlockTiming, InterpolatesTheMeanLinearlyBetweenRecordedSizes) {
  const BlockTiming timing(one_unit({sample(100, 1.0), sample(200, 3.0), sample(400, 4.0)}), 0);
  EXPECT_DOUBLE_EQ(timing.mean(100).value, 1.0);
  EXPECT_DOUBLE_EQ(timing.mean(150).value, 2.0);
  EXPECT_DOUBLE_EQ(timing.mean(200).value, 3.0);
  EXPECT_DOUBLE_EQ(timing.mean(300).value, 3.5);
}

TEST(BlockTiming, SharesWhatWasRecordedAmongItsCopies) {
  const BlockTiming timing(one_unit({sample(100, 1.0), sample(200, 3.0)}), 0);
  const std::vector<BlockTiming> hosts(1000, timing);
  EXPECT_EQ(&hosts.back().sizes(), &timing.sizes());
  EXPECT_EQ(hosts.back().mean(150).value, 2.0);
}

TEST(BlockTiming, GoesOnAtTheLargestSizesSpeedAboveIt) {
  const BlockTiming timing(one_unit({sample(100, 1.0), sample(200, 1.5)}), 0);
  EXPECT_DOUBLE_EQ(timing.mean(800).value, 6.0);  // 1.5 / 200 * 800, not the 4.5 of the line
}

TEST(BlockTiming, KeepsTheFixedCostBelowTheSmallestSize) {
  // The line through (100, 1.0) and (200, 1.5) has a fixed cost of 0.5 s and 5 ms per item.
  const BlockTiming timing(one_unit({sample(200, 1.5), sample(100, 1.0), sample(300, 9.0)}), 0);
  EXPECT_DOUBLE_EQ(timing.mean(20).value, 0.6);
}

TEST(BlockTiming, GoesInProportionBelowTheSmallestSizeWhereTheFixedCostIsNegative) {
  const BlockTiming timing(one_unit({sample(100, 1.0), sample(200, 3.0)}), 0);
  EXPECT_DOUBLE_EQ(timing.mean(10).value, 0.1);
}

TEST(BlockTiming, GoesInProportionFromASingleSize) {
  const BlockTiming timing(one_unit({sample(100, 1.0)}), 0);
  EXPECT_DOUBLE_EQ(timing.mean(10).value, 0.1);
  EXPECT_DOUBLE_EQ(timing.mean(100).value, 1.0);
  EXPECT_DOUBLE_EQ(timing.mean(1000).value, 10.0);
  EXPECT_DOUBLE_EQ(timing.quantile(10, 0.9).value, 0.1);
}

TEST(BlockTiming, DrawsTheSamplesOfASizeAsAStepFunction) {
  const BlockTiming timing(one_unit({sample(10, 4.0), sample(10, 1.0), sample(10, 2.0)}), 0);
  EXPECT_DOUBLE_EQ(timing.quantile(10, 0.01).value, 1.0);
  EXPECT_DOUBLE_EQ(timing.quantile(10, 0.34).value, 2.0);
  EXPECT_DOUBLE_EQ(timing.quantile(10, 0.99).value, 4.0);
  EXPECT_DOUBLE_EQ(timing.mean(10).value, 7.0 / 3.0);
}

TEST(BlockTiming, InterpolatesQuantileByQuantile) {
  const BlockTiming timing(
      one_unit({sample(10, 1.0), sample(10, 3.0), sample(20, 5.0), sample(20, 9.0)}), 0);
  EXPECT_DOUBLE_EQ(timing.quantile(15, 0.25).value, 3.0);  // halfway from 1 to 5
  EXPECT_DOUBLE_EQ(timing.quantile(15, 0.75).value, 6.0);  // halfway from 3 to 9
}

TEST(BlockTiming, ScalesTheSmallestSizesScatterBelowItAndShrinksTheLargestsAboveIt) {
  const BlockTiming timing(
      one_unit({sample(10, 1.0), sample(10, 3.0), sample(20, 3.0), sample(20, 5.0)}), 0);
  // Means 2 at 10 and 4 at 20, so no fixed cost. Below 10, the quantiles are 0.5 and 1.5 times the
  // mean.
  EXPECT_DOUBLE_EQ(timing.quantile(5, 0.25).value, 0.5);
  EXPECT_DOUBLE_EQ(timing.quantile(5, 0.75).value, 1.5);
  // At 20, they are 0.75 and 1.25 times the mean. A block of 80 is like four of 20: half the
  // deviation, of a mean of 16.
  EXPECT_DOUBLE_EQ(timing.quantile(20, 0.25).value, 3.0);
  EXPECT_DOUBLE_EQ(timing.quantile(80, 0.25).value, 14.0);
  EXPECT_DOUBLE_EQ(timing.quantile(80, 0.75).value, 18.0);
}

TEST(BlockTiming, ShrinksTheScatterOfASingleSizeAboveIt) {
  const BlockTiming samples(one_unit({sample(10, 1.0), sample(10, 3.0)}), 0);
  EXPECT_DOUBLE_EQ(samples.quantile(1000, 0.25).value, 200.0 * (1.0 - 0.5 / 10));
  EXPECT_DOUBLE_EQ(samples.quantile(1000, 0.75).value, 200.0 * (1.0 + 0.5 / 10));
  // A relative deviation of 0.6 at 10 is 0.3 at 40: ln(1 + 0.09) = sigma^2 of the logarithm.
  const BlockTiming summaries(one_unit({summary(10, 50, 2.0, 1.2)}), 0);
  const double sigma = std::sqrt(std::log(1.09));
  EXPECT_NEAR(summaries.quantile(40, 0.5).value, 8.0 / std::sqrt(1.09), 1e-12);
  EXPECT_NEAR(summaries.quantile(40, 0.8413447460685429).value,
              8.0 / std::sqrt(1.09) * std::exp(sigma), 1e-8);
}

/// The deviation of a block of `items`, from 200,000 quantiles.
double deviation(const BlockTiming& timing, double items) {
  constexpr int steps = 200'000;
  double squares = 0.0;
  for (int i = 0; i < steps; ++i) {
    const double apart = timing.quantile(items, (i + 0.5) / steps).value / timing.mean(items).value;
    squares += (apart - 1.0) * (apart - 1.0);
  }
  return std::sqrt(squares / steps);
}

TEST(BlockTiming, FollowsDeviationsThatAreRecordedToShrinkLess) {
  // 0.2 at 10 and 0.1 at 160: 16 times the items, half the deviation, so b = 1/4. With 101 times
  // each, w = 200, the standard error is 1 / sqrt(2 * 200 (ln 4)^2) = 0.036: 1/4 + 0.072 < 1/2.
  const BlockTiming slow(one_unit({summary(10, 101, 1, 0.2), summary(160, 101, 16, 1.6)}), 0);
  EXPECT_NEAR(deviation(slow, 160), 0.1, 1e-4);
  EXPECT_NEAR(deviation(slow, 160 * 16), 0.05, 1e-4);
  // Deviations that do not shrink, or grow, stay as they are, to the last bit.
  for (const double sd_s : {3.2, 8.0}) {
    const BlockTiming same(one_unit({summary(10, 101, 1, 0.2), summary(160, 101, 16, sd_s)}), 0);
    EXPECT_EQ(same.quantile(160 * 16, 0.9).value, 16.0 * same.quantile(160, 0.9).value) << sd_s;
  }
}

TEST(BlockTiming, TakesItemsForIndependentWhereFewRepetitionsSayOtherwise) {
  // The same deviations by 6 times each: w = 10 and a standard error of 0.161. 1/4 + 0.322 > 1/2.
  const BlockTiming few(one_unit({summary(10, 6, 1, 0.2), summary(160, 6, 16, 1.6)}), 0);
  EXPECT_NEAR(deviation(few, 160 * 16), 0.1 / 4, 1e-4);
  // Deviations that shrink faster do not go on so: 0.2 at 10 and 0.02 at 160, then by 1/2.
  const BlockTiming fast(one_unit({summary(10, 101, 1, 0.2), summary(160, 101, 16, 0.32)}), 0);
  EXPECT_NEAR(deviation(fast, 160 * 16), 0.02 / 4, 1e-5);
}

TEST(BlockTiming, IsLogNormalWhereOnlyMeanAndDeviationAreKnown) {
  const BlockTiming timing(one_unit({summary(10, 50, 2.0, 1.0)}), 0);
  // sigma^2 = ln(1 + 1/4). The median is 2 / sqrt(1.25), one sigma above it is median * exp(sigma).
  const double median = 2.0 / std::sqrt(1.25);
  EXPECT_NEAR(timing.quantile(10, 0.5).value, median, 1e-12);
  EXPECT_NEAR(timing.quantile(10, 0.8413447460685429).value,
              median * std::exp(std::sqrt(std::log(1.25))), 1e-9);
}

TEST(BlockTiming, AveragesItsQuantilesToTheMeanEverywhere) {
  const BlockTiming timing(one_unit({summary(10, 50, 2.0, 0.4), summary(20, 70, 3.0, 0.9)}), 0);
  for (const double items : {3.0, 10.0, 14.0, 20.0, 55.0}) {
    EXPECT_NEAR(average_of_quantiles(timing, items, 200000) / timing.mean(items).value, 1.0, 1e-5)
        << items;
  }
}

TEST(BlockTiming, TakesASummaryWithoutDeviationAsAConstant) {
  const BlockTiming timing(one_unit({summary(10, 50, 2.0, std::nullopt)}), 0);
  EXPECT_DOUBLE_EQ(timing.quantile(10, 0.001).value, timing.quantile(10, 0.999).value);
  EXPECT_NEAR(timing.quantile(10, 0.3).value, 2.0, 1e-12);
}

TEST(BlockTiming, PoolsSummariesOfOneSizeByTheirCounts) {
  // Means 1 (n = 1) and 3 (n = 3) pool to 2.5; the variance is (1 * 2.25 + 3 * (0.25 + 1)) / 4 =
  // 1.5.
  const BlockTiming timing(one_unit({summary(10, 1, 1.0, 0.0), summary(10, 3, 3.0, 1.0)}), 0);
  EXPECT_DOUBLE_EQ(timing.mean(10).value, 2.5);
  EXPECT_EQ(timing.sizes(), std::vector<double>{10.0});
  EXPECT_NEAR(timing.quantile(10, 0.5).value, 2.5 / std::sqrt(1.0 + 1.5 / 6.25), 1e-12);
}

TEST(BlockTiming, SpreadsTimesWhoseSquaresUnderflowLikeOthers) {
  const BlockTiming tiny(one_unit({summary(10, 5, 1e-200, 1e-201)}), 0);
  const BlockTiming usual(one_unit({summary(10, 5, 1.0, 0.1)}), 0);
  for (const double u : {0.01, 0.5, 0.99}) {
    EXPECT_NEAR(tiny.quantile(10, u).value / 1e-200, usual.quantile(10, u).value, 1e-9) << u;
  }
}

TEST(BlockTiming, InterpolatesBytesFromTheSizesThatHaveThem) {
  TraceSample small = sample(10, 1.0);
  small.in_bytes = 100.0;
  TraceSample large = sample(30, 2.0);
  large.in_bytes = 500.0;
  const BlockTiming timing(one_unit({small, sample(20, 1.4), large}), 0);
  EXPECT_DOUBLE_EQ(timing.in_bytes(20).value(), 300.0);
  EXPECT_DOUBLE_EQ(timing.in_bytes(60).value(), 1000.0);
  EXPECT_FALSE(timing.out_bytes(20).has_value());
}

TEST(BlockTiming, LooksAtTheSamplesOfItsUnitOnly) {
  Trace trace = one_unit({sample(10, 1.0), sample(10, 5.0)});
  trace.samples[1].unit = 1;
  EXPECT_DOUBLE_EQ(BlockTiming(trace, 1).mean(10).value, 5.0);
  EXPECT_TRUE(has_samples(trace, 0));
  EXPECT_FALSE(has_samples(trace, 2));
}

TEST(FindTiming, FindsTheTraceThatTimesTheUnit) {
  Trace other = one_unit({sample(10, 1.0)});
  other.kernel = "other";
  Trace empty = one_unit({});
  empty.kernel = "kernel";
  Trace timed = one_unit({sample(10, 1.0)});
  timed.kernel = "kernel";
  timed.units.front().name = empty.units.front().name = other.units.front().name = "gpu";
  const std::vector<Trace> traces = {other, empty, timed};
  const auto found = find_timing(traces, "kernel", "gpu");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->trace, &traces[2]);
  EXPECT_EQ(found->unit, 0U);
  EXPECT_FALSE(find_timing(traces, "kernel", "cpu").has_value());
}

TEST(NormalQuantile, InvertsTheNormalDistribution) {
  for (const double u : {1e-300, 1e-12, 1e-4, 0.05, 0.0751, 0.3, 0.5, 0.8, 0.93, 0.999, 1 - 1e-9}) {
    const double z = normal_quantile(u);
    EXPECT_NEAR(0.5 * std::erfc(-z / std::sqrt(2.0)) / u, 1.0, 1e-9) << u;
  }
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_DOUBLE_EQ(normal_quantile(0.25), -normal_quantile(0.75));
}

}  // namespace
}  // namespace equipoise::block_timing_test
