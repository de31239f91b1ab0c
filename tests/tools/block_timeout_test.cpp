// Tests of --block-timeout: what it is if not typed, what headers say of it, and what replays take
// from them.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/small_machine.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::block_timeout_option_test {
namespace {

using Json = nlohmann::json;

/// A run file of `words`, and what its header says of the timeout.
class Runs {
 public:
  Json timeout_of(const std::vector<std::string>& words) {
    const ProgramRun run = run_equipoise(with(words, {"--out", file}));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(lines_of(read_text(file)).front()).at("block_timeout_s");
  }

  TemporaryFolder scratch;
  std::string file = scratch.path("run.jsonl");
};

const std::vector<std::string> real_run = {"run",      "--unit", "cpu",        "--unit",      "cpu",
                                           "--policy", "gss",    "--workload", "matmul:n=128"};

TEST(BlockTimeoutOption, IsAutomaticInRealTimeAndNoneInSimulationsUnlessTyped) {
  Runs runs;
  const SmallMachine machine(runs.scratch);
  const std::vector<std::string> work = {"--workload", "k:items=100", "--policy", "gss"};
  const std::vector<std::string> simulated = with(with({"simulate"}, machine.words()), work);
  const std::vector<std::string> paced =
      with(with({"run", "--on", "paced"}, machine.words()), with(work, {"--time-scale", "0.1"}));
  EXPECT_EQ(runs.timeout_of(real_run), "auto");
  EXPECT_EQ(runs.timeout_of(paced), "auto");
  EXPECT_EQ(runs.timeout_of(simulated), nullptr);
  EXPECT_EQ(runs.timeout_of(with(real_run, {"--block-timeout", "none"})), nullptr);
  EXPECT_EQ(runs.timeout_of(with(simulated, {"--block-timeout", "auto"})), "auto");
  EXPECT_EQ(runs.timeout_of(with(simulated, {"--block-timeout", "2 min"})), 120.0);
}

TEST(BlockTimeoutOption, OfAReplayIsThatOfTheRunUnlessTyped) {
  Runs runs;
  const std::string recorded = runs.file;
  ASSERT_EQ(runs.timeout_of(real_run), "auto");
  runs.file = runs.scratch.path("again.jsonl");
  const std::vector<std::string> again = {"replay", recorded, "--decisions"};
  EXPECT_EQ(runs.timeout_of(again), "auto");
  EXPECT_EQ(runs.timeout_of({"replay", recorded, "--on", "paced"}), "auto");
  EXPECT_EQ(runs.timeout_of(with(again, {"--block-timeout", "none"})), nullptr);
  EXPECT_EQ(runs.timeout_of(with(again, {"--block-timeout", "60"})), 60.0);
}

TEST(BlockTimeoutOption, OfARunWithoutOneIsNoneAgain) {
  Runs runs;
  ASSERT_EQ(runs.timeout_of(real_run), "auto");
  const std::string text = read_text(runs.file);
  const std::string timeout = R"("block_timeout_s":"auto")";
  ASSERT_NE(text.find(timeout), std::string::npos);
  for (const std::string other : {R"("block_timeout_s":null)", R"("older":true)"}) {
    std::string changed = text;
    changed.replace(text.find(timeout), timeout.size(), other);
    const std::string old = runs.scratch.write("old.jsonl", changed);
    EXPECT_EQ(runs.timeout_of({"replay", old, "--decisions"}), nullptr) << other;
  }
}

TEST(BlockTimeoutOption, LosesASilentUnitOfASimulationWhichIsDecidedTheSameAgain) {
  Runs runs;
  const SmallMachine machine(runs.scratch);
  const std::string scenario = runs.scratch.write(
      "scenario.json", R"({"schema":"equipoise.scenario/1","events":[)"
                       R"({"at_s":0.35,"unit":"a","kind":"slow","factor":1e6,"until_s":20}]})");
  // In blocks of 100 items, of which a does one in 0.1 s. b and c have done the rest by 1 s, and a
  // is late 10 s after the end of its last block.
  ASSERT_EQ(runs.timeout_of(with(with({"simulate"}, machine.words()),
                                 {"--workload", "k:items=3000", "--policy", "greedy", "--scenario",
                                  scenario, "--block-timeout", "auto"})),
            "auto");
  const std::vector<std::string> lines = lines_of(read_text(runs.file));
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const std::string& line) { return line.find("unit_lost") < 40; }),
            1);
  const Json summary = Json::parse(lines.back());
  EXPECT_TRUE(summary.at("verified"));
  EXPECT_GT(summary.at("items_redone"), 0);
  EXPECT_LT(summary.at("makespan_s"), 11.0);
  const ProgramRun check = run_equipoise({"replay", runs.file, "--check"});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  const ProgramRun again = run_equipoise({"replay", runs.file, "--decisions"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

TEST(BlockTimeoutOption, StandsInCampaignsAndResults) {
  Runs runs;
  const SmallMachine machine(runs.scratch);
  const auto campaign_of = [&](const std::string& timeout) {
    return runs.scratch.write("campaign.json",
                              R"({"schema":"equipoise.campaign/1","experiments":[{"name":"one",)"
                              R"("platform":"p.xml","traces":["k.jsonl","l.jsonl"],)"
                              R"("workloads":"k:items=100","policies":"gss","reps":1,)"
                              R"("block_timeout_s":)" +
                                  timeout + "}]}");
  };
  const std::string out = runs.scratch.path("out");
  const ProgramRun sweep = run_equipoise({"sweep", campaign_of(R"("auto")"), "--out", out});
  ASSERT_EQ(sweep.exit_code, 0) << sweep.err;
  const Json results = Json::parse(read_text(out + "/experiments/one/results.json"));
  EXPECT_EQ(results.at("experiment").at("sim").at("block_timeout_s"), "auto");
  const ProgramRun refused = run_equipoise({"sweep", campaign_of(R"("soon")"), "--out", out});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("'soon'"), std::string::npos) << refused.err;
}

TEST(BlockTimeoutOption, RefusesWhatIsNoTime) {
  for (const std::string typed : {"0", "-1s", "never"}) {
    const ProgramRun run = run_equipoise(with(real_run, {"--block-timeout", typed}));
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_NE(run.err.find("or auto or none"), std::string::npos) << run.err;
  }
}

}  // namespace
}  // namespace equipoise::block_timeout_option_test
