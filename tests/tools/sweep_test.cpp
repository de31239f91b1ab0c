// Tests of sweeps in the program: complete, killed, split into shards, and repeated.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/small_machine.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::sweep_test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const std::string small = "tools/campaigns/small.json";
/// 8 experiments with 4 policies and 3 repetitions, and two searches (without and with noise) for
/// each experiment.
constexpr std::size_t small_lines = 8 * 4 * 3 + 8 + 8;

/// The lines of a sweep's points and schedules without headers, sorted so that the order does not
/// depend on which point ended first.
std::vector<std::string> points_in(const std::string& folder) {
  std::vector<std::string> points;
  if (!fs::exists(folder)) return points;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with("points")) continue;
    for (const std::string& line : lines_of(read_text(entry.path()))) {
      if (line.starts_with("{\"key\"")) points.push_back(line);
    }
  }
  std::sort(points.begin(), points.end());
  return points;
}

/// The text of a file. Of results.json without the member that says when and where it was made; of
/// a page, which is made from results.json and shows that member, nothing.
std::string lasting_text(const fs::path& file) {
  if (file.filename() == "report.html") return {};
  if (file.filename() != "results.json") return read_text(file);
  Json results = Json::parse(read_text(file));
  EXPECT_EQ(results.erase("environment"), 1u);
  return results.dump();
}

/// All result files of a sweep as one text.
std::string results_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (entry.is_regular_file() && !name.starts_with("points") && !name.starts_with(".")) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::string all;
  for (const std::string& file : files) {
    all += fs::relative(file, folder).string() + "\n" + lasting_text(file);
  }
  return all;
}

/// The small campaign after a complete sweep without interruption.
class Sweep : public testing::Test {
 protected:
  void SetUp() override {
    const ProgramRun run = run_equipoise({"sweep", small, "--out", scratch.path("whole")});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    ASSERT_EQ(points_in(scratch.path("whole")).size(), small_lines);
  }

  void expect_like_whole(const std::string& folder) {
    EXPECT_EQ(points_in(folder), points_in(scratch.path("whole")));
    EXPECT_EQ(results_in(folder), results_in(scratch.path("whole")));
  }

  TemporaryFolder scratch;
};

TEST_F(Sweep, WritesResultsOfEveryExperimentAndTables) {
  const std::string folder = scratch.path("whole");
  const Json results =
      Json::parse(read_text(folder + "/experiments/idgraf-sgemm-2e4/results.json"));
  EXPECT_EQ(results.at("schema"), "equipoise.results/1");
  ASSERT_EQ(results.at("results").size(), 4u);
  for (const Json& result : results.at("results")) {
    EXPECT_EQ(result.at("reps"), 3);
    EXPECT_EQ(result.at("verified"), true);
  }
  const Json summary = Json::parse(read_text(folder + "/summary.json"));
  EXPECT_EQ(summary.at("schema"), "equipoise.sweep/1");
  EXPECT_EQ(summary.at("experiments").size(), 8u);
  EXPECT_EQ(lines_of(read_text(folder + "/experiments/idgraf-sgemm-2e4/results.csv")).size(),
            1u + 4u);  // headings, and a line for each policy
  EXPECT_NE(read_text(folder + "/table.md").find("| idgraf-sgemm-2e4 |"), std::string::npos);
  EXPECT_NE(read_text(folder + "/report.html").find("idgraf-sgemm-2e4/report.html"),
            std::string::npos);
}

