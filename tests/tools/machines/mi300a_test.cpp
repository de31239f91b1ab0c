// Tests of the committed timings of an MI300A: they are what their table and their spec make.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "shared_policies/fit/copy_fit.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"
#include "traces/csv_import.hpp"
#include "traces/trace_file.hpp"

namespace equipoise::mi300a_test {
namespace {

using Json = nlohmann::json;

std::set<std::string> files_of(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("mi300a-") && name.ends_with(".jsonl")) names.insert(name);
  }
  return names;
}

TEST(Mi300a, TracesAreWhatTheScriptMakesOfTheTable) {
  const TemporaryFolder scratch;
  const std::string command = std::string(repository() / "traces/import-mi300a") + " " +
                              program_file() + " " + scratch.path("") + " >" + scratch.path("said");
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::set<std::string> committed = files_of(repository() / "traces");
  EXPECT_EQ(committed.size(), 21U);
  EXPECT_EQ(files_of(scratch.path("")), committed);
  for (const std::string& name : committed) {
    EXPECT_EQ(read_text(scratch.path(name)), read_text(repository() / "traces" / name))
        << name << ": make it again by traces/import-mi300a";
  }
}

// The first and the last row of kernels whose sizes are written in different ways.
TEST(Mi300a, TracesHaveTheNumbersOfTheTable) {
  struct Row {
    const char* name;
    std::size_t lines;
    double first_items;
    double last_items;
    double last_mean_s;
    double last_least_s;
    double last_longest_s;
  };
  const Row rows[] = {
      {"vectoradd", 20, 1024, 536870912, 2.8381e-3, 2.8327e-3, 2.8485e-3},
      {"stencil2d", 18, 4096, 1073741824, 3.6250e-3, 3.6159e-3, 3.6872e-3},
      {"fft", 19, 512, 134217728, 0.7035e-3, 0.6287e-3, 0.8504e-3},
      {"matmul", 22, 32768, 549755813888, 52.4170e-3, 50.4470e-3, 69.6668e-3},
      {"simpleconvolution-mask5", 6, 16384, 16777216, 0.2220e-3, 0.2203e-3, 0.2258e-3},
      {"kmeans-feat64", 5, 1024, 262144, 0.0957e-3, 0.0950e-3, 0.1010e-3},
      {"im2col-k7", 8, 64, 1048576, 0.1094e-3, 0.1045e-3, 0.1132e-3}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Trace trace = read_trace(
        repository() / "traces" / (std::string("mi300a-") + row.name + ".jsonl"), nullptr);
    ASSERT_EQ(trace.samples.size(), row.lines);
    EXPECT_EQ(trace.samples.front().items, row.first_items);
    const TraceSample& last = trace.samples.back();
    EXPECT_EQ(last.items, row.last_items);
    EXPECT_EQ(last.count, 51U);
    EXPECT_DOUBLE_EQ(last.compute_mean_s, row.last_mean_s);
    EXPECT_DOUBLE_EQ(last.compute_min_s.value(), row.last_least_s);
    EXPECT_DOUBLE_EQ(last.compute_max_s.value(), row.last_longest_s);
  }
}

/// The line through the least times of the copies `kernel` of the table.
CopySpeed line_of(const std::string& kernel) {
  CsvImportOptions options;
  options.where = {"kernel_name=" + kernel};
  options.columns.items_column = "problem_size";
  options.columns.items_pattern = "*MB";  // MiB
  options.columns.compute_column = "min_ms";
  options.columns.time_unit = "ms";
  const CsvImport import = import_csv({repository() / "traces/mi300a.csv"}, options);
  std::vector<double> bytes;
  std::vector<double> times_s;
  for (const TraceSample& sample : import.trace.samples) {
    bytes.push_back(sample.items * 0x1p20);
    times_s.push_back(sample.compute_mean_s);
  }
  EXPECT_EQ(bytes.size(), 10U);
  return fit_copy_speed(bytes, times_s);
}

TEST(Mi300a, LinksAreTheLinesThroughTheCopiesOfTheTable) {
  const CopySpeed in = line_of("memcopy_h2d");
  const CopySpeed out = line_of("memcopy_d2h");
  const Json spec = Json::parse(read_text(repository() / "platforms/mi300a.json"));
  for (const Json& machine : spec.at("machines")) {
    const Json& bus = machine.at("units").at(0).at("bus");
    constexpr double rounding = 1e-3;
    EXPECT_NEAR(bus.at("in_bytes_per_s"), in.bandwidth_bytes_per_s,
                rounding * in.bandwidth_bytes_per_s);
    EXPECT_NEAR(bus.at("out_bytes_per_s"), out.bandwidth_bytes_per_s,
                rounding * out.bandwidth_bytes_per_s);
    EXPECT_NEAR(bus.at("latency_s"), in.latency.value, rounding * in.latency.value);
    EXPECT_NEAR(bus.at("out_latency_s"), out.latency.value, rounding * out.latency.value);
  }
}

TEST(Mi300a, PlatformsAreWhatTheirSpecGenerates) {
  const TemporaryFolder scratch;
  const ProgramRun run = run_equipoise(
      {"platform", "generate", "--spec", "platforms/mi300a.json", "--out", scratch.path("")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* const name : {"mi300a.xml", "mi300a-4.xml"}) {
    EXPECT_EQ(read_text(scratch.path(name)), read_text(repository() / "platforms" / name))
        << name << ": generate it again from its spec";
  }
}

TEST(Mi300a, EveryKernelRunsOnBothPlatforms) {
  for (const std::string& name : files_of(repository() / "traces")) {
    SCOPED_TRACE(name);
    const std::string file = "traces/" + name;
    const ProgramRun check = run_equipoise({"trace", "check", file});
    EXPECT_EQ(check.exit_code, 0) << check.err;
    const Trace trace = read_trace(repository() / file, nullptr);
    const std::string workload =
        trace.kernel + ":items=1e7,in_bytes_per_item=8,out_bytes_per_item=4";
    for (const char* const platform : {"platforms/mi300a.xml", "platforms/mi300a-4.xml"}) {
      const ProgramRun run =
          run_equipoise({"simulate", "--platform", platform, "--trace", file, "--workload",
                         workload, "--policy", "greedy:pieces=100"});
      EXPECT_EQ(run.exit_code, 0) << run.err;
    }
  }
}

// Four copies of 3.2e9 / 4 bytes in, one beside the other on their own links, then the work, then
// 1.6e9 / 4 bytes out: a run cannot be shorter than a unit's share at the speed of the largest
// size.
TEST(Mi300a, FourAddVectorsFasterThanOne) {
  std::vector<double> makespans_s;
  for (const char* const platform : {"platforms/mi300a.xml", "platforms/mi300a-4.xml"}) {
    const ProgramRun run = run_equipoise(
        {"compare", "--platform", platform, "--trace", "traces/mi300a-vectoradd.jsonl",
         "--workload", "mgpusim_vectoradd:items=4e8,in_bytes_per_item=8,out_bytes_per_item=4",
         "--policy", "greedy,equipoise", "--json"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    makespans_s.push_back(
        Json::parse(run.out).at("results").at(1).at("makespan_s").at("mean").get<double>());
  }
  const double copies_s = 4e8 * 8 / 5.796e10;  // of one unit's whole input
  EXPECT_GT(makespans_s[0], copies_s);
  EXPECT_GT(makespans_s[1], copies_s / 4);
  EXPECT_LT(makespans_s[1], makespans_s[0] / 3);
}

}  // namespace
}  // namespace equipoise::mi300a_test
