// Tests of fits, on samples whose exact answers are known.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <random>
#include <vector>

#include "shared_policies/fit/cost_samples.hpp"
#include "shared_policies/policies/plb/basis_fit.hpp"

namespace equipoise::fit_test {
namespace {

std::vector<CostSample> samples_of(const std::vector<double>& sizes, double (*seconds)(double)) {
  std::vector<CostSample> samples;
  for (const double x : sizes) {
    add_sample(samples, x, seconds(x));
  }
  return samples;
}

FitOptions options_of(double scale_items, FitMode mode = FitMode::subset) {
  FitOptions options;
  options.scale_items = scale_items;
  options.mode = mode;
  return options;
}

const std::vector<double> training = {100.0, 200.0, 400.0, 800.0};

TEST(Samples, PoolsMeasurementsOfOneSizeWithoutLosingTheirSpread) {
  std::vector<CostSample> samples;
  add_sample(samples, 20.0, 3.0);
  add_sample(samples, 10.0, 1.0);
  add_sample(samples, 10.0, 2.0);
  add_sample(samples, 10.0, 6.0);
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_DOUBLE_EQ(samples[0].items, 10.0);
  EXPECT_DOUBLE_EQ(samples[0].seconds, 3.0);
  EXPECT_DOUBLE_EQ(samples[0].weight, 3.0);
  EXPECT_DOUBLE_EQ(samples[0].spread_s2, 4.0 + 1.0 + 9.0);
}

TEST(Determination, IsCentredAboutTheWeightedMean) {
  // Measurements 1, 2, 6 and 5, predictions 3 and 5: SSE = 14, mean 3.5, SST = 17.
  std::vector<CostSample> samples;
  for (const double t : {1.0, 2.0, 6.0}) {
    add_sample(samples, 10.0, t);
  }
  add_sample(samples, 20.0, 5.0);
  const std::vector<double> predictions = {3.0, 5.0};
  EXPECT_NEAR(determination(samples, predictions, 1, false), 1.0 - 14.0 / 17.0, 1e-12);
  // Degrees of freedom: 4 - 1 and 3.
  EXPECT_NEAR(determination(samples, predictions, 1, true), 1.0 - 14.0 / 17.0, 1e-12);
  EXPECT_NEAR(determination(samples, predictions, 2, true), 1.0 - 7.0 / (17.0 / 3.0), 1e-12);
  EXPECT_EQ(determination(samples, predictions, 4, true), 0.0);
}

TEST(Determination, IsOneWhereNothingVaries) {
  const std::vector<CostSample> samples = {{1.0, 2.0, 1.0, 0.0}, {2.0, 2.0, 1.0, 0.0}};
  EXPECT_EQ(determination(samples, std::vector<double>{3.0, 3.0}, 1, false), 1.0);
}

TEST(TransferLine, IsExactForALine) {
  const TransferLine line =
      fit_transfer_line(samples_of(training, [](double x) { return 0.5 + 0.01 * x; }));
  EXPECT_NEAR(line.latency_s, 0.5, 1e-12);
  EXPECT_NEAR(line.seconds_per_item, 0.01, 1e-14);
  EXPECT_NEAR(line.r2, 1.0, 1e-12);
}

TEST(TransferLine, DropsANegativeLatencyAndANegativeSlope) {
  // Through the origin by least squares: sum(x t) / sum(x^2) = (1 * 1 + 2 * 4) / 5.
  const TransferLine steep =
      fit_transfer_line(std::vector<CostSample>{{1.0, 1.0, 1.0, 0.0}, {2.0, 4.0, 1.0, 0.0}});
  EXPECT_EQ(steep.latency_s, 0.0);
  EXPECT_NEAR(steep.seconds_per_item, 1.8, 1e-12);
  const TransferLine falling =
      fit_transfer_line(std::vector<CostSample>{{1.0, 3.0, 1.0, 0.0}, {2.0, 1.0, 1.0, 0.0}});
  EXPECT_EQ(falling.seconds_per_item, 0.0);
  EXPECT_NEAR(falling.latency_s, 2.0, 1e-12);
}

TEST(TransferLine, HasNoLatencyWithOneSizeAndIsZeroWithoutTimes) {
  const TransferLine one = fit_transfer_line(std::vector<CostSample>{{4.0, 2.0, 3.0, 0.0}});
  EXPECT_EQ(one.latency_s, 0.0);
  EXPECT_NEAR(one.seconds_per_item, 0.5, 1e-12);
  const TransferLine none = fit_transfer_line({});
  EXPECT_EQ(none.seconds_per_item, 0.0);
  EXPECT_EQ(none.r2, 1.0);
  const TransferLine zero =
      fit_transfer_line(std::vector<CostSample>{{4.0, 0.0, 1.0, 0.0}, {8.0, 0.0, 1.0, 0.0}});
  EXPECT_EQ(zero.seconds_per_item, 0.0);
  EXPECT_EQ(zero.latency_s, 0.0);
  EXPECT_EQ(zero.r2, 1.0);
}

TEST(UnitFit, FindsProportionAndSaysItInWords) {
  const auto fit =
      fit_unit(samples_of(training, [](double x) { return 0.002 * x; }), {}, options_of(10000.0));
  ASSERT_TRUE(fit.has_value());
  EXPECT_EQ(fit->curve.words(), "0.002 x");
  EXPECT_NEAR(fit->curve.at(5000.0).seconds, 10.0, 1e-9);
  EXPECT_NEAR(fit->r2, 1.0, 1e-12);
  EXPECT_TRUE(fit->curve.non_decreasing());
}

TEST(UnitFit, FindsTwoTermsOfThePapersFunctions) {
  const auto samples = samples_of(training, [](double x) { return 0.002 * x + 1e-7 * x * x; });
  const auto fit = fit_unit(samples, {}, options_of(10000.0));
  ASSERT_TRUE(fit.has_value());
  EXPECT_NEAR(fit->curve.at(600.0).seconds, 1.2 + 0.036, 1e-9);
  EXPECT_NEAR(fit->curve.at(6000.0).seconds, 12.0 + 3.6, 1e-6);
  EXPECT_NEAR(fit->curve.at(6000.0).seconds_per_item, 0.002 + 1.2e-3, 1e-8);
}

TEST(UnitFit, AddsTheTransferLine) {
  const auto transfer = samples_of(training, [](double x) { return 0.1 + 0.001 * x; });
  const auto fit = fit_unit(samples_of(training, [](double x) { return 0.002 * x; }), transfer,
                            options_of(10000.0));
  ASSERT_TRUE(fit.has_value());
  EXPECT_NEAR(fit->curve.at(1000.0).seconds, 2.0 + 0.1 + 1.0, 1e-9);
  EXPECT_EQ(fit->curve.words(), "0.002 x + 0.001 x (copies) + 0.1 (latency)");
  EXPECT_NEAR(fit->r2_transfer.value_or(0.0), 1.0, 1e-9);
}

TEST(UnitFit, GuardsBelowTheSmallestSizeAndFarBeyondTheLargest) {
  // Affine with a fixed cost: in the fit, e^u replaces the constant.
  const auto fit =
      fit_unit(samples_of(training, [](double x) { return 0.5 + 0.002 * x; }), {}, options_of(1e6));
  ASSERT_TRUE(fit.has_value());
  // The cost is never below proportion to the smallest size, never negative and never falling.
  double before = 0.0;
  for (double x = 0.01; x < 1e6; x *= 1.2) {
    const double t = fit->curve.at(x).seconds;
    EXPECT_GE(t, before * (1.0 - 1e-9)) << x;
    if (x < 100.0) {
      EXPECT_GE(t, fit->curve.at(100.0).seconds * x / 100.0 * (1.0 - 1e-12)) << x;
    }
    before = t;
  }
  // A straight line beyond 8 times 800.
  const double a = fit->curve.at(10000.0).seconds;
  const double b = fit->curve.at(20000.0).seconds;
  const double c = fit->curve.at(30000.0).seconds;
  EXPECT_NEAR(b - a, c - b, 1e-9 * c);
}

TEST(UnitFit, FallsBackToACostThatDoesNotFallWhenTimesFall) {
  const auto fit =
      fit_unit(samples_of(training, [](double x) { return 1.0 / x; }), {}, options_of(10000.0));
  ASSERT_TRUE(fit.has_value());
  EXPECT_TRUE(fit->curve.non_decreasing());
  EXPECT_GT(fit->curve.at(8000.0).seconds, fit->curve.at(100.0).seconds);
}

TEST(UnitFit, TakesProportionFromOneSize) {
  const auto fit = fit_unit(std::vector<CostSample>{{50.0, 2.0, 1.0, 0.0}}, {}, options_of(1000.0));
  ASSERT_TRUE(fit.has_value());
  EXPECT_NEAR(fit->curve.at(50.0).seconds, 2.0, 1e-12);
  EXPECT_NEAR(fit->curve.at(100.0).seconds, 4.0, 0.3);
  EXPECT_EQ(fit->r2, 1.0);
}

TEST(UnitFit, TakesNoConstantFromSizesThatAreNear) {
  // Noise made the smaller block of a CPU nearly as long as the larger one. Both speeds together
  // are (336 + 556) items in 0.0308 s: 100,000 items take about 3.5 s; the constant e^u would say
  // 0.016 s.
  const std::vector<CostSample> alike = {{336.0, 0.0138, 1.0, 0.0}, {556.0, 0.0170, 1.0, 0.0}};
  for (const FitMode mode : {FitMode::subset, FitMode::single}) {
    const auto fit = fit_unit(alike, {}, options_of(2e6, mode));
    ASSERT_TRUE(fit.has_value());
    EXPECT_GT(fit->curve.at(100'000.0).seconds, 3.5 / 2.0) << fit->curve.words();
    EXPECT_LT(fit->curve.at(100'000.0).seconds, 3.5 * 2.0) << fit->curve.words();
  }
}

TEST(UnitFit, TakesAConstantFromSizesThatAreThreeTimesApart) {
  const std::vector<CostSample> flat = {{100.0, 2.0, 1.0, 0.0}, {300.0, 2.0, 1.0, 0.0}};
  const auto fit = fit_unit(flat, {}, options_of(1e6));
  ASSERT_TRUE(fit.has_value());
  EXPECT_NEAR(fit->curve.at(2000.0).seconds, 2.0 * std::exp(0.002 - 0.0002), 1e-3);
}

TEST(UnitFit, SaysNothingWithoutATime) {
  EXPECT_FALSE(fit_unit({}, {}, options_of(10.0)).has_value());
  EXPECT_FALSE(
      fit_unit(std::vector<CostSample>{{5.0, 0.0, 1.0, 0.0}}, {}, options_of(10.0)).has_value());
}

TEST(UnitFit, EveryModeFitsSaturatingTimesToAFewPercent) {
  const std::vector<double> sizes = {50, 100, 200, 400, 800, 1600, 3200, 6400};
  const auto samples =
      samples_of(sizes, [](double x) { return 1e-3 * x / (0.5 + x / (x + 2000.0)); });
  for (const FitMode mode : {FitMode::subset, FitMode::full_ridge, FitMode::nnls}) {
    const auto fit = fit_unit(samples, {}, options_of(20000.0, mode));
    ASSERT_TRUE(fit.has_value());
    EXPECT_GT(fit->r2, 0.97) << static_cast<int>(mode);
    EXPECT_NEAR(fit->curve.at(3000.0).seconds, 1e-3 * 3000.0 / 1.1, 0.25) << static_cast<int>(mode);
  }
  EXPECT_GT(fit_unit(samples, {}, options_of(20000.0, FitMode::single))->r2, 0.95);
}

TEST(UnitFit, IsNeverNegativeNorFallingOnNoisyTimes) {
  const std::uint64_t seed = 99;
  std::cout << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  const auto uniform = [&random] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    std::vector<CostSample> samples;
    const int sizes = 1 + static_cast<int>(random() % 12);
    for (int k = 0; k < sizes; ++k) {
      const double x = std::exp2(4.0 + 12.0 * uniform());
      add_sample(samples, x, (0.01 + 1e-4 * x) * (0.5 + uniform()));
    }
    for (const FitMode mode :
         {FitMode::subset, FitMode::single, FitMode::full_ridge, FitMode::nnls}) {
      const auto fit = fit_unit(samples, {}, options_of(1e6, mode));
      ASSERT_TRUE(fit.has_value());
      double before = 0.0;
      for (double x = 0.5; x < 1e6; x *= 1.1) {
        const double t = fit->curve.at(x).seconds;
        ASSERT_TRUE(std::isfinite(t) && t > 0.0) << x << " " << fit->curve.words();
        ASSERT_GE(t, before * (1.0 - 1e-6)) << x << " " << fit->curve.words();
        before = t;
      }
    }
  }
}

}  // namespace
}  // namespace equipoise::fit_test