TEST_F(Sweep, GivesTheNumbersOfCompare) {
  const ProgramRun run = run_equipoise(
      {"compare", "--platform", "platforms/idgraf.xml", "--trace", "traces/idgraf-sgemm.jsonl",
       "--workload", "starpu_sgemm_gemm:items=2e4", "--policy", "greedy", "--policy", "static",
       "--policy", "plb-hec", "--policy", "optimum", "--reps", "3", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  Json swept =
      Json::parse(read_text(scratch.path("whole") + "/experiments/idgraf-sgemm-2e4/results.json"));
  Json compared = Json::parse(run.out);
  for (Json* const results : {&swept, &compared}) {
    EXPECT_EQ(results->erase("environment"), 1u);
    for (Json& input : results->at("experiment").at("inputs")) {
      input["file"] = fs::path(input.at("file").get<std::string>()).filename();
    }
    // A campaign asks for no intervals.
    for (Json& result : results->at("results")) EXPECT_EQ(result.erase("interval_note"), 1u);
  }
  EXPECT_EQ(swept, compared);
}

TEST_F(Sweep, GoesOnWhereAKilledOneStopped) {
  const std::string folder = scratch.path("killed");
  int kills = 0;
  for (std::size_t until : {0u, 1u, 7u, 20u, 21u, 60u, 103u}) {
    const std::size_t before = points_in(folder).size();
    const ProgramRun run = signal_equipoise({"sweep", small, "--out", folder}, SIGKILL,
                                            [&] { return points_in(folder).size() > until; });
    if (run.exit_code == -9) ++kills;
    EXPECT_GE(points_in(folder).size(), before);
    // A torn line, as after a kill in the middle of a write.
    if (fs::exists(folder + "/points.jsonl") && run.exit_code == -9) {
      std::ofstream(folder + "/points.jsonl", std::ios::app) << "{\"key\":\"torn";
    }
  }
  EXPECT_GE(kills, 3);
  const ProgramRun run = run_equipoise({"sweep", small, "--out", folder});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  expect_like_whole(folder);
}

TEST_F(Sweep, IsTheSameInShards) {
  const std::string folder = scratch.path("shards");
  for (const char* shard : {"2/3", "3/3"}) {
    const ProgramRun run = run_equipoise({"sweep", small, "--out", folder, "--shard", shard});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_FALSE(fs::exists(folder + "/summary.json"));
  }
  EXPECT_LT(points_in(folder).size(), small_lines);
  const ProgramRun run = run_equipoise({"sweep", small, "--out", folder, "--shard", "1/3"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  expect_like_whole(folder);
}

TEST_F(Sweep, SaysInJsonWhatIsStillToCome) {
  const ProgramRun run =
      run_equipoise({"sweep", small, "--out", scratch.path("half"), "--shard", "1/2", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json progress = Json::parse(run.out);
  EXPECT_EQ(progress.at("schema"), "equipoise.sweep-progress/1");
  EXPECT_EQ(progress.at("still_to_come"), small_lines - points_in(scratch.path("half")).size());
  ASSERT_EQ(progress.at("experiments").size(), 8u);
  std::size_t done = 0;
  for (const Json& experiment : progress.at("experiments")) {
    EXPECT_EQ(experiment.at("points"), 12);  // 4 policies, 3 repetitions
    done += experiment.at("points_done").get<std::size_t>() +
            (experiment.at("schedule_searched").get<bool>() ? 1 : 0) +
            (experiment.at("best_known_searched").get<bool>() ? 1 : 0);
  }
  EXPECT_EQ(done, points_in(scratch.path("half")).size());
}

TEST_F(Sweep, SimulatesNothingTwice) {
  const std::string folder = scratch.path("whole");
  const std::string results = results_in(folder);
  const ProgramRun run = run_equipoise({"sweep", small, "--out", folder});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("to simulate: 0"), std::string::npos) << run.out;
  EXPECT_EQ(points_in(folder).size(), small_lines);
  EXPECT_EQ(results_in(folder), results);
}

/// The text of the small campaign with paths that hold in every folder.
std::string small_text() {
  std::string text = read_text(repository() / small);
  for (std::size_t at = 0; (at = text.find("../..", at)) != std::string::npos; ++at) {
    text.replace(at, 5, repository().string());
  }
  return text;
}

TEST_F(Sweep, NeedsOneSearchWhereThereIsNoNoise) {
  std::string text = small_text();
  text.replace(text.find("\"reps\": 3"), 9, "\"reps\": 1, \"noise\": false");
  const ProgramRun run = run_equipoise({"sweep", scratch.write("quiet.json", text), "--out",
                                        scratch.path("quiet"), "--shard", "1/2", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json printed = Json::parse(run.out);
  for (const Json& experiment : printed.at("experiments")) {
    EXPECT_EQ(experiment.at("best_known_searched"), true) << experiment;
  }
}

TEST_F(Sweep, NoticesAChangedCampaign) {
  const std::string folder = scratch.path("whole");
  std::string text = small_text();
  text.replace(text.find("\"reps\": 3"), 9, "\"reps\": 4");
  text.replace(text.find("\"2e4\""), 5, "\"3e4\"");
  const ProgramRun run =
      run_equipoise({"sweep", scratch.write("changed.json", text), "--out", folder});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.err.find("48 points in " + folder + " belong to another campaign"),
            std::string::npos)
      << run.err;
  // 4 experiments are new (4 policies, 4 repetitions), and 4 have one more repetition.
  EXPECT_NE(run.out.find("to simulate: 80"), std::string::npos) << run.out;
}

TEST_F(Sweep, RunsOnlyTheExperimentsThatAreAskedFor) {
  const std::string folder = scratch.path("some");
  const std::vector<std::string> sweep = {"sweep", small, "--out", folder, "--only"};
  const ProgramRun some = run_equipoise(with(sweep, {"idgraf-*"}));
  ASSERT_EQ(some.exit_code, 0) << some.err;
  const Json summary = Json::parse(read_text(folder + "/summary.json"));
  ASSERT_FALSE(summary.at("experiments").empty());
  EXPECT_LT(summary.at("experiments").size(), 8u);
  for (const Json& experiment : summary.at("experiments")) {
    EXPECT_TRUE(experiment.at("name").get<std::string>().starts_with("idgraf-"));
  }
  // Points of experiments that were left out are no strangers.
  const ProgramRun other =
      run_equipoise({"sweep", small, "--out", scratch.path("whole"), "--only", "idgraf-sgemm-2e4"});
  ASSERT_EQ(other.exit_code, 0) << other.err;
  EXPECT_EQ(other.err.find("belong to another"), std::string::npos) << other.err;
  EXPECT_NE(other.out.find("to simulate: 0"), std::string::npos) << other.out;
  // The summary of all stays.
  EXPECT_NE(other.err.find("stay those of more experiments"), std::string::npos) << other.err;
  EXPECT_EQ(other.out.find("table.md"), std::string::npos) << other.out;
  EXPECT_EQ(Json::parse(read_text(scratch.path("whole/summary.json"))).at("experiments").size(),
            8u);
  const ProgramRun none = run_equipoise(with(sweep, {"nowhere*"}));
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("--only: no experiment"), std::string::npos) << none.err;
}

TEST(SweepFailures, AreTriedAgainAndKeepNothingFromEnding) {
  const TemporaryFolder scratch;
  const SmallMachine machine(scratch);
  static_cast<void>(scratch.write("all-fail.json", R"({"schema":"equipoise.scenario/1","events":[)"
                                                   R"({"at_s":0.1,"unit":"a","kind":"fail"},)"
                                                   R"({"at_s":0.1,"unit":"b","kind":"fail"},)"
                                                   R"({"at_s":0.1,"unit":"c","kind":"fail"}]})"));
  const std::string campaign = scratch.write(
      "c.json",
      R"({"schema":"equipoise.campaign/1","policies":["greedy","optimum"],"reps":2,)"
      R"("platform":"p.xml","traces":"k.jsonl","workloads":"k:items=2000","experiments":[)"
      R"({"name":"lost","scenario":"all-fail.json"},{"name":"whole"}]})");
  const std::string out = scratch.path("out");
  for (const char* to_simulate : {"to simulate: 8", "to simulate: 4"}) {
    const ProgramRun run = run_equipoise({"sweep", campaign, "--out", out});
    EXPECT_EQ(run.exit_code, 1) << run.err;
    EXPECT_NE(run.out.find(to_simulate), std::string::npos) << run.out;
    EXPECT_NE(run.err.find("lost: greedy, repetition 1: no unit was left"), std::string::npos)
        << run.err;
    const Json summary = Json::parse(read_text(out + "/summary.json"));
    EXPECT_TRUE(summary.at("experiments").at(0).at("best_known_s").is_null());
    EXPECT_TRUE(summary.at("experiments").at(0).at("policies").empty());
    EXPECT_EQ(summary.at("experiments").at(1).at("policies").size(), 2u);
    EXPECT_EQ(summary.at("policies").at(0).at("experiments"), 1);
  }
}

TEST(SweepRefusals, TellEverythingThatIsWrongBeforeAnythingRuns) {
  const TemporaryFolder scratch;
  const std::string campaign = scratch.write(
      "c.json",
      "{\"schema\":\"equipoise.campaign/1\",\"policies\":[\"gredy\"],\n\"experiments\":[\n"
      "{\"name\":\"a\",\"platform\":\"none.xml\",\"traces\":\"none.jsonl\",\"workloads\":\"k\"},\n"
      "{\"name\":\"b\",\"platfrom\":\"p\"}]}");
  const std::string out = scratch.path("out");
  const ProgramRun run = run_equipoise({"sweep", campaign, "--out", out});
  EXPECT_EQ(run.exit_code, 2);
  const std::vector<std::string> lines = lines_of(run.err);
  ASSERT_EQ(lines.size(), 3u) << run.err;
  for (const std::string& line : lines) {
    EXPECT_TRUE(line.starts_with("equipoise: error: " + campaign + ":")) << line;
  }
  EXPECT_NE(run.err.find("'platform'"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("greedy"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("none.xml"), std::string::npos) << run.err;
  EXPECT_FALSE(fs::exists(out));
}

TEST(SweepRefusals, NameAShardThatIsNone) {
  const TemporaryFolder scratch;
  const ProgramRun run =
      run_equipoise({"sweep", small, "--out", scratch.path("out"), "--shard", "4/3"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("--shard: '4/3' is no shard"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace equipoise::sweep_test
