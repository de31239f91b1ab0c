// Tests of the kernel synthetic through commands: items that differ as the user says, on units that
// compute and in simulations.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::synthetic_command_test {
namespace {

using Json = nlohmann::json;

const char* const platform = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full"><host id="cpu0" speed="1Gf"/></zone></platform>
)";
/// A trace of items that cost the same: 1 ms each.
const char* const trace =
    R"({"schema":"equipoise.trace/1","source":"recorded","kernel":"synthetic","item":"item",)"
    R"("problem":{"operations":100,"bytes":64},"units":[{"id":"cpu0","kind":"cpu"}],"dispatch_s":0}
{"unit":"cpu0","items":1,"compute_s":1e-3}
{"unit":"cpu0","items":100,"compute_s":0.1}
)";

class SyntheticCommand : public testing::Test {
 protected:
  /// Writes `text` into the file `name` of the scratch folder. Returns its path.
  [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
    std::string path = scratch.path(name);
    std::ofstream(path) << text;
    return path;
  }

  TemporaryFolder scratch;
};

TEST_F(SyntheticCommand, ComparesPoliciesOnRealUnitsWithItemsThatDiffer) {
  const std::string out = scratch.path("o");
  const ProgramRun run =
      run_equipoise({"compare", "--on", "real", "--unit", "cpu", "--unit", "emulated", "--workload",
                     "synthetic:items=500,operations=2000,costs=decreasing", "--policy",
                     "greedy,gss", "--meters", "off", "--quiet", "--out", out});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  // Item i costs (2 (499 - i) + 1) / 500.
  EXPECT_NE(run.out.find("items of synthetic differ: they cost from 0.002 to 2 times the mean"),
            std::string::npos)
      << run.out;
  const Json costs = Json::parse(read_text(out + "/results.json")).at("experiment").at("costs");
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_DOUBLE_EQ(costs[0].at("least"), 0.002);
  EXPECT_DOUBLE_EQ(costs[0].at("most"), 1.998);
}

TEST_F(SyntheticCommand, TakesCostsFromAFile) {
  const std::string costs = file("costs.csv", "cost\n1\n0\n7\n2\n");
  const std::vector<std::string> words = {"run", "--unit",  "cpu",      "--meters",
                                          "off", "--quiet", "--policy", "gss"};
  const ProgramRun run =
      run_equipoise(with(words, {"--workload", "synthetic:items=4,costs=" + costs}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("verified"), std::string::npos) << run.out;
  const ProgramRun more =
      run_equipoise(with(words, {"--workload", "synthetic:items=5,costs=" + costs}));
  EXPECT_EQ(more.exit_code, 2);
  EXPECT_NE(more.err.find("has the costs of 4 items, and the workload has 5"), std::string::npos)
      << more.err;
}

TEST_F(SyntheticCommand, HandsOutTheBlocksOfAnEarlierRunAgain) {
  const std::string run_file = scratch.path("run.jsonl");
  const ProgramRun run = run_equipoise(
      {"run", "--unit", "cpu", "--workload", "synthetic:items=50,costs=exponential,costs_seed=4",
       "--policy", "gss", "--meters", "off", "--quiet", "--out", run_file});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ProgramRun again = run_equipoise({"replay", run_file, "--decisions", "--quiet"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.out.find("verified"), std::string::npos) << again.out;
}

TEST_F(SyntheticCommand, SimulatesItemsThatDifferWithATraceOfItemsThatDoNot) {
  const std::string run_file = scratch.path("run.jsonl");
  const ProgramRun run = run_equipoise(
      {"simulate", "--platform", file("p.xml", platform), "--trace", file("t.jsonl", trace),
       "--workload", "synthetic:items=100,operations=100,costs=decreasing", "--policy",
       "greedy:initial_block_items=50", "--noise", "off", "--quiet", "--out", run_file});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::vector<double> compute_s;
  for (const std::string& line : lines_of(read_text(run_file))) {
    const Json record = Json::parse(line);
    if (record.contains("first_item")) compute_s.push_back(record.at("compute_s"));
  }
  // The first half of the items has 1 - (50 / 100)^2 of the work of 100 ms.
  ASSERT_EQ(compute_s.size(), 2u);
  EXPECT_NEAR(compute_s[0], 0.075, 1e-12);
  EXPECT_NEAR(compute_s[1], 0.025, 1e-12);
}

TEST_F(SyntheticCommand, IsRecordedWithItemsThatCostTheSame) {
  const std::string out = scratch.path("t.jsonl");
  const std::vector<std::string> units = {"--unit", "cpu", "--seconds-max", "0.05", "--quiet"};
  const ProgramRun refused = run_equipoise(
      with({"record", "--workload", "synthetic:items=100,costs=bimodal", "--out", out}, units));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("a trace of synthetic is recorded of items that cost the same"),
            std::string::npos)
      << refused.err;
  const ProgramRun validate =
      run_equipoise(with({"validate", "--policy", "greedy", "--workload",
                          "synthetic:items=100,costs=bimodal", "--out", scratch.path("v")},
                         units));
  EXPECT_EQ(validate.exit_code, 2);
  EXPECT_EQ(validate.err, refused.err);
  const ProgramRun recorded = run_equipoise(
      with({"record", "--workload", "synthetic:items=100,costs=alike", "--out", out}, units));
  EXPECT_EQ(recorded.exit_code, 0) << recorded.err;
}

TEST_F(SyntheticCommand, IsNamedWhereAKernelTakesNoCosts) {
  const ProgramRun run = run_equipoise({"run", "--unit", "cpu", "--policy", "greedy", "--workload",
                                        "taylor:points=10,costs=increasing"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("taylor computes its items, so they cost what they cost; leave out costs, "
                         "take the kernel synthetic"),
            std::string::npos)
      << run.err;
}

}  // namespace
}  // namespace equipoise::synthetic_command_test
