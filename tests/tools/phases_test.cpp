// Tests of runs with several workloads, one after another.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/small_machine.hpp"

namespace equipoise::phases_test {
namespace {

using Json = nlohmann::json;

class Phases : public testing::Test {
 protected:
  /// Runs `command` for the small machine and these phases.
  [[nodiscard]] ProgramRun type(const std::string& command,
                                const std::vector<std::string>& workloads,
                                const std::vector<std::string>& more) const {
    std::vector<std::string> words = {command};
    const std::vector<std::string> files = machine.words();
    words.insert(words.end(), files.begin(), files.end());
    for (const std::string& workload : workloads) {
      words.insert(words.end(), {"--workload", workload});
    }
    words.insert(words.end(), more.begin(), more.end());
    return run_equipoise(words);
  }

  [[nodiscard]] std::vector<Json> run_file(const std::vector<std::string>& workloads,
                                           const std::vector<std::string>& more) const {
    const std::string path = scratch.path("run.jsonl");
    std::vector<std::string> words = {"--out", path};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramRun run = type("simulate", workloads, words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    std::vector<Json> lines;
    for (const std::string& line : lines_of(read_text(path))) lines.push_back(Json::parse(line));
    return lines;
  }

  TemporaryFolder scratch;
  SmallMachine machine{scratch};
};

TEST_F(Phases, FollowOneAnotherBehindABarrier) {
  const std::vector<Json> lines =
      run_file({"k:items=1000", "l:items=500"}, {"--policy", "greedy", "--noise", "off"});
  EXPECT_EQ(lines.front().at("workloads").at(0).at("kernel"), "k");
  EXPECT_EQ(lines.front().at("workloads").at(1).at("kernel"), "l");
  double first_end_s = 0.0;
  double second_begin_s = 1e9;
  for (const Json& line : lines) {
    if (!line.contains("first_item")) continue;
    if (line.at("phase") == 0) {
      first_end_s = std::max(first_end_s, line.at("end_s").get<double>());
    } else {
      second_begin_s = std::min(second_begin_s, line.at("assigned_s").get<double>());
    }
  }
  EXPECT_GT(first_end_s, 0.0);
  EXPECT_GE(second_begin_s, first_end_s);
  const Json& phases = lines.back().at("phases");
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_DOUBLE_EQ(phases[0].at("end_s"), first_end_s);
  EXPECT_DOUBLE_EQ(phases[1].at("end_s"), lines.back().at("makespan_s"));
  for (const std::size_t phase : {0u, 1u}) {
    long items = 0;
    double shares = 0.0;
    for (const Json& unit : phases[phase].at("by_unit")) {
      items += unit.at("items").get<long>();
      shares += unit.at("share").get<double>();
    }
    EXPECT_EQ(items, phase == 0 ? 1000 : 500);
    EXPECT_NEAR(shares, 1.0, 1e-12);
  }
}

TEST_F(Phases, HaveTheCostsOfTheirOwnTraces) {
  // Each phase has one block on every unit, whose setup is the first use.
  const std::vector<Json> lines = run_file({"k:items=3,grain_items=1", "l:items=3,grain_items=1"},
                                           {"--policy", "ss", "--noise", "off"});
  EXPECT_EQ(lines.front().at("dispatch_cost_s"), Json::parse("[1e-5,3e-5]"));
  for (const Json& line : lines) {
    if (!line.contains("first_item")) continue;
    const bool is_first = line.at("phase") == 0;
    EXPECT_NEAR(line.at("setup_s"), is_first ? 0.002 : 0.001, 1e-12);
    const double waited_s = line.at("end_s").get<double>() - line.at("assigned_s").get<double>() -
                            line.at("setup_s").get<double>() - line.at("in_s").get<double>() -
                            line.at("compute_s").get<double>() - line.at("out_s").get<double>();
    EXPECT_NEAR(waited_s, is_first ? 1e-5 : 3e-5, 1e-9);
  }
  const std::vector<Json> given =
      run_file({"k:items=3", "l:items=3"}, {"--policy", "ss", "--dispatch-cost", "0.5"});
  EXPECT_EQ(given.front().at("dispatch_cost_s"), Json::parse("[0.5,0.5]"));
}

TEST_F(Phases, HaveTheControllerThatIsTyped) {
  // Three units ask at once: the controller takes 0.5 s for each block, and 0.25 s for a report.
  const std::vector<Json> lines = run_file(
      {"k:items=6"}, {"--policy", "ss", "--noise", "off", "--controller-cost", "0.25,0.5"});
  EXPECT_EQ(lines.front().at("controller_cost"),
            Json::parse(R"({"report_s":0.25,"block_s":0.5,"byte_s":0.0})"));
  std::vector<double> assigned_s;
  for (const Json& line : lines) {
    if (line.contains("first_item")) assigned_s.push_back(line.at("assigned_s"));
  }
  std::ranges::sort(assigned_s);
  const std::vector<double> expected = {0.0, 0.5, 1.0, 1.75, 2.5, 3.25};
  ASSERT_EQ(assigned_s.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(assigned_s[i], expected[i], 1e-9);
}

TEST_F(Phases, HaveBoundsThatAddUpToTheRuns) {
  const ProgramRun k = type("optimum", {"k:items=1000"}, {"--json"});
  const ProgramRun l = type("optimum", {"l:items=500"}, {"--json"});
  const ProgramRun both = type("optimum", {"k:items=1000", "l:items=500"}, {"--json"});
  ASSERT_EQ(both.exit_code, 0) << both.err;
  const Json phases = Json::parse(both.out).at("phases");
  ASSERT_EQ(phases.size(), 2u);
  const double k_s = Json::parse(k.out).at("lower_bound_s");
  const double l_s = Json::parse(l.out).at("lower_bound_s");
  EXPECT_DOUBLE_EQ(phases[0].at("lower_bound_s"), k_s);
  EXPECT_DOUBLE_EQ(phases[1].at("lower_bound_s"), l_s);
  EXPECT_DOUBLE_EQ(Json::parse(both.out).at("lower_bound_s"), k_s + l_s);
  EXPECT_EQ(phases[1].at("kernel"), "l");
  const ProgramRun text = type("optimum", {"k:items=1000", "l:items=500"}, {});
  EXPECT_NE(text.out.find("phase 1, k: ends at"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("phase 2, l: ends at"), std::string::npos) << text.out;
}

TEST_F(Phases, StandInResultsWithTheirShares) {
  const ProgramRun run =
      type("compare", {"k:items=1000", "l:items=500"},
           {"--policy", "greedy", "--policy", "optimum", "--reps", "2", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json results = Json::parse(run.out).at("results");
  for (const Json& result : results) {
    const Json& phases = result.at("phases");
    ASSERT_EQ(phases.size(), 2u);
    EXPECT_LT(phases[0].at("end_s"), phases[1].at("end_s"));
    double shares = 0.0;
    for (const Json& share : phases[1].at("share_by_unit")) shares += share.get<double>();
    EXPECT_NEAR(shares, 1.0, 1e-12);
  }
  const ProgramRun one = type("compare", {"k:items=1000"}, {"--policy", "greedy", "--json"});
  EXPECT_TRUE(Json::parse(one.out).at("results").at(0).at("phases").is_null());
}

TEST_F(Phases, OfAKernelThatIsKnownAreNotTrainedForAgain) {
  for (const char* policy : {"plb-hec", "plb-hac"}) {
    SCOPED_TRACE(policy);
    const std::vector<Json> lines =
        run_file({"k:items=4000", "l:items=4000", "k:items=4000"}, {"--policy", policy});
    std::vector<int> training(3, 0);
    std::vector<int> blocks(3, 0);
    for (const Json& line : lines) {
      if (!line.contains("first_item")) continue;
      const auto phase = line.at("phase").get<std::size_t>();
      ++blocks[phase];
      if (line.at("tag") == "train") ++training[phase];
    }
    EXPECT_GT(training[0], 0);
    EXPECT_GT(training[1], 0);
    EXPECT_GT(blocks[2], 0);
    EXPECT_EQ(training[2], 0);
  }
}

}  // namespace
}  // namespace equipoise::phases_test
