// Tests of `equipoise validate`: its judgement of predictions, and the command.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/report/validation.hpp"

namespace equipoise::validate_test {
namespace {

using Json = nlohmann::json;

PolicyResult result_of(const std::string& policy, const std::string& on, double mean_s,
                       double half_width_s, std::vector<double> shares) {
  PolicyResult result;
  result.spelling = policy;
  result.on = on;
  result.makespan_s.mean = mean_s;
  result.makespan_s.ci95_low = mean_s - half_width_s;
  result.makespan_s.ci95_high = mean_s + half_width_s;
  result.share_by_unit = std::move(shares);
  result.verified = true;
  return result;
}

/// a: 2 s predicted, 1.9 s measured; b: 3 s and 3.2 s; c: 2.8 s and 3.3 s; d is only measured.
Comparison three_policies() {
  Comparison comparison;
  comparison.units = {"u", "v"};
  comparison.results = {
      result_of("a", "sim", 2.0, 0.0, {0.5, 0.5}),   result_of("b", "sim", 3.0, 0.0, {0.5, 0.5}),
      result_of("c", "sim", 2.8, 0.0, {0.5, 0.5}),   result_of("a", "real", 1.9, 0.1, {0.6, 0.4}),
      result_of("b", "real", 3.2, 0.06, {0.5, 0.5}), result_of("c", "real", 3.3, 0.04, {0.5, 0.5}),
      result_of("d", "real", 9.0, 0.1, {0.5, 0.5})};
  return comparison;
}

TEST(Judge, FindsTheErrorsOfMakespansAndShares) {
  const Comparison comparison = three_policies();
  const Validation found = judge(comparison);
  ASSERT_EQ(found.policies.size(), 3u);
  EXPECT_NEAR(found.policies[0].relative_error, 2.0 / 1.9 - 1.0, 1e-12);
  EXPECT_NEAR(found.policies[1].relative_error, 3.0 / 3.2 - 1.0, 1e-12);
  EXPECT_NEAR(found.policies[0].share_error, 0.1, 1e-12);
  EXPECT_NEAR(found.median_error, 1.0 - 3.0 / 3.2, 1e-12);
  EXPECT_NEAR(found.worst_error, 1.0 - 2.8 / 3.3, 1e-12);
}

TEST(Judge, ComparesTheOrderOfPoliciesThatDifferByMoreThanNoise) {
  // b and c differ by 0.1 s, and their noise is sqrt(0.06^2 + 0.04^2) = 0.072 s, so their order
  // counts. It is predicted wrongly. a is before both, predicted and measured.
  Comparison comparison = three_policies();
  Validation found = judge(comparison);
  EXPECT_EQ(found.ordered_pairs, 3);
  EXPECT_EQ(found.agreeing_pairs, 2);
  EXPECT_NEAR(found.tau.value(), 1.0 / 3.0, 1e-12);
  comparison.results[5].makespan_s.ci95_high += 0.1;
  found = judge(comparison);
  EXPECT_EQ(found.ordered_pairs, 2);
  EXPECT_EQ(found.tau, 1.0);
}

TEST(Judge, HasNoOrderWithoutPairs) {
  const Comparison nothing;
  EXPECT_FALSE(judge(nothing).tau);
  EXPECT_TRUE(judge(nothing).policies.empty());
}

TEST(Judge, NamesThePolicyWhoseErrorIsTooLarge) {
  // a: 2 / 1.9 - 1 = 5.26 %, its mean known to 0.1 / 1.9 = 5.3 %; b: 6.25 %; c: 15.15 %
  Comparison comparison = three_policies();
  for (PolicyResult& result : comparison.results) {
    result.reps = 3;
    result.makespan_s.sd = 0.01;
  }
  EXPECT_EQ(error_complaint(judge(comparison), 0.16), "");
  EXPECT_EQ(error_complaint(judge(comparison), 0.1),
            "c's error of 15.15 % is above --max-error 10 %");
  EXPECT_EQ(error_complaint(judge(comparison), 0.06),
            "c's error of 15.15 % is above --max-error 6 %; so is that of b");
  comparison.results[5].makespan_s.sd = 1.0;
  EXPECT_EQ(
      error_complaint(judge(comparison), 0.06),
      "c's error of 15.15 % is above --max-error 6 %; so is that of b; c counts, although its "
      "runs are too noisy to judge: give more --reps, or run when nothing else does");
}

class Validate : public testing::Test {
 protected:
  [[nodiscard]] ProgramRun type(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"validate",
                                      "--unit",
                                      "cpu",
                                      "--unit",
                                      "cpu,slowdown=3",
                                      "--policy",
                                      "awf-c",
                                      "--reps",
                                      "2",
                                      "--seconds-max",
                                      "0.2",
                                      "--out",
                                      scratch.path("v")};
    words.insert(words.end(), more.begin(), more.end());
    return run_equipoise(words);
  }

