// `equipoise replay` as a user types it: recorded runs are decided and issued again.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "shared_policies/policies/catalog.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise {
namespace {

using Json = nlohmann::json;

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::vector<std::string> two_cpus = {"run", "--unit", "cpu,slots=2", "--unit",
                                           "cpu,slowdown=3"};

void expect_agreement(const std::string& file, const std::string& policy) {
  const ProgramRun check = run_equipoise({"replay", file, "--check"});
  EXPECT_EQ(check.exit_code, 0) << policy << ": " << check.err;
  EXPECT_NE(check.out.find("decided the same again"), std::string::npos) << policy << check.out;
}

TEST(Replay, DecidesRealRunsOfEveryPolicyTheSameAgain) {
  const TemporaryFolder scratch;
  const std::string trace = scratch.path("here.jsonl");
  ASSERT_EQ(run_equipoise({"record", "--unit", "cpu", "--unit", "cpu,slowdown=3", "--workload",
                           "blackscholes:options=2e5", "--seconds-max", "0.1", "--out", trace})
                .exit_code,
            0);
  const std::string file = scratch.path("run.jsonl");
  for (const PolicyInfo& info : policy_catalog()) {
    if (info.check_units != nullptr) continue;  // needs watts, which real units lack
    const ProgramRun run =
        run_equipoise(with(two_cpus, {"--workload", "blackscholes:options=2e5", "--trace", trace,
                                      "--policy", info.name, "--out", file}));
    ASSERT_EQ(run.exit_code, 0) << info.name << ": " << run.err;
    expect_agreement(file, info.name);
  }
}

TEST(Replay, DecidesRealRunsOfHundredsOfBlocksAndPhasesTheSameAgain) {
  const TemporaryFolder scratch;
  const std::string file = scratch.path("run.jsonl");
  for (const std::string policy :
       {"ss", "equipoise", "plb-hac", "plb-hec", "awf-c", "af", "hdss"}) {
    const ProgramRun run = run_equipoise(
        with(two_cpus, {"--workload", "matmul:n=384", "--workload", "blackscholes:options=1e5",
                        "--policy", policy, "--out", file}));
    ASSERT_EQ(run.exit_code, 0) << policy << ": " << run.err;
    expect_agreement(file, policy);
  }
}

TEST(Replay, DecidesSimulationsOfEveryPolicyTheSameAgain) {
  // With noise, units that fail, come back and join, and decisions that cost what papers say.
  const TemporaryFolder scratch;
  const std::string file = scratch.path("run.jsonl");
  const std::string scenario =
      scratch.write("s.json", R"({"schema":"equipoise.scenario/1","events":[
    {"at_s":0.01,"unit":"cpu1","kind":"join"}, {"at_s":0.02,"unit":"cuda0","kind":"fail"},
    {"at_s":0.005,"unit":"cuda2","kind":"slow","factor":3},
    {"at_s":0.05,"unit":"cuda0","kind":"join"}]})");
  for (const PolicyInfo& info : policy_catalog()) {
    if (info.check_units != nullptr) continue;
    for (const std::string cost : {"none", "paper"}) {
      const ProgramRun run = run_equipoise(
          {"simulate", "--platform", "platforms/sirocco.xml", "--trace",
           "traces/sirocco-dgemm.jsonl", "--workload", "starpu_dgemm_gemm:items=1e5", "--policy",
           info.name, "--scenario", scenario, "--decision-cost", cost, "--out", file});
      ASSERT_EQ(run.exit_code, 0) << info.name << ": " << run.err;
      expect_agreement(file, info.name + " " + cost);
    }
  }
}

TEST(Replay, NamesTheDecisionOfATamperedJournal) {
  const TemporaryFolder scratch;
  const std::string file = scratch.path("run.jsonl");
  ASSERT_EQ(run_equipoise(with(two_cpus, {"--workload", "blackscholes:options=2e5", "--policy",
                                          "gss", "--out", file}))
                .exit_code,
            0);
  std::vector<std::string> lines = lines_of(read_text(file));
  std::size_t changed = 0;
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Json line = Json::parse(lines[i]);
    if (line.contains("first_item") && line.at("block") == 5) {
      line["items"] = line.at("items").get<long>() - 1;
      changed = i + 1;
    }
    text += line.dump() + "\n";
  }
  ASSERT_NE(changed, 0u);
  const std::string tampered = scratch.write("tampered.jsonl", text);
  const ProgramRun check = run_equipoise({"replay", tampered, "--check"});
  EXPECT_EQ(check.exit_code, 1);
  EXPECT_NE(check.err.find("tampered.jsonl:" + std::to_string(changed) +
                           ": the first decision that differs; recorded: block 5:"),
            std::string::npos)
      << check.err;
  const ProgramRun json = run_equipoise({"replay", tampered, "--check", "--json"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_FALSE(Json::parse(json.out).at("agrees"));
  EXPECT_EQ(Json::parse(json.out).at("line"), changed);
}

TEST(Replay, ChecksAnInterruptedRunAndSaysThatItIs) {
  const TemporaryFolder scratch;
  const std::string file = scratch.path("run.jsonl");
  const ProgramRun run =
      run_equipoise(with(two_cpus, {"--workload", "blackscholes:options=2e5,iterations=1000",
                                    "--policy", "awf-c", "--out", file}),
                    SIGINT, 1.0);
  ASSERT_EQ(run.exit_code, 130) << run.err;
  ProgramRun check = run_equipoise({"replay", file, "--check"});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_NE(check.err.find("the run was interrupted"), std::string::npos) << check.err;
  // Cut in the middle of a line, as a kill leaves it.
  const std::string text = read_text(file);
  const std::string cut = scratch.write("cut.jsonl", text.substr(0, text.size() * 2 / 3));
  check = run_equipoise({"replay", cut, "--check"});
  EXPECT_EQ(check.exit_code, 0) << check.err;
}

TEST(Replay, RefusesWhatIsNoRunFileAndWhatIsNotThere) {
  EXPECT_EQ(run_equipoise({"replay", "/nowhere/run.jsonl", "--check"}).exit_code, 2);
  const ProgramRun trace = run_equipoise({"replay", "traces/sirocco-dgemm.jsonl", "--check"});
  EXPECT_EQ(trace.exit_code, 2);
  EXPECT_NE(trace.err.find("traces/sirocco-dgemm.jsonl:1: schema"), std::string::npos) << trace.err;
  EXPECT_EQ(run_equipoise({"replay", "traces/runs/sirocco-gss.jsonl"}).exit_code, 2);
}

TEST(Replay, AgreesWithTheRunThatTheHelpNames) {
  expect_agreement("traces/runs/sirocco-gss.jsonl", "gss");
}

}  // namespace
}  // namespace equipoise
