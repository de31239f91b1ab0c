// Tests of parts of the program that no command shows alone: full disks, tables.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/support/full_disk.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/report_text.hpp"
#include "tools/worlds/inputs.hpp"

namespace equipoise::parts_test {
namespace {

TEST(WriteWholeFile, IsNoRefusalOfInputWhenTheDiskIsFullAndLeavesNothingBehind) {
  const TemporaryFolder folder;
  const std::string path = folder.write("r.json", "old");
  std::string said;
  try {
    const FullDisk disk(1000);
    write_whole_file(path, std::string(100'000, 'x'));
  } catch (const InputError&) {
    said = "refused";
  } catch (const std::runtime_error& failure) {
    said = failure.what();
  }
  EXPECT_TRUE(said.starts_with(path + ": cannot be written: File too large")) << said;
  EXPECT_EQ(folder.read("r.json"), "old");
  EXPECT_EQ(std::distance(
                std::filesystem::directory_iterator(std::filesystem::path(path).parent_path()), {}),
            1);
}

TEST(TakesPart, SaysWhatAUnitWouldHaveToHold) {
  Workload workload;
  workload.kernel = "matmul";
  workload.items = 512;
  workload.resident_bytes = 2097152.0;
  workload.memory_bytes_per_item = 8192.0;
  const auto warning_of = [&](const Unit& unit) {
    testing::internal::CaptureStderr();
    EXPECT_FALSE(takes_part(unit, {workload}));
    return testing::internal::GetCapturedStderr();
  };
  Unit unit;
  unit.name = "cpu0";
  unit.memory_bytes = 1048576.0;
  EXPECT_EQ(warning_of(unit),
            "equipoise: warning: cpu0 takes no part: matmul needs 2 MiB there for data that stays "
            "and 8 KiB for a block of 1 items, and its memory_bytes are 1 MiB\n");
  unit.name = "cuda0";
  unit.kind = UnitKind::gpu;
  unit.copy_engines = 2;
  EXPECT_TRUE(takes_part(unit, {workload})) << "it reads the data with each block";
  unit.memory_bytes = 4096.0;
  EXPECT_EQ(warning_of(unit),
            "equipoise: warning: cuda0 takes no part: matmul needs 8 KiB there for a block of 1 "
            "items, and its memory_bytes are 4 KiB\n");
}

TEST(WriteWholeFile, ReplacesWhatIsThere) {
  const TemporaryFolder folder;
  const std::string path = folder.write("r.json", "old");
  write_whole_file(path, "new");
  EXPECT_EQ(folder.read("r.json"), "new");
}

TEST(ChooseWorkload, TakesWhatStaysOnAUnitFromTheTraceUnlessItIsTyped) {
  Trace trace;
  trace.kernel = "matmul";
  EXPECT_EQ(choose_workload("matmul:n=100", {trace}).resident_bytes, 80'000.0);
  trace.resident_bytes = 0.0;
  trace.memory_bytes_per_item = 7.0;
  const Workload product = choose_workload("matmul:n=100", {trace});
  EXPECT_EQ(product.resident_bytes, 0.0);
  EXPECT_EQ(product.memory_bytes_per_item, 7.0);
  trace.kernel = "stencil";
  EXPECT_EQ(choose_workload("matmul:n=100", {trace}).resident_bytes, 80'000.0);
  EXPECT_EQ(choose_workload("stencil:items=9", {trace}).memory_bytes_per_item, 7.0);
  EXPECT_EQ(
      choose_workload("stencil:items=9,memory_bytes_per_item=2", {trace}).memory_bytes_per_item,
      2.0);
}

TEST(ChooseWorkload, KnowsWhatAnItemCopiesIfAllSamplesOfTheTracesSaySo) {
  Trace trace;
  trace.kernel = "mine";
  TraceSample small;
  small.items = 2.0;
  small.in_bytes = 16.0;
  small.out_bytes = 80.0;
  TraceSample large = small;
  large.items = 8.0;
  large.in_bytes = 64.0;
  large.out_bytes = std::nullopt;
  trace.samples = {small, large};
  // (16 + 64) / (2 + 8) bytes in; of the results, one sample does not say.
  const Workload workload = choose_workload("mine:items=100", {trace});
  EXPECT_EQ(workload.in_bytes_per_item, 8.0);
  EXPECT_EQ(workload.out_bytes_per_item, 0.0);
  // What is typed counts.
  EXPECT_EQ(choose_workload("mine:items=100,in_bytes_per_item=3", {trace}).in_bytes_per_item, 3.0);
  // Another trace of the kernel does not say.
  Trace other = trace;
  other.samples[0].in_bytes.reset();
  EXPECT_EQ(choose_workload("mine:items=100", {trace, other}).in_bytes_per_item, 0.0);
}

TEST(ChooseWorkload, SaysWhereResidentDataLieAtTheStart) {
  Trace trace;
  trace.kernel = "stencil";
  const auto distribution = [&](const std::string& spelling) {
    return choose_workload(spelling, {trace}).distribution;
  };
  EXPECT_EQ(distribution("matmul:n=100"), Distribution::master);
  EXPECT_EQ(distribution("matmul:n=100,distribution=replicated"), Distribution::replicated);
  EXPECT_EQ(distribution("stencil:items=9,distribution=master"), Distribution::master);
  EXPECT_EQ(distribution("stencil:items=9,distribution=replicated"), Distribution::replicated);
  for (const char* kernel : {"grn", "kmeans", "nbody", "gaussian"}) {
    EXPECT_EQ(distribution(std::string(kernel) + ":distribution=replicated"),
              Distribution::replicated);
  }
  EXPECT_EQ(refusal_of([&] { (void)distribution("matmul:n=100,distribution=replicate"); }),
            "workload: unknown value of distribution 'replicate'; did you mean 'replicated'?");
  trace.kernel = "matmul";
  trace.resident_memory_bytes = 10.0;
  EXPECT_EQ(choose_workload("matmul:n=100", {trace}).bytes_kept(), 10.0);
  EXPECT_EQ(choose_workload("matmul:items=9,resident_memory_bytes=3", {trace}).bytes_kept(), 3.0);
}

TEST(ChooseWorkload, RefusesATraceOfAnotherNumberOfItemsThatTheirCostDependsOn) {
  Trace trace;
  trace.kernel = "grn";
  trace.problem = {{"candidates", 60.0}, {"items", 60.0}};
  const auto check = [&](const std::string& spelling) {
    return refusal_of(
        [&] { check_problem({trace}, {"t.jsonl"}, choose_workload(spelling, {trace})); });
  };
  EXPECT_EQ(check("grn:items=60"), "not refused");
  EXPECT_EQ(check("grn:items=70"),
            "t.jsonl:1: its `problem`, the recorded workload, has items=60, not items=70, and the "
            "cost per item depends on it; "
            "record a trace of that size");
  EXPECT_EQ(
      check("grn:genes=60,candidates=50"),
      "t.jsonl:1: its `problem`, the recorded workload, has candidates=60, not candidates=50, and "
      "the cost per item depends "
      "on it; record a trace of that size, or write grn:items=60 for as much work as in this one "
      "(items are what blocks are cut from)");
}

TEST(ChooseWorkload, KnowsWhatMovesBetweenIterations) {
  Trace trace;
  trace.kernel = "nbody";
  EXPECT_EQ(choose_workload("nbody:bodies=100", {trace}).iteration_bytes, 2400.0);
  trace.resident_bytes = 1600.0;  // half of the kernel's 3200, in single precision
  EXPECT_EQ(choose_workload("nbody:bodies=100", {trace}).iteration_bytes, 1200.0);
  trace.kernel = "stencil";
  EXPECT_EQ(choose_workload("stencil:items=9", {trace}).iteration_bytes, 0.0);
  EXPECT_EQ(choose_workload("stencil:items=9,iteration_bytes=5", {trace}).iteration_bytes, 5.0);
  EXPECT_EQ(refusal_of([&] {
              static_cast<void>(choose_workload("stencil:items=9,iteration_bytes=1601", {trace}));
            }),
            "workload: iteration_bytes are a part of resident_bytes; give no more than these");
}

TEST(ChooseWorkload, LetsATraceSizeAKernelInItemsThatHasAnotherSizeOfItsOwn) {
  Trace trace;
  trace.kernel = "matmul";
  EXPECT_EQ(choose_workload("matmul:items=1000,in_bytes_per_item=3", {trace}).items, 1000);
  EXPECT_EQ(choose_workload("matmul:n=100", {trace}).items, 100);
  trace.kernel = "other";
  EXPECT_EQ(refusal_of([&] { (void)choose_workload("matmul:items=1000", {trace}); }),
            "workload: matmul has no parameter 'items', but for a trace of matmul, and none is "
            "given; see 'equipoise list kernels'");
}

TEST(ComparisonTable, TellsItemsRedoneWithoutTheTailOfRounding) {
  Comparison comparison;
  comparison.policies = {parse_policy("greedy")};
  PolicyResult result;
  result.spelling = "greedy";
  result.on = "sim";
  result.verified = true;
  double& redone = *result.means.of<&RunNumbers::items_redone>();
  for (int rep = 0; rep < 10; ++rep) redone += 1112.0 / 10.0;  // 1112.0000000000002
  comparison.results = {result};
  EXPECT_NE(comparison_table(comparison).find(" 1112 items redone"), std::string::npos);
}

TEST(ComparisonTable, StatesWhatIsAssumedOfResidentDataAndDecisions) {
  ComparisonOptions options;
  Workload product;
  product.kernel = "matmul";
  Comparison comparison;
  describe_experiment(comparison, options, {product}, {}, {});
  EXPECT_EQ(comparison.assumptions, "");
  using Distributions = std::vector<std::optional<Distribution>>;
  EXPECT_EQ(comparison.experiment.distributions, Distributions{std::nullopt});
  product.resident_bytes = 8e6;
  describe_experiment(comparison, options, {product}, {}, {});
  EXPECT_EQ(comparison.assumptions,
            "8.00 MB that every unit needs for matmul are sent to each before its first block");
  product.distribution = Distribution::replicated;
  options.decision_cost = "paper";
  describe_experiment(comparison, options, {product}, {}, {});
  EXPECT_EQ(comparison.assumptions,
            "8.00 MB that every unit needs for matmul are there from the start "
            "(distribution=replicated); decisions take as long as each policy's paper says");
  EXPECT_EQ(comparison.experiment.distributions, Distributions{Distribution::replicated});
  EXPECT_NE(comparison_table(comparison).find("are there from the start"), std::string::npos);
}

}  // namespace
}  // namespace equipoise::parts_test
