// Tests of the import of CSV tables as traces.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/mutations.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "traces/csv_import.hpp"

namespace equipoise::csv_import_test {
namespace {

CsvImportOptions options() {
  CsvImportOptions options;
  options.columns.items_column = "num_tokens";
  options.columns.compute_column = "median";
  options.columns.time_unit = "ms";
  options.called = [](std::string name) {
    std::ranges::replace(name, '_', '-');
    return "--" + name;
  };
  return options;
}

Trace import(const std::string& text, const CsvImportOptions& with = options()) {
  const TemporaryFolder folder;
  return import_csv({folder.write("prefill.csv", text)}, with).trace;
}

std::string refusal(const std::string& text, const CsvImportOptions& with = options()) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.csv", text);
  std::string why = refusal_of([&] { (void)import_csv({path}, with); });
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

TEST(CsvImport, SaysWhichModelTheUnitsAre) {
  CsvImportOptions with = options();
  with.model = "A40";
  EXPECT_EQ(import("num_tokens,median\n128,2.5\n", with).units[0].model, "A40");
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
  with.units = {"cpu3"};
  with.columns.sd_column = "sd";
  with.columns.count_column = "runs";
  with.columns.in_column = "in";
  with.columns.out_column = "out";
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
    with.columns.time_unit = unit;
    EXPECT_DOUBLE_EQ(import("num_tokens,median\n1,3\n", with).samples[0].compute_mean_s, seconds);
  }
}

TEST(CsvImport, TakesTheUnitOfTimeFromTheNameOfTheColumn) {
  const std::pair<const char*, double> names[] = {
      {"elapsed_ms", 3e-3}, {"time [us]", 3e-6}, {"Time (NS)", 3e-9}, {"ms", 3e-3},
      {"t_s", 3.0},         {"items", 3.0},      {"median", 3.0}};
  for (const auto& [name, seconds] : names) {
    CsvImportOptions with = options();
    with.columns.time_unit.reset();
    with.columns.compute_column = name;
    EXPECT_DOUBLE_EQ(
        import(std::string("num_tokens,") + name + "\n1,3\n", with).samples[0].compute_mean_s,
        seconds)
        << name;
    with.columns.time_unit = "s";
    EXPECT_DOUBLE_EQ(
        import(std::string("num_tokens,") + name + "\n1,3\n", with).samples[0].compute_mean_s, 3.0)
        << name;
  }
}

TEST(CsvImport, AsksForTheUnitOfTimeWhereNamesContradictOneAnother) {
  CsvImportOptions with = options();
  with.columns.time_unit.reset();
  with.columns.compute_column = "elapsed_ms";
  with.columns.in_column = "copy_us";
  EXPECT_EQ(refusal("num_tokens,elapsed_ms,copy_us\n1,3,4\n", with),
            "--time-unit: the names of `elapsed_ms` and `copy_us` say different units of time, and "
            "all times are read in one; say which");
}

TEST(CsvImport, ReadsColumnsThatNameNoUnitAsThatOfTheTimes) {
  CsvImportOptions with = options();
  with.columns.time_unit.reset();
  with.columns.compute_column = "elapsed_ms";
  with.columns.in_column = "copy";
  EXPECT_DOUBLE_EQ(import("num_tokens,elapsed_ms,copy\n1,3,4\n", with).samples[0].in_s.value(),
                   4e-3);
}

TEST(CsvImport, NamesTheNearestColumnUnitAndKind) {
  CsvImportOptions with = options();
  with.columns.items_column = "num_token";
  EXPECT_EQ(refusal("a,num_tokens,median\n1,2,3\n", with),
            "t.csv:1: unknown column for --items-column 'num_token'; did you mean 'num_tokens'?");
  with = options();
  with.columns.time_unit = "msec";
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
  with.columns.time_unit = "ns";
  with.columns.in_column = "in";
  EXPECT_EQ(refusal("num_tokens,median,in\n128,1e-307,0\n", with),
            "t.csv:2: `median`" + why + "1e-307" + hint);
  EXPECT_EQ(refusal("num_tokens,median,in\n128,1,1e-307\n", with),
            "t.csv:2: `in`" + why + "1e-307" + hint);
  EXPECT_EQ(refusal("num_tokens,median,in\n128,1,1e19\n", with),
            "t.csv:2: `in` overflows: 1e19" + hint);
  with.columns.in_column.reset();
  with.columns.sd_column = "in";
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
  with.units = {""};
  EXPECT_EQ(refusal("num_tokens,median\n128,2\n", with),
            "--unit: the name is empty; name the unit");
  with = options();
  with.kernel = "";
  EXPECT_EQ(refusal("num_tokens,median\n128,2\n", with),
            "--kernel: the name is empty; name the kernel");
}

TEST(CsvImport, MakesOneTraceOfSeveralFiles) {
  const TemporaryFolder folder;
  const std::vector<std::string> files = {
      folder.write("a40.csv", "num_tokens,median\n128,2\n"),
      folder.write("cpu.csv", "median,num_tokens,in,out\n9,128,100,\n18,256,200,50\n")};
  CsvImportOptions with = options();
  with.units = {"gpu0", "cpu0"};
  const Trace trace = import_csv(files, with).trace;
  ASSERT_EQ(trace.units.size(), 2U);
  EXPECT_EQ(trace.kernel, "a40");
  EXPECT_EQ(trace.units[1].name, "cpu0");
  EXPECT_EQ(trace.units[1].kind, UnitKind::cpu);
  ASSERT_EQ(trace.samples.size(), 3U);
  EXPECT_EQ(trace.samples[2].unit, 1U);
  EXPECT_DOUBLE_EQ(trace.samples[2].compute_mean_s, 0.018);
  with.units = {"gpu0", "cpu0", "cpu1"};
  EXPECT_EQ(refusal_of([&] { (void)import_csv(files, with); }),
            "--unit: 3 units for 2 files; give one for all files, one for each in their order, or "
            "--unit-column");
  with.units = {};
  EXPECT_TRUE(refusal_of([&] { (void)import_csv(files, with); }).starts_with("--unit: 0 units"));
}

TEST(CsvImport, ReadsUnitsBytesAndLimitsFromColumns) {
  CsvImportOptions with = options();
  with.columns.unit_column = "device";
  with.columns.in_bytes_column = "in";
  with.columns.out_bytes_column = "out";
  with.kernel = "k";
  with.max_block_items = "recorded";
  const std::string text = "device,num_tokens,median,in,out\ngpu0,8,2,64,\ncpu0,4,9,32,16\n";
  const Trace trace = import(text, with);
  ASSERT_EQ(trace.units.size(), 2U);
  EXPECT_EQ(trace.units[0].max_block_items.at("k"), 8);
  EXPECT_EQ(trace.units[1].max_block_items.at("k"), 4);
  EXPECT_EQ(trace.samples[0].in_bytes, 64.0);
  EXPECT_FALSE(trace.samples[0].out_bytes.has_value());
  EXPECT_EQ(trace.samples[1].out_bytes, 16.0);
  with.max_block_items = "6";
  EXPECT_EQ(import(text, with).units[1].max_block_items.at("k"), 6);
  with.max_block_items = "0";
  EXPECT_EQ(refusal(text, with),
            "--max-block-items: give a whole number of items from 1 on, or 'recorded'");
  with.units = {"gpu0"};
  EXPECT_EQ(refusal(text, with),
            "--unit: beside --unit-column it says twice whose the times are; keep one");
}

TEST(CsvImport, TakesOnlyTheRowsThatAreAskedFor) {
  CsvImportOptions with = options();
  const std::string text =
      "tp,num_tokens,median,note\n1,8,4,x\n2,8,2,x\n1,16,8,y\n2.0,16,4,\"a=b\"\n";
  with.where = {"tp=2"};
  EXPECT_EQ(import(text, with).samples.size(), 2U);
  EXPECT_DOUBLE_EQ(import(text, with).samples[1].compute_mean_s, 0.004);
  with.where = {"tp=2", "note=a=b"};
  EXPECT_EQ(import(text, with).samples.size(), 1U);
  with.where = {"tp=4"};
  EXPECT_EQ(refusal(text, with), "t.csv: no row has tp=4; the column has 1, 2, 2.0");
  with.where = {"tp=1", "note=a=b"};
  EXPECT_EQ(refusal(text, with), "t.csv: no row meets all conditions of --where; leave one out");
  with.where = {"pt=1"};
  EXPECT_EQ(refusal(text, with), "t.csv:1: unknown column for --where 'pt'; did you mean 'tp'?");
  with.where = {"tp"};
  EXPECT_EQ(refusal(text, with), "--where: 'tp' is no condition; write COLUMN=VALUE");
}

TEST(CsvImport, TakesSizesFromText) {
  CsvImportOptions with = options();
  with.columns.items_pattern = "*x*_mask3";
  const std::string text =
      "num_tokens,median\n128x128_mask3,2\n128x128_mask5,3\n1.5x4_mask3,4\nx4_mask3,5\n"
      "8x4_mask35,6\n8x-4_mask3,7\n16,8\n";
  const Trace trace = import(text, with);
  ASSERT_EQ(trace.samples.size(), 2U);  // every other size has another form
  EXPECT_DOUBLE_EQ(trace.samples[0].items, 16384);
  EXPECT_DOUBLE_EQ(trace.samples[0].compute_mean_s, 0.002);
  EXPECT_DOUBLE_EQ(trace.samples[1].items, 6);
  EXPECT_EQ(trace.provenance,
            "column median of prefill.csv in ms against column num_tokens like *x*_mask3");
  with.columns.items_pattern = "*";
  EXPECT_DOUBLE_EQ(import(text, with).samples.at(0).items, 16);
  with.columns.items_pattern = "*x*_mask7";
  EXPECT_EQ(refusal("num_tokens,median\n8x8_mask3,2\n4,2\n", with),
            "t.csv: no size is like '*x*_mask7' of --items-pattern; `num_tokens` has 4, 8x8_mask3");
  EXPECT_EQ(refusal("num_tokens,median\n0x8_mask7,2\n", with),
            "t.csv:2: `num_tokens` must be more than zero, not 0x8_mask7; correct the row or leave "
            "it out");
}

TEST(CsvImport, RefusesFormsOfSizesWithoutOneNumberAtEachStar) {
  CsvImportOptions with = options();
  for (const char* const pattern : {"", "mask3", "**"}) {
    with.columns.items_pattern = pattern;
    EXPECT_EQ(refusal("num_tokens,median\n8,2\n", with),
              "--items-pattern: '" + std::string(pattern) +
                  "' has no * for the number of items, or two in a row; write for example "
                  "'*x*_mask3' for sizes like 128x128_mask3");
  }
}

TEST(CsvImport, KeepsLeastAndLongestTimes) {
  CsvImportOptions with = options();
  with.columns.min_column = "least";
  with.columns.max_column = "most";
  const Trace trace = import("num_tokens,median,least,most\n8,2,1.5,9\n16,4,,4\n", with);
  EXPECT_TRUE(trace.samples.at(0).is_summary);
  EXPECT_DOUBLE_EQ(trace.samples[0].compute_min_s.value(), 0.0015);
  EXPECT_DOUBLE_EQ(trace.samples[0].compute_max_s.value(), 0.009);
  EXPECT_FALSE(trace.samples.at(1).compute_min_s.has_value());
  EXPECT_DOUBLE_EQ(trace.samples[1].compute_max_s.value(), 0.004);
  const std::string hint = "; correct the row or leave it out";
  const std::string header = "num_tokens,median,least,most\n";
  EXPECT_EQ(refusal(header + "8,2,2.5,9\n", with), "t.csv:2: `least` is above the mean" + hint);
  EXPECT_EQ(refusal(header + "8,2,1,1.5\n", with), "t.csv:2: `most` is below the mean" + hint);
  EXPECT_EQ(refusal(header + "8,2,0,3\n", with),
            "t.csv:2: `least` must be more than zero, not 0" + hint);
  with.columns.min_column = "lest";
  EXPECT_EQ(refusal(header + "8,2,1,3\n", with),
            "t.csv:1: unknown column for --min-column 'lest'; did you mean 'least'?");
}

TEST(CsvImport, SaysWhereATableComesFromAndWhatItsBlocksAreMultiplesOf) {
  CsvImportOptions with = options();
  with.provenance = "a colleague's table";
  with.grain_items = "64";
  const Trace trace = import("num_tokens,median\n128,2\n", with);
  EXPECT_EQ(trace.provenance,
            "a colleague's table; column median of prefill.csv in ms against column num_tokens");
  EXPECT_EQ(trace.grain_items, 64);
  with.grain_items = "0";
  EXPECT_EQ(refusal("num_tokens,median\n128,2\n", with),
            "--grain-items: give a whole number of items from 1 on");
}

TEST(CsvImport, WarnsOfLevelsThatItPools) {
  const TemporaryFolder folder;
  // At 8 items the mean is 3 and the deviation 1: 33 %. At 16 items it is 6 and 2.
  const std::string path =
      folder.write("t.csv", "tp,num_tokens,median\n1,8,4\n2,8,2\n1,16,8\n2,16,4\n");
  const CsvImport import = import_csv({path}, options());
  ASSERT_EQ(import.warnings.size(), 1U);
  EXPECT_EQ(import.warnings[0],
            path +
                ": the 2 times of gpu0 at 8 items spread by 33 %, and those of 2 sizes by more "
                "than 20 %; they differ in `tp` (1, 2): choose, for example with --where "
                "'tp=1'");
  CsvImportOptions with = options();
  with.where = {"tp=2"};
  EXPECT_TRUE(import_csv({path}, with).warnings.empty());
  const std::string close =
      folder.write("c.csv", "rep,num_tokens,median\n1,8,2.1\n2,8,2\n1,16,4\n2,16,4.2\n");
  const CsvImport pooled = import_csv({close}, options());
  ASSERT_EQ(pooled.warnings.size(), 1U);
  EXPECT_EQ(pooled.warnings[0], close +
                                    ": rows of one size that differ in `rep` (1, 2) are pooled: "
                                    "right for repetitions; if they are "
                                    "different conditions, choose with --where");
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
  EXPECT_EQ(refusal_of([] { (void)import_csv({"/nowhere/t.csv"}, options()); }),
            "/nowhere/t.csv: no such file; give a CSV file");
  EXPECT_EQ(refusal(""), "t.csv: the file is empty; give a CSV file");
  EXPECT_EQ(refusal("num_tokens,median\n"),
            "t.csv: the file has no rows below its header row; give one that has");
}

TEST(CsvImport, RefusesAColumnThatIsThereTwiceOnlyIfItIsNamed) {
  EXPECT_EQ(refusal("num_tokens,median,median\n1,2,3\n"),
            "t.csv:1: two columns are called median, which --compute-column names; rename one");
  EXPECT_EQ(import("num_tokens,median,x,x\n1,2,3,4\n").samples.size(), 1U);
}

TEST(CsvImport, NamesItsOnlyUnitAfterItsKind) {
  CsvImportOptions with = options();
  with.kind = "cpu";
  const Trace trace = import("num_tokens,median\n1,2\n", with);
  EXPECT_EQ(trace.units[0].name, "cpu0");
  EXPECT_EQ(trace.units[0].kind, UnitKind::cpu);
}

TEST(CsvImport, RefusesNamesOfUnitsWithControlCharacters) {
  CsvImportOptions with = options();
  with.columns.unit_column = "unit";
  using namespace std::string_literals;
  EXPECT_EQ(refusal("num_tokens,median,unit\n1,2,a\0b\n"s, with),
            "t.csv:2: `unit` has control characters: a\\x00b; correct the row or leave it out");
}

}  // namespace
}  // namespace equipoise::csv_import_test
