// Tests of the import of StarPU's performance models as traces: imported values, and refused rows
// with the reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/mutations.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "traces/starpu_import.hpp"

namespace equipoise::starpu_import_test {
namespace {

/// One table in the format of StarPU.
std::string table(const std::string& type, const std::string& id, const std::string& cores,
                  const std::vector<std::string>& rows) {
  std::string text = "####\n# COMB\n1\n# type\n" + type + "\n# id\n" + id + "\n# cores\n" + cores +
                     "\n# implementations\n1\n# entries\n" + std::to_string(rows.size()) +
                     "\n# sums\n0 0 0 0 nan nan 0 0 0\n# a b c\nnan nan nan\n"
                     "# not multiple-regression-base\n0\n# hash size flops mean dev sum sum2 n\n";
  for (const std::string& row : rows) text += row + "\n";
  return text + "\n";
}

std::string model(const std::vector<std::string>& tables) {
  std::string text = "###\n# Performance Model Version\n45\n\n# combinations\n" +
                     std::to_string(tables.size()) + "\n";
  for (const std::string& one : tables) text += one;
  return text;
}

const std::string cpu_small = "0b 7372800 2.621440e+08 1.0e+04 1.0e+03 1.0e+05 1e9 10";
const std::string cpu_large = "49 66355200 7.077888e+09 2.5e+05 1.0e+03 5.0e+06 1e9 20";

/// Imports `text` as the model of kernel starpu_dgemm_gemm on a machine called toy.
StarpuImport import(const std::string& text, bool items_from_bytes = false, bool operands = false) {
  const TemporaryFolder folder;
  folder.write("codelets/45/starpu_dgemm_gemm.toy", text);
  StarpuImportOptions options;
  options.directory = folder.path("");
  options.machine = "toy";
  options.kernel = "starpu_dgemm_gemm";
  options.items_from_bytes = items_from_bytes;
  options.operand_bytes = operands;
  return import_starpu_model(options);
}

std::string refusal(const std::string& text) {
  const std::string why = refusal_of([&] { (void)import(text); });
  const std::size_t name = why.find("starpu_dgemm_gemm.toy");
  return name == std::string::npos ? why : why.substr(name);
}

TEST(StarpuImport, TakesWorkAsAPowerOfTheOperandsBytes) {
  // Three tiles of 100 x 100 doubles are 240,000 bytes; 2 * 100^3 = 2e6 = bytes^1.5 * 2 / 24^1.5.
  const FlopsOfBytes product = parse_flops("0.0170103 * bytes^1.5", "--flops");
  EXPECT_NEAR(product.flop(240000.0), 2e6, 20.0);
  EXPECT_DOUBLE_EQ(parse_flops("2*bytes", "--flops").flop(8.0), 16.0);
  for (const char* text :
       {"", "bytes", "2*byte", "2*bytes^", "-1*bytes", "2*bytes^1.5x", "nan*bytes"}) {
    EXPECT_TRUE(refusal_of([&] { (void)parse_flops(text, "--flops"); }).starts_with("--flops: '"))
        << text;
  }
  const TemporaryFolder folder;
  folder.write("codelets/45/k.toy",
               model({table("1", "0", "1",
                            {"0b 240000 0.0 280.5 40.25 2.8e+03 1e6 10",
                             "0c 960000 1.2e+07 990.5 40.25 9.9e+03 1e6 11"})}));
  StarpuImportOptions options;
  options.directory = folder.path("");
  options.machine = "toy";
  options.kernel = "k";
  options.flops = product;
  const StarpuImport of_both = import_starpu_model(options);
  ASSERT_EQ(of_both.trace.samples.size(), 2U);
  EXPECT_NEAR(of_both.trace.samples[0].items, 2.0, 1e-5);
  EXPECT_DOUBLE_EQ(of_both.trace.samples[1].items, 12.0);  // as the model says
  EXPECT_NE(of_both.trace.provenance.find("*bytes^1.5"), std::string::npos);
}

TEST(StarpuImport, SaysWhereTimeGrowsFasterThanBytes) {
  Trace trace;
  trace.units.resize(2);
  trace.units[0].name = "cpu0";
  trace.units[1].name = "cuda0";
  const auto add = [&](std::uint32_t unit, double items, double seconds) {
    TraceSample& sample = trace.samples.emplace_back();
    sample.unit = unit;
    sample.items = items;
    sample.compute_mean_s = seconds;
  };
  add(1, 1.0, 5.0);  // a fixed cost makes small sizes expensive
  add(1, 4.0, 8.0);
  add(0, 1.0, 1.0);
  add(0, 4.0, 4.9);
  EXPECT_FALSE(growth_beyond_bytes(trace).has_value());
  add(0, 16.0, 64.0);
  const GrowthBeyondBytes growth = growth_beyond_bytes(trace).value();
  EXPECT_EQ(growth.unit, "cpu0");
  EXPECT_DOUBLE_EQ(growth.bytes, 16.0);
  EXPECT_DOUBLE_EQ(growth.time, 64.0);
}

TEST(StarpuImport, MakesASummaryOfEveryRow) {
  const StarpuImport import_of_two =
      import(model({table("1", "2", "1", {"0b 7372800 2.621440e+08 280.5 40.25 2.8e+03 1e6 10"}),
                    table("0", "0", "1", {cpu_large, cpu_small})}));
  const Trace& trace = import_of_two.trace;
  EXPECT_TRUE(import_of_two.refused.empty());
  EXPECT_EQ(trace.source, "imported");
  EXPECT_EQ(trace.kernel, "starpu_dgemm_gemm");
  EXPECT_EQ(trace.item, "MFlop");
  ASSERT_EQ(trace.units.size(), 2U);
  EXPECT_EQ(trace.units[0].name, "cpu0");
  EXPECT_EQ(trace.units[0].kind, UnitKind::cpu);
  EXPECT_EQ(trace.units[1].name, "cuda2");
  EXPECT_EQ(trace.units[1].kind, UnitKind::gpu);
  ASSERT_EQ(trace.samples.size(), 3U);
  EXPECT_DOUBLE_EQ(trace.samples[0].items, 262.144);
  EXPECT_DOUBLE_EQ(trace.samples[0].compute_mean_s, 0.01);
  EXPECT_DOUBLE_EQ(trace.samples[1].items, 7077.888);
  EXPECT_DOUBLE_EQ(trace.samples[2].compute_mean_s, 280.5e-6);
  EXPECT_DOUBLE_EQ(trace.samples[2].compute_sd_s.value(), 40.25e-6);
  EXPECT_EQ(trace.samples[2].count, 10U);
  EXPECT_TRUE(trace.samples[2].is_summary);
  EXPECT_FALSE(trace.samples[2].in_bytes.has_value());
}

TEST(StarpuImport, CountsOperandsInKibibytesWhenAskedTo) {
  const std::string text =
      model({table("0", "0", "1", {"0b 2048 0.000000e+00 1.0e+04 1.0e+03 1.0e+05 1e9 10"})});
  EXPECT_NE(refusal(text).find("its flops are 0; give them with --flops"), std::string::npos);
  const Trace trace = import(text, true).trace;
  EXPECT_EQ(trace.item, "KiB of operands");
  EXPECT_DOUBLE_EQ(trace.samples.at(0).items, 2.0);
}

TEST(StarpuImport, MovesOperandsWhenAskedToAndSaysWhatItAssumes) {
  const Trace trace = import(model({table("0", "0", "1", {cpu_small})}), false, true).trace;
  EXPECT_DOUBLE_EQ(trace.samples.at(0).in_bytes.value(), 7372800);
  EXPECT_DOUBLE_EQ(trace.samples.at(0).out_bytes.value(), 2457600);
  EXPECT_NE(trace.provenance.find("overstates"), std::string::npos);
}

TEST(StarpuImport, RefusesParallelTasksAndCombinations) {
  const std::string two_devices =
      "2\n0\n0\n1\n1\n0\n1\n1\n1\n0 0 0\nnan nan nan\n0\n" + cpu_large + "\n";
  const StarpuImport result = import(model({table("0", "0", "4", {cpu_small}), two_devices,
                                            table("0", "0", "1", {cpu_small, cpu_large})}));
  EXPECT_EQ(result.trace.units.size(), 1U);
  ASSERT_EQ(result.refused.size(), 2U);
  EXPECT_EQ(result.refused[0].unit, "cpu0 x 4 cores");
  EXPECT_EQ(result.refused[0].why, "a parallel task on several cores is not one unit");
  EXPECT_EQ(result.refused[1].unit, "cpu0 + cuda0");
}

TEST(StarpuImport, RefusesRowsThatAreNoMeasurements) {
  const StarpuImport result = import(
      model({table("0", "0", "1",
                   {cpu_small, "a 10 0 1.0e+01 1.0e+00 1e2 1e2 7", "b 20 1e6 nan 1.0e+00 1e2 1e2 7",
                    "c 30 1e6 1.0e+01 1.0e+00 1e2 1e2 0", "d 40 1e6 -1.0e+01 1.0e+00 1e2 1e2 7",
                    "e 50 1e6 1.0e+01 2.5e+01 1e2 1e2 7", "f 60 1e6 1.0e+01 nan 1e2 1e2 7",
                    "g 70 1e30 1.0e+01 1 1e2 1e2 7"})}));
  EXPECT_EQ(result.trace.samples.size(), 1U);
  ASSERT_EQ(result.refused.size(), 7U);
  EXPECT_EQ(result.refused[1].why, "its mean is not a positive time");
  EXPECT_EQ(result.refused[2].why, "it says that nothing was measured (n = 0)");
  EXPECT_EQ(result.refused[3].why, "its mean is not a positive time");
  EXPECT_EQ(result.refused[4].why, "its deviation is 250 % of its mean");
  EXPECT_EQ(result.refused[5].why, "its deviation is not a time");
  EXPECT_EQ(result.refused[6].why, "its size is out of range");
  EXPECT_EQ(result.refused[4].size_bytes, 50.0);
  EXPECT_LT(result.refused[4].line, result.refused[5].line);
}

TEST(StarpuImport, RefusesOperandsOfLessThanNoBytes) {
  const std::string text =
      model({table("0", "0", "1", {cpu_small, "a -1 1e6 3.0e+01 1.0e+00 1e2 1e2 9"})});
  const StarpuImport result = import(text, false, true);
  EXPECT_EQ(result.trace.samples.size(), 1U);
  ASSERT_EQ(result.refused.size(), 1U);
  EXPECT_EQ(result.refused[0].why, "the bytes of its operands are out of range");
  EXPECT_EQ(import(text).trace.samples.size(), 2U);  // without operands the bytes do not matter
}

TEST(StarpuImport, LeavesOutAUnitWhoseTableIsACopyOfAnothers) {
  const std::vector<std::string> rows = {"a 10 1e6 1.234567e+01 1.0e+00 123.4567 1e2 10",
                                         "b 20 2e6 2.345678e+01 1.0e+00 257.02458 1e2 11"};
  const StarpuImport result =
      import(model({table("1", "1", "1", rows), table("1", "0", "1", rows)}));
  ASSERT_EQ(result.trace.units.size(), 1U);
  EXPECT_EQ(result.trace.units[0].name, "cuda0");
  ASSERT_EQ(result.refused.size(), 2U);
  EXPECT_EQ(result.refused[0].unit, "cuda1");
  EXPECT_TRUE(result.refused[0].why.starts_with(
      "not a measurement of its own: the same count as the row of cuda0 with 10 bytes"))
      << result.refused[0].why;
}

TEST(StarpuImport, RefusesScaledCopiesAndKeepsTheRowThatAddsUp) {
  // The row of 10 bytes is a copy of the row of 40 bytes with the mean times 1/4; its sum was not
  // scaled. The row of 80 bytes has the mean times two, and its sum is consistent too. So the
  // largest size is kept.
  const StarpuImport result = import(model(
      {table("1", "0", "1",
             {"a 10 1e6 3.000000e+01 1.0e+00 6000 1e2 50", "b 40 4e6 1.200000e+02 1 6000 1 50",
              "c 80 8e6 2.400000e+02 1 12000 1 50", "d 90 9e6 2.450000e+02 1 12250 1 50"})}));
  ASSERT_EQ(result.trace.samples.size(), 2U);
  EXPECT_DOUBLE_EQ(result.trace.samples[0].items, 8.0);
  EXPECT_DOUBLE_EQ(result.trace.samples[1].items, 9.0);
  ASSERT_EQ(result.refused.size(), 2U);
  EXPECT_NE(result.refused[0].why.find("its mean times 0.125"), std::string::npos);
  EXPECT_NE(result.refused[1].why.find("its mean times 0.5"), std::string::npos);
}

TEST(StarpuImport, LeavesOutAUnitThatCopiesLeaveWithASingleSize) {
  const std::string shared = "a 10 1e6 1.234567e+01 1.0e+00 123.4567 1e2 10";
  const StarpuImport result =
      import(model({table("1", "0", "1", {shared, "b 20 2e6 2.5e+01 1.0e+00 250 1e2 10"}),
                    table("1", "1", "1", {shared, "b 20 2e6 2.6e+01 1.0e+00 312 1e2 12"})}));
  ASSERT_EQ(result.trace.units.size(), 1U);
  EXPECT_EQ(result.trace.units[0].name, "cuda0");
  ASSERT_EQ(result.refused.size(), 2U);
  EXPECT_NE(result.refused[1].why.find("this unit has only this size that is not a copy"),
            std::string::npos);
}

TEST(StarpuImport, RefusesMalformedFilesWithTheirLine) {
  const std::string hint = "; give a model file as StarPU writes it";
  EXPECT_EQ(refusal("# v\n44\n"),
            "starpu_dgemm_gemm.toy:2: performance model version 44 instead of 45" + hint);
  EXPECT_EQ(refusal(""),
            "starpu_dgemm_gemm.toy:1: the file ends where the version should be" + hint);
  EXPECT_EQ(refusal("45\n-1\n"),
            "starpu_dgemm_gemm.toy:2: the number of combinations is out of range" + hint);
  EXPECT_EQ(refusal("45\n1\nx\n"),
            "starpu_dgemm_gemm.toy:3: expected the number of types of devices, a whole number, not "
            "`x`" +
                hint);
  EXPECT_TRUE(refusal(model({table("0", "0", "1", {"a 10 1e6 1.0 1.0 1 1"})}))
                  .ends_with("a row of measurements must have 8 values" + hint));
  EXPECT_TRUE(refusal(model({table("0", "0", "1", {"a 10 1e6 1.0x 1.0 1 1 1"})}))
                  .ends_with("`1.0x` is not a number" + hint));
  EXPECT_NE(refusal("45\n0\n").find("the model has no usable row"), std::string::npos);
}

TEST(StarpuImport, ReadsOrRefusesDamagedFiles) {
  constexpr std::uint64_t seed = 20240609;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const std::string text = model(
      {table("0", "0", "1", {cpu_small, cpu_large}), table("1", "0", "1", {cpu_small, cpu_large})});
  for (int i = 0; i < 300; ++i) {
    const std::string why = refusal(mutate(text, random));
    EXPECT_TRUE(why == "not refused" || why.starts_with("starpu_dgemm_gemm.toy")) << why;
  }
}

TEST(StarpuImport, NamesTheNearestMachineAndKernelAndThePackage) {
  const TemporaryFolder folder;
  folder.write("codelets/45/chol_model_11.toy", "45\n0\n");
  folder.write("codelets/45/chol_model_22.toy", "45\n0\n");
  StarpuImportOptions options;
  options.directory = folder.path("");
  options.machine = "tou";
  options.kernel = "chol_model_2";
  EXPECT_EQ(refusal_of([&] { (void)import_starpu_model(options); }),
            "--machine: unknown machine of StarPU's models 'tou'; did you mean 'toy'?");
  options.machine = "toy";
  EXPECT_EQ(refusal_of([&] { (void)import_starpu_model(options); }),
            "--kernel: unknown kernel of toy 'chol_model_2'; did you mean 'chol_model_22'?");
  EXPECT_EQ(starpu_kernels(folder.path(""), "toy"),
            (std::vector<std::string>{"chol_model_11", "chol_model_22"}));
  options.directory = "/nowhere";
  EXPECT_NE(refusal_of([&] {
              (void)import_starpu_model(options);
            }).find("`apt install starpu-examples`, or give their directory with --perfmodels"),
            std::string::npos);
}

TEST(StarpuImport, ShortensKernelNamesForFiles) {
  EXPECT_EQ(short_kernel_name("starpu_dgemm_gemm"), "dgemm");
  EXPECT_EQ(short_kernel_name("chol_model_11"), "chol_model_11");
  EXPECT_EQ(short_kernel_name("starpu_slu_lu_model_22"), "slu_lu_model_22");
}

TEST(StarpuImport, ReadsThePackagesModels) {
  if (!std::filesystem::exists(default_starpu_directory)) {
    GTEST_SKIP() << "Debian package starpu-examples is not installed";
  }
  StarpuImportOptions options;
  options.machine = "sirocco";
  options.kernel = "starpu_dgemm_gemm";
  const StarpuImport dgemm = import_starpu_model(options);
  EXPECT_EQ(dgemm.trace.units.size(), 5U);
  EXPECT_EQ(dgemm.trace.samples.size(), 20U);
  EXPECT_TRUE(dgemm.refused.empty());
  const std::vector<std::string> kernels = starpu_kernels(default_starpu_directory, "sirocco");
  if (std::ranges::count(kernels, "chol_model_21") == 0) {
    GTEST_SKIP() << "these starpu-examples name their Cholesky kernels otherwise";
  }
  options.kernel = "chol_model_21";
  const StarpuImport cholesky = import_starpu_model(options);
  EXPECT_EQ(cholesky.trace.units.size(), 4U);
  EXPECT_EQ(cholesky.refused.size(), 4U);
  for (const RefusedRow& row : cholesky.refused) EXPECT_EQ(row.unit, "cuda1");
  options.machine = "idgraf";
  options.kernel = "starpu_dlu_lu_model_22";  // this file has two lines in the wrong order
  options.items_from_bytes = true;
  EXPECT_EQ(import_starpu_model(options).trace.units.size(), 9U);
}

}  // namespace
}  // namespace equipoise::starpu_import_test
