// Tests of the description of a trace, and of the doubts about it.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tools/report/trace_report.hpp"
#include "traces/starpu_import.hpp"

namespace equipoise::trace_report_test {
namespace {

TraceSample summary(std::uint32_t unit, double items, std::uint64_t count, double mean_s,
                    double sd_s) {
  TraceSample sample;
  sample.unit = unit;
  sample.items = items;
  sample.count = count;
  sample.compute_mean_s = mean_s;
  sample.compute_sd_s = sd_s;
  sample.is_summary = true;
  return sample;
}

Trace two_units(std::vector<TraceSample> samples) {
  Trace trace;
  trace.source = "recorded";
  trace.kernel = "matmul";
  trace.item = "line";
  trace.units.resize(2);
  trace.units[0].name = "cpu0";
  trace.units[1].name = "cuda0";
  trace.units[1].kind = UnitKind::gpu;
  trace.units[1].model = "Tesla K40m";
  trace.samples = std::move(samples);
  return trace;
}

TEST(TraceReport, AlignsATableWithUnitsInItsHead) {
  const std::string text =
      describe_trace(two_units({summary(0, 100, 30, 0.5, 0.05), summary(1, 100, 20, 0.001, 0.0)}));
  EXPECT_NE(text.find("kernel      matmul\n"), std::string::npos);
  EXPECT_NE(text.find("unit        cuda0 (gpu, Tesla K40m)\n"), std::string::npos);
  EXPECT_NE(text.find("unit   size (items)  samples      mean  sd %          speed\n"
                      "-----  ------------  -------  --------  ----  -------------\n"
                      "cpu0            100       30  500.0 ms  10.0    200 items/s\n"
                      "cuda0           100       20  1.000 ms   0.0  100 k items/s\n"),
            std::string::npos)
      << text;
}

TEST(TraceReport, ShowsNoDeviationWhereASummaryHasNone) {
  Trace trace = two_units({summary(0, 100, 30, 0.5, 0.05), summary(1, 100, 20, 0.001, 0.0)});
  trace.samples[1].compute_sd_s.reset();
  const std::string text = describe_trace(trace);
  EXPECT_NE(text.find("cpu0            100       30  500.0 ms  10.0    200 items/s\n"
                      "cuda0           100       20  1.000 ms     -  100 k items/s\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(trace_json(trace, "t.jsonl").at("sizes").at(1).at("sd_s").is_null());
}

TEST(TraceReport, SaysHowItemsDiffer) {
  Trace trace = two_units({summary(0, 100, 30, 0.5, 0.05), summary(1, 100, 20, 0.001, 0.0)});
  EXPECT_EQ(describe_trace(trace).find("costs"), std::string::npos);
  EXPECT_TRUE(trace_json(trace, "t.jsonl").at("costs").is_null());
  // 90 items of 0.5 and 10 of 5.5: the mean is 1, and the variance 0.9 * 0.25 + 0.1 * 20.25 = 2.25.
  trace.costs = CostsRecord{100, {{0, 90, 0.5}, {90, 10, 5.5}}};
  EXPECT_NE(describe_trace(trace).find("costs       items differ: from 0.50 to 5.5 times the mean, "
                                       "with a standard deviation of 1.5 of it, in 2 ranges\n"),
            std::string::npos)
      << describe_trace(trace);
  const nlohmann::ordered_json costs = trace_json(trace, "t.jsonl").at("costs");
  EXPECT_DOUBLE_EQ(costs.at("least").get<double>(), 0.5);
  EXPECT_DOUBLE_EQ(costs.at("most").get<double>(), 5.5);
  EXPECT_DOUBLE_EQ(costs.at("sd").get<double>(), 1.5);
}

TEST(TraceReport, WritesTimesWithFourDigits) {
  Trace trace = two_units({summary(0, 100, 30, 0.5, 0.05)});
  trace.dispatch = Seconds{3.153007995846291e-05};
  trace.controller = ControllerWork{Seconds{2.3456e-6}, Seconds{5e-7}};
  EXPECT_NE(describe_trace(trace).find("dispatch    31.53 us\n"), std::string::npos)
      << describe_trace(trace);
  EXPECT_NE(describe_trace(trace).find("controller  2.346 us for a report, 500.0 ns for a block\n"),
            std::string::npos)
      << describe_trace(trace);
  trace.controller->byte_s = 1e-10;
  EXPECT_NE(describe_trace(trace).find("500.0 ns for a block, 0.1000 ns for a byte\n"),
            std::string::npos)
      << describe_trace(trace);
}

TEST(TraceReport, LeavesOutliersOutOfAllFigures) {
  Trace trace = two_units({summary(0, 100, 30, 0.5, 0.05), summary(0, 200, 30, 0.9, 0.05),
                           summary(0, 100, 1, 50.0, 0.0), summary(1, 100, 20, 0.1, 0.01),
                           summary(1, 300, 20, 0.2, 0.01)});
  trace.samples[2].is_outlier = true;
  EXPECT_TRUE(doubtful_in_trace(trace).empty());
  EXPECT_NE(describe_trace(trace).find("cpu0            100       30  500.0 ms  10.0"),
            std::string::npos)
      << describe_trace(trace);
}

TEST(TraceReport, FindsNothingWrongWithASoundTrace) {
  EXPECT_TRUE(
      doubtful_in_trace(two_units({summary(0, 100, 30, 0.5, 0.05), summary(0, 200, 30, 0.9, 0.05),
                                   summary(1, 100, 20, 0.1, 0.01), summary(1, 300, 20, 0.2, 0.01)}))
          .empty());
}

TEST(TraceReport, DoubtsFallingTimesWideScatterSingleSizesAndCopies) {
  const std::vector<std::string> doubts =
      doubtful_in_trace(two_units({summary(0, 100, 30, 0.5, 0.3), summary(0, 200, 30, 0.3, 0.05),
                                   summary(1, 100, 30, 0.3, 0.05)}));
  ASSERT_EQ(doubts.size(), 4U);
  EXPECT_EQ(doubts[0], "cpu0: a deviation of 60 % of the mean at 100 items");
  EXPECT_EQ(
      doubts[1],
      "cpu0: the time falls from 500.0 ms to 300.0 ms as the size grows from 100 to 200 items");
  EXPECT_TRUE(doubts[2].starts_with("cuda0: a single size"));
  EXPECT_TRUE(
      doubts[3].starts_with("cuda0 at 100 items has the count, mean and deviation of cpu0"));
}

TEST(TraceReport, FindsTimesThatFallByMoreThanTheMeansAreUncertain) {
  // Half the interval of 17 blocks is 2.120 * sd / 4: 53 ms each of the first two, which are apart
  // by 60 ms, less than hypot(53, 53) = 75; and 0.53 ms of the third, apart by 60 ms from the
  // second.
  const Trace trace = two_units({summary(0, 100, 17, 0.5, 0.1), summary(0, 200, 17, 0.44, 0.1),
                                 summary(0, 300, 17, 0.38, 0.001)});
  EXPECT_EQ(falling_times(trace),
            (std::vector<std::string>{"cpu0: the time falls from 440.0 ms to 380.0 ms as the size "
                                      "grows from 200 to 300 items"}));
}

TEST(TraceReport, HasOneLineForAllFallsOfAUnit) {
  // From 0.4 to 0.2 s is more than from 0.5 to 0.4 s.
  const Trace trace = two_units({summary(0, 100, 1, 0.5, 0.0), summary(0, 200, 1, 0.4, 0.0),
                                 summary(0, 300, 1, 0.2, 0.0), summary(1, 100, 1, 0.1, 0.0),
                                 summary(1, 200, 1, 0.2, 0.0)});
  const std::vector<std::string> one = {
      "cpu0: the time falls from 400.0 ms to 200.0 ms as the size grows from 200 to 300 items, and "
      "at 1 other size by less"};
  EXPECT_EQ(falling_times(trace), one);
  EXPECT_EQ(doubtful_in_trace(trace), one);
}

TEST(TraceReport, CountsOutliersByUnit) {
  Trace trace = two_units({summary(0, 100, 1, 0.5, 0.0), summary(0, 100, 1, 9.0, 0.0),
                           summary(0, 100, 1, 8.0, 0.0), summary(1, 100, 1, 7.0, 0.0)});
  EXPECT_EQ(outliers_text(trace), "");
  for (const std::size_t i : {1, 2, 3}) trace.samples[i].is_outlier = true;
  EXPECT_EQ(outliers_text(trace), "3 blocks marked as outliers (cpu0: 2, cuda0: 1)");
}

TEST(TraceReport, NamesUnitsWithoutSamples) {
  const std::vector<std::string> doubts =
      doubtful_in_trace(two_units({summary(0, 100, 30, 0.5, 0.0), summary(0, 200, 30, 0.6, 0.0)}));
  ASSERT_EQ(doubts.size(), 1U);
  EXPECT_EQ(doubts[0], "cuda0: no samples; it cannot take part");
}

TEST(TraceReport, DoubtsNothingOfStarpusDgemmOnSirocco) {
  if (!std::filesystem::exists(default_starpu_directory)) {
    GTEST_SKIP() << "Debian package starpu-examples is not installed";
  }
  StarpuImportOptions options;
  options.machine = "sirocco";
  options.kernel = "starpu_dgemm_gemm";
  EXPECT_TRUE(doubtful_in_trace(import_starpu_model(options).trace).empty());
}

}  // namespace
}  // namespace equipoise::trace_report_test
