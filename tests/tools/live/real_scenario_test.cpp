// Tests of scenarios on real units in the program.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::real_scenario_test {
namespace {

using Json = nlohmann::json;

class RealScenarios : public testing::Test {
 protected:
  [[nodiscard]] std::string write(const std::string& events) const {
    return scratch.write("s.json",
                         R"({"schema":"equipoise.scenario/1","events":[)" + events + "]}");
  }

  /// Two units price options in `iterations` iterations.
  [[nodiscard]] ProgramRun run(const std::string& events, const std::vector<std::string>& more = {},
                               const std::string& command = "run", int iterations = 200) const {
    std::vector<std::string> words = {
        command,
        "--unit",
        "cpu",
        "--unit",
        "cpu,slowdown=2",
        "--workload",
        "blackscholes:options=1e5,iterations=" + std::to_string(iterations),
        "--policy",
        "greedy",
        "--scenario",
        write(events)};
    words.insert(words.end(), more.begin(), more.end());
    return run_equipoise(words);
  }

  TemporaryFolder scratch;
};

TEST_F(RealScenarios, AreInTheJournalAndTheNumbersVerify) {
  const std::string file = scratch.path("run.jsonl");
  const ProgramRun done =
      run(R"({"at_s":0.001,"unit":"cpu0","kind":"compete","share":0.5,"until_s":0.1},)"
          R"({"at_s":0.002,"unit":"cpu1","kind":"slow","factor":3},)"
          R"({"at_s":0.003,"link":"RAM-cpu1","kind":"bandwidth","factor":0.5},)"
          R"({"at_s":0.01,"unit":"cpu1","kind":"fail"},{"at_s":0.02,"unit":"cpu1","kind":"join"})",
          {"--out", file, "--json"}, "run", 150);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const Json summary = Json::parse(done.out);
  EXPECT_EQ(summary.at("verified"), true);
  EXPECT_EQ(summary.at("items"), 15'000'000);
  EXPECT_EQ(summary.at("loads").at(0).at("unit"), "cpu0");
  EXPECT_EQ(summary.at("loads").at(0).at("share"), 0.5);
  EXPECT_GT(summary.at("loads").at(0).at("measured_share"), 0.0);
  std::vector<std::string> happened;
  for (const std::string& line : lines_of(read_text(file))) {
    if (line.find("\"event\"") == std::string::npos) continue;
    const Json record = Json::parse(line);
    if (!record.contains("event") || record.at("event") == "iteration_started") continue;
    if (record.at("event") == "block_lost") continue;
    happened.push_back(record.at("event").get<std::string>() + " " +
                       std::to_string(record.at("at_s").get<double>()));
  }
  EXPECT_EQ(happened,
            (std::vector<std::string>{"compete 0.001000", "slow 0.002000", "bandwidth 0.003000",
                                      "fail 0.010000", "unit_lost 0.010000", "join 0.020000",
                                      "unit_joined 0.020000"}));
}

TEST_F(RealScenarios, MayNotMakeAUnitFasterThanItIs) {
  const ProgramRun refused = run(R"({"at_s":0,"unit":"cpu0","kind":"slow","factor":0.5})");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("s.json: makes unit cpu0 2 times as fast as it is"), std::string::npos)
      << refused.err;
  // The other unit has a slow-down of its own, so it can be made faster.
  EXPECT_EQ(run(R"({"at_s":0,"unit":"cpu1","kind":"slow","factor":0.5})").exit_code, 0);
}

TEST_F(RealScenarios, NameUnitsAndLinksThatAreThere) {
  const ProgramRun unit = run(R"({"at_s":0,"unit":"cpu7","kind":"slow","factor":2})");
  EXPECT_EQ(unit.exit_code, 2);
  EXPECT_NE(unit.err.find("cpu7"), std::string::npos) << unit.err;
  const ProgramRun link = run(R"({"at_s":0,"link":"pcie0","kind":"bandwidth","factor":0.5})");
  EXPECT_EQ(link.exit_code, 2);
  EXPECT_NE(link.err.find("pcie0"), std::string::npos) << link.err;
}

TEST_F(RealScenarios, OfUnitsThatAllFailLeaveAnIncompleteRunThatIsSaidToBeOne) {
  const ProgramRun lost = run(R"({"at_s":0.001,"unit":"cpu0","kind":"fail"},)"
                              R"({"at_s":0.001,"unit":"cpu1","kind":"fail"})");
  EXPECT_EQ(lost.exit_code, 1);
  EXPECT_NE(lost.err.find("no unit was left"), std::string::npos) << lost.err;
}

TEST_F(RealScenarios, ArePartOfComparisonsToo) {
  const ProgramRun done =
      run(R"({"at_s":0.002,"unit":"cpu1","kind":"fail","until_s":0.01})",
          {"--on", "real", "--reps", "2", "--policy", "awf-c", "--json"}, "compare", 40);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const Json results = Json::parse(done.out).at("results");
  for (const Json& result : results) {
    EXPECT_EQ(result.at("verified"), true);
    EXPECT_EQ(result.at("on"), "real");
  }
}

}  // namespace
}  // namespace equipoise::real_scenario_test