  TemporaryFolder scratch;
};

TEST_F(Validate, RecordsSimulatesAndRunsTheSameThing) {
  const ProgramRun run = type({"--workload", "blackscholes:options=2e4,iterations=2", "--workload",
                               "matmul:n=64", "--max-error", "1e9%"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("error of the predicted makespan: median"), std::string::npos) << run.out;
  const Json json = Json::parse(read_text(scratch.path("v/validation.json")));
  EXPECT_EQ(json.at("schema"), "equipoise.validation/1");
  ASSERT_EQ(json.at("policies").size(), 2u);  // with the baseline
  for (const Json& policy : json.at("policies")) {
    EXPECT_EQ(policy.at("verified"), true);
    const Json& measured = policy.at("measured_s");
    EXPECT_DOUBLE_EQ(policy.at("measured_relative_sd"),
                     measured.at("sd").get<double>() / measured.at("mean").get<double>());
    EXPECT_TRUE(policy.at("too_noisy").is_boolean());
    EXPECT_NEAR(policy.at("predicted_s").at("mean").get<double>() /
                        policy.at("measured_s").at("mean").get<double>() -
                    1.0,
                policy.at("relative_error").get<double>(), 1e-12);
  }
  for (const char* file :
       {"platform.xml", "trace-blackscholes.jsonl", "trace-matmul.jsonl", "results.json",
        "results.csv", "report.html", "runs/awf-c-sim.jsonl", "runs/awf-c-real.jsonl"}) {
    EXPECT_TRUE(std::filesystem::exists(scratch.path(std::string("v/") + file))) << file;
  }
}

TEST_F(Validate, TakesPacedUnitsFromTheirTrace) {
  const std::string trace = scratch.write(
      "t.jsonl",
      "{\"schema\":\"equipoise.trace/1\",\"source\":\"recorded\",\"kernel\":\"blackscholes\","
      "\"item\":\"option\",\"provenance\":\"a test\",\"machine\":{},"
      "\"units\":[{\"id\":\"gpu\",\"kind\":\"gpu\"}]}\n"
      "{\"unit\":\"gpu\",\"items\":1000,\"compute_s\":0.0001,\"in_s\":1e-5,\"out_s\":1e-5}\n"
      "{\"unit\":\"gpu\",\"items\":10000,\"compute_s\":0.0004,\"in_s\":4e-5,\"out_s\":2e-5}\n");
  const ProgramRun run = type({"--workload", "blackscholes:options=1e5", "--unit",
                               "paced,trace_unit=gpu", "--trace", trace, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(
      Json::parse(run.out).at("policies").at(0).at("predicted_share_by_unit").contains("paced0"));
}

TEST_F(Validate, TellsInformedPoliciesWhatItRecorded) {
  const ProgramRun run = type({"--workload", "blackscholes:options=1e5", "--policy", "static",
                               "--policy", "optimum", "--max-error", "1e9%"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* file : {"static-sim", "static-real", "optimum-sim", "optimum-real"}) {
    const ProgramRun check = run_equipoise(
        {"replay", scratch.path(std::string("v/runs/") + file + ".jsonl"), "--check"});
    EXPECT_EQ(check.exit_code, 0) << file << check.err;
  }
}

TEST_F(Validate, SimulatesPacedUnitsAsSlowAsTheyAre) {
  const std::string trace = scratch.write(
      "t.jsonl",
      "{\"schema\":\"equipoise.trace/1\",\"source\":\"recorded\",\"kernel\":\"blackscholes\","
      "\"item\":\"option\",\"provenance\":\"a test\",\"machine\":{},"
      "\"units\":[{\"id\":\"gpu\",\"kind\":\"gpu\"}]}\n"
      "{\"unit\":\"gpu\",\"items\":1000,\"compute_s\":0.001}\n");
  const ProgramRun run =
      type({"--workload", "blackscholes:options=1e5", "--unit",
            "paced,trace_unit=gpu,id=half,slowdown=2", "--trace", trace, "--max-error", "1e9%"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const std::string& line : lines_of(read_text(scratch.path("v/runs/awf-c-sim.jsonl")))) {
    const Json record = Json::parse(line);
    if (!record.contains("compute_s") || record.at("unit") != "half") continue;
    const auto items = record.at("items").get<double>();
    EXPECT_NEAR(record.at("compute_s").get<double>(), 2e-6 * items, 1e-12 * items);
  }
}

TEST_F(Validate, FailsWhereAPredictionIsOffByMoreThanItMay) {
  const ProgramRun run = type({"--workload", "blackscholes:options=1e4", "--max-error", "1e-10%"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find(" % is above --max-error 1e-10 %"), std::string::npos) << run.err;
}

TEST_F(Validate, KeepsWhatItRecordedWhenItIsInterrupted) {
  // The interrupt comes when the first kernel is recorded, and the second takes long.
  const std::string first = scratch.path("v/trace-blackscholes.jsonl");
  const ProgramRun run =
      signal_equipoise({"validate", "--unit", "cpu", "--unit", "cpu", "--workload",
                        "blackscholes:options=2e4", "--workload", "matmul:n=3000", "--policy",
                        "awf-c", "--seconds-max", "120", "--out", scratch.path("v")},
                       SIGINT, [&] { return std::filesystem::exists(first); });
  EXPECT_EQ(run.exit_code, 130);
  EXPECT_NE(run.err.find("keeps what was recorded so far: "), std::string::npos) << run.err;
  const ProgramRun check =
      run_equipoise({"trace", "check", scratch.path("v/trace-blackscholes.jsonl")});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_EQ(run_equipoise({"platform", "check", scratch.path("v/platform.xml")}).exit_code, 0);
}

TEST_F(Validate, KeepsTheRepetitionsThatItRanWhenItIsInterrupted) {
  const auto has_ended = [&](const std::string& file) {
    return read_text(scratch.path("v/runs/" + file)).find("\"summary\":") != std::string::npos;
  };
  const ProgramRun run = signal_equipoise(
      {"validate", "--unit", "cpu", "--unit", "cpu", "--workload", "blackscholes:options=2e4",
       "--policy", "awf-c", "--seconds-max", "60", "--reps", "1000", "--out", scratch.path("v")},
      SIGINT, [&] { return has_ended("greedy-real.jsonl") && has_ended("awf-c-real.jsonl"); });
  EXPECT_EQ(run.exit_code, 130) << run.err;
  const Json json = Json::parse(read_text(scratch.path("v/results.json")));
  EXPECT_EQ(json.at("interrupted"), true);
  ASSERT_FALSE(json.at("results").empty());
  for (const Json& result : json.at("results")) {
    EXPECT_EQ(result.at("on"), "real");
    EXPECT_GE(result.at("reps"), 1);
    EXPECT_EQ(result.at("verified"), true);
  }
}

TEST_F(Validate, KeepsRealRunsWhenTheSimulationIsInterrupted) {
  const ProgramRun run = signal_equipoise(
      {"validate", "--unit", "cpu", "--unit", "cpu", "--workload", "blackscholes:options=2e4",
       "--policy", "ss", "--seconds-max", "0.1", "--reps", "40", "--out", scratch.path("v")},
      SIGTERM, [&] { return std::filesystem::exists(scratch.path("v/runs/ss-sim.jsonl")); });
  EXPECT_EQ(run.exit_code, 143) << run.err;
  const Json json = Json::parse(read_text(scratch.path("v/results.json")));
  EXPECT_EQ(json.at("interrupted"), true);
  std::map<std::string, int> real_reps;
  for (const Json& result : json.at("results")) {
    if (result.at("on") == "real") real_reps[result.at("policy")] = result.at("reps");
  }
  EXPECT_EQ(real_reps, (std::map<std::string, int>{{"greedy", 40}, {"ss", 40}}));
}

TEST_F(Validate, NeedsAUnitThatComputes) {
  const ProgramRun run =
      run_equipoise({"validate", "--unit", "paced,trace_unit=cuda0", "--trace",
                     "traces/sirocco-dgemm.jsonl", "--workload", "starpu_dgemm_gemm:items=1e4",
                     "--policy", "greedy", "--out", scratch.path("v")});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("give a unit that computes"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace equipoise::validate_test
