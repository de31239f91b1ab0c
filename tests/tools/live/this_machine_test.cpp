// Tests of the ordinary way through the program on this machine's CPU units: recording, predicting,
// running, stopping.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/run_lines.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::this_machine_test {
namespace {

using Json = nlohmann::json;

TEST(ThisMachine, IsRecordedPredictedAndCompared) {
  const TemporaryFolder scratch;
  const std::vector<std::string> units = {"--unit", "cpu,threads=1", "--unit",
                                          "cpu,threads=1,slowdown=2"};
  const std::string trace = scratch.path("here.jsonl");
  const std::string xml = scratch.path("here.xml");
  const ProgramRun record = run_equipoise(
      with(with({"record"}, units), {"--workload", "blackscholes:options=4e3", "--seconds-max",
                                     "0.5", "--out", trace, "--platform-out", xml}));
  ASSERT_EQ(record.exit_code, 0) << record.err;
  EXPECT_EQ(run_equipoise({"trace", "check", trace}).exit_code, 0);
  EXPECT_EQ(run_equipoise({"platform", "check", xml}).exit_code, 0);
  const ProgramRun compare = run_equipoise(with(
      with({"compare", "--on", "both"}, units),
      {"--trace", trace, "--platform", xml, "--workload", "blackscholes:options=4e3", "--policy",
       "all", "--reps", "2", "--best-known", "off", "--out", scratch.path("cmp")}));
  ASSERT_EQ(compare.exit_code, 0) << compare.err;
  EXPECT_NE(compare.out.find("predicted "), std::string::npos) << compare.out;
  EXPECT_NE(compare.out.find("\nsd         The standard deviation"), std::string::npos)
      << compare.out;
  const Json results = Json::parse(read_text(scratch.path("cmp/results.json")));
  for (const Json& result : results.at("results")) {
    EXPECT_EQ(result.at("verified"), true);
    const bool is_real = result.at("on") == "real";
    EXPECT_EQ(result.at("too_noisy").is_boolean(), is_real);
    const Json& times = result.at("makespan_s");
    EXPECT_DOUBLE_EQ(result.at("makespan_relative_sd"),
                     times.at("sd").get<double>() / times.at("mean").get<double>());
  }
}

TEST(ThisMachine, RunsMatmulForReal) {
  const TemporaryFolder scratch;
  const std::string file = scratch.path("run.jsonl");
  const ProgramRun run =
      run_equipoise({"run", "--unit", "cpu", "--unit", "cpu,slowdown=3", "--workload",
                     "matmul:n=256", "--policy", "plb-hec", "--out", file});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  expect_covered(json_lines(file), 256);
}

TEST(ThisMachine, LeavesAReadableRunFileAfterCtrlC) {
  const TemporaryFolder scratch;
  const std::string file = scratch.path("run.jsonl");
  const ProgramRun run =
      signal_equipoise({"run", "--unit", "cpu,slowdown=1e6", "--workload",
                        "blackscholes:options=2e6", "--policy", "greedy", "--out", file},
                       SIGINT, [&] { return !lines_of(read_text(file)).empty(); });
  EXPECT_EQ(run.exit_code, 130) << run.err;
  EXPECT_EQ(run.err.rfind("equipoise: error: interrupted", 0), 0u) << run.err;
  for (const Json& line : json_lines(file)) EXPECT_FALSE(line.contains("summary"));
}

}  // namespace
}  // namespace equipoise::this_machine_test
