// Tests of the import of CSV tables as traces.
#include <gtest/gtest.h>

#include "tests/support/mutations.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "traces/csv_import.hpp"

namespace equipoise::csv_import_test {
namespace {

CsvImportOptions options() {
  CsvImportOptions options;
  options.items_column = "num_tokens";
  options.compute_column = "median";
  options.time_unit = "ms";
  return options;
}

Trace import(const std::string& text, const CsvImportOptions& with = options()) {
  const TemporaryFolder folder;
  return import_csv(folder.write("prefill.csv", text), with);
}

std::string refusal(const std::string& text, const CsvImportOptions& with = options()) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.csv", text);
  std::string why = refusal_of([&] { (void)import_csv(path, with); });
  if (why.starts_with(path)) why.replace(0, path.size(), "t.csv");
  return why;
}

TEST(CsvImport, TakesItemsAndTimesFromTheNamedColumns) {
  const Trace trace = import("model,num_tokens,median\na,128,2.5\nb,256.5,4\n");
  EXPECT_EQ(trace.source, "imported");
  EXPECT_EQ(trace.kernel, "prefill");
  ASSERT_EQ(trace.units.size(), 1U);
  EXPECT_EQ(trace.units[0].name, "gpu0");
  EXPECT_EQ(trace.units[0].kind, UnitKind::gpu);
  ASSERT_EQ(trace.samples.size(), 2U);
  EXPECT_DOUBLE_EQ(trace.samples[0].items, 128);
  EXPECT_DOUBLE_EQ(trace.samples[0].compute_mean_s, 0.0025);
  EXPECT_FALSE(trace.samples[0].is_summary);
  EXPECT_DOUBLE_EQ(trace.samples[1].items, 256.5);
}

TEST(CsvImport, ReadsQuotedFieldsCarriageReturnsAndEmptyLines) {
  const Trace trace = import(
      "\xef\xbb\xbf\"num_tokens\" , \"the \"\"name\"\"\",median\r\n\r\n"
      "\"128\",\"one, two\nlines\",\"2.5\"\r\n 64 ,x, 1.5 \r\n");
  ASSERT_EQ(trace.samples.size(), 2U);
  EXPECT_DOUBLE_EQ(trace.samples[0].items, 128);
  EXPECT_DOUBLE_EQ(trace.samples[1].compute_mean_s, 0.0015);
}

TEST(CsvImport, MakesSummariesWhereDeviationOrCountAreGiven) {
  CsvImportOptions with = options();
  with.unit = "cpu3";
  with.sd_column = "sd";
  with.count_column = "runs";
  with.in_column = "in";
  with.out_column = "out";
  with.kernel = "attention";
  with.item = "token";
  const Trace trace = import("num_tokens,median,sd,runs,in,out\n8,2,0.5,30,1,\n", with);
  EXPECT_EQ(trace.units[0].kind, UnitKind::cpu);
  EXPECT_EQ(trace.kernel, "attention");
  EXPECT_EQ(trace.item, "token");
  const TraceSample& sample = trace.samples.at(0);
  EXPECT_TRUE(sample.is_summary);
  EXPECT_EQ(sample.count, 30U);
  EXPECT_DOUBLE_EQ(sample.compute_sd_s.value(), 0.0005);
  EXPECT_DOUBLE_EQ(sample.in_s.value(), 0.001);
  EXPECT_FALSE(sample.out_s.has_value());
}

TEST(CsvImport, KnowsFourUnitsOfTime) {
  const std::pair<const char*, double> units[] = {
      {"s", 3.0}, {"ms", 3e-3}, {"us", 3e-6}, {"ns", 3e-9}};
  for (const auto& [unit, seconds] : units) {
    CsvImportOptions with = options();
    with.time_unit = unit;
    EXPECT_DOUBLE_EQ(import("num_tokens,median\n1,3\n", with).samples[0].compute_mean_s, seconds);
  }
}

TEST(CsvImport, NamesTheNearestColumnUnitAndKind) {
  CsvImportOptions with = options();
  with.items_column = "num_token";
  EXPECT_EQ(refusal("a,num_tokens,median\n1,2,3\n", with),
            "t.csv:1: unknown column for --items-column 'num_token'; did you mean 'num_tokens'?");
  with = options();
  with.time_unit = "msec";
  EXPECT_EQ(refusal("a\n", with),
            "--time-unit: unknown unit of time 'msec'; known are: s, ms, us, ns");
  with = options();
  with.kind = "cpus";
  EXPECT_EQ(refusal("a\n", with), "--kind: unknown kind of unit 'cpus'; it is cpu, gpu or mic");
}

TEST(CsvImport, RefusesUnusableRowsWithTheirLine) {
  const std::string header = "num_tokens,median\n128,2\n";
  const std::string hint = "; correct the row or leave it out";
  EXPECT_EQ(refusal(header + "64,nan\n"), "t.csv:3: `median` is not finite: nan" + hint);
  EXPECT_EQ(refusal(header + "64,inf\n"), "t.csv:3: `median` is not finite: inf" + hint);
  EXPECT_EQ(refusal(header + "64,-1\n"), "t.csv:3: `median` must be more than zero, not -1" + hint);
  EXPECT_EQ(refusal(header + "64,0\n"), "t.csv:3: `median` must be more than zero, not 0" + hint);
  EXPECT_EQ(refusal(header + "0,1\n"),
            "t.csv:3: `num_tokens` must be more than zero, not 0" + hint);
  EXPECT_EQ(refusal(header + "1e19,1\n"), "t.csv:3: `num_tokens` overflows: 1e19" + hint);
  EXPECT_EQ(refusal(header + "1e400,1\n"), "t.csv:3: `num_tokens` is out of range: 1e400" + hint);
  EXPECT_EQ(refusal(header + "x,1\n"), "t.csv:3: `num_tokens` is not a number: `x`" + hint);
  EXPECT_EQ(refusal(header + ",1\n"), "t.csv:3: `num_tokens` is not a number: ``" + hint);
  EXPECT_EQ(refusal(header + "64\n"), "t.csv:3: 1 fields where the header row has 2" + hint);
  EXPECT_EQ(refusal(header + "\"64,1\n"), "t.csv:3: a quote is not closed; close it");
}

TEST(CsvImport, RefusesTimesThatCannotBeMeasured) {
  const std::string hint = "; correct the row or leave it out";
  const std::string why = " is too short to be a time: at least 1e-15 s, not ";
  EXPECT_EQ(refusal("num_tokens,median\n128,1e-13\n"),  // in ms
            "t.csv:2: `median`" + why + "1e-13" + hint);
  EXPECT_EQ(refusal("num_tokens,median\n128,1e-12\n"), "not refused");
  CsvImportOptions with = options();
  with.time_unit = "ns";
  with.in_column = "in";
  EXPECT_EQ(refusal("num_tokens,median,in\n128,1e-307,0\n", with),
            "t.csv:2: `median`" + why + "1e-307" + hint);
  EXPECT_EQ(refusal("num_tokens,median,in\n128,1,1e-307\n", with),
            "t.csv:2: `in`" + why + "1e-307" + hint);
  EXPECT_EQ(refusal("num_tokens,median,in\n128,1,1e19\n", with),
            "t.csv:2: `in` overflows: 1e19" + hint);
  with.in_column.reset();
  with.sd_column = "in";
  EXPECT_EQ(refusal("num_tokens,median,in\n128,1,1e7\n", with),
            "t.csv:2: `in` is more than a million times the mean" + hint);
  EXPECT_EQ(refusal("num_tokens,median,in\n128,1,1e-307\n", with), "not refused");
}

TEST(CsvImport, RefusesWhatIsNotUtf8WithItsLine) {
  EXPECT_EQ(refusal("num_tokens,median,gr\xF6\xDF"
                    "e\n128,2,1\n"),
            "t.csv:1: not UTF-8; save the file as UTF-8");
  EXPECT_EQ(refusal("num_tokens,median,caf\xC3\xA9\n128,2,1\n64,1,\xE9\n"),
            "t.csv:3: not UTF-8; save the file as UTF-8");
}

TEST(CsvImport, SaysWhereNoColumnHasAName) {
  EXPECT_EQ(refusal("\"\"\n1\n"),
            "t.csv:1: unknown column for --items-column 'num_tokens'; no names are known");
}

TEST(CsvImport, RefusesEmptyNamesOfUnitAndKernel) {
  CsvImportOptions with = options();
  with.unit = "";
  EXPECT_EQ(refusal("num_tokens,median\n128,2\n", with),
            "--unit: the name is empty; name the unit");
  with = options();
  with.kernel = "";
  EXPECT_EQ(refusal("num_tokens,median\n128,2\n", with),
            "--kernel: the name is empty; name the kernel");
}

TEST(CsvImport, ReadsOrRefusesDamagedFiles) {
  constexpr std::uint64_t seed = 20240610;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 300; ++i) {
    const std::string why =
        refusal(mutate("num_tokens,median,\"a b\"\n128,2,\"x, y\"\n256,4,z\n", random));
    EXPECT_TRUE(why == "not refused" || why.starts_with("t.csv")) << why;
  }
}

TEST(CsvImport, RefusesMissingAndEmptyFiles) {
  EXPECT_EQ(refusal_of([] { (void)import_csv("/nowhere/t.csv", options()); }),
            "/nowhere/t.csv: no such file; give a CSV file");
  EXPECT_EQ(refusal(""), "t.csv: the file is empty; give a CSV file");
  EXPECT_EQ(refusal("num_tokens,median\n"),
            "t.csv: the file has no rows below its header row; give one that has");
}

}  // namespace
}  // namespace equipoise::csv_import_test
