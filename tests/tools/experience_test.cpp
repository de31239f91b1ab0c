// Tests of --experience: what runs keep, and that later runs use it and say so.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/small_machine.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::experience_program_test {
namespace {

using Json = nlohmann::json;

class ExperienceOfRuns : public testing::Test {
 protected:
  /// `command` on the small machine with the experience file.
  ProgramRun run(const std::string& command, const std::string& policy,
                 const std::vector<std::string>& more = {}) {
    return run_equipoise(
        with(with(with({command}, machine_.words()),
                  {"--workload", "k:items=2000", "--policy", policy, "--experience", file_}),
             more));
  }

  TemporaryFolder folder_;
  SmallMachine machine_{folder_};
  std::string file_ = folder_.path("experience.json");
};

TEST_F(ExperienceOfRuns, IsKeptByEveryPolicyAndUsedByOurs) {
  const ProgramRun first = run("simulate", "greedy");
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.out.find("experienced"), std::string::npos) << first.out;
  EXPECT_EQ(Json::parse(read_text(file_)).at("learned").size(), 3u) << "one entry for each unit";

  const ProgramRun second = run("simulate", "equipoise", {"--out", folder_.path("run.jsonl")});
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_NE(second.out.find("; experienced;"), std::string::npos) << second.out;
  const Json header = Json::parse(lines_of(read_text(folder_.path("run.jsonl"))).front());
  EXPECT_TRUE(header.at("experienced").get<bool>());
  EXPECT_EQ(Json::parse(read_text(file_)).at("learned")[0].at("runs"), 2);

  const ProgramRun other = run("simulate", "awf-c");
  EXPECT_EQ(other.out.find("experienced"), std::string::npos) << "it does not use what is known";
}

TEST_F(ExperienceOfRuns, IsInTheRunFileSoThatReplaysDecideTheSame) {
  (void)run("simulate", "greedy");
  EXPECT_EQ(run("simulate", "equipoise", {"--out", folder_.path("run.jsonl")}).exit_code, 0);
  const ProgramRun check = run_equipoise({"replay", folder_.path("run.jsonl"), "--check"});
  EXPECT_EQ(check.exit_code, 0) << check.err;
}

TEST_F(ExperienceOfRuns, IsReadAndLeftAsItIsByComparisons) {
  (void)run("simulate", "greedy");
  const std::string before = read_text(file_);
  const ProgramRun table = run("compare", "equipoise", {"--reps", "2", "--best-known", "off"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_NE(table.out.find("experienced"), std::string::npos) << table.out;
  EXPECT_EQ(read_text(file_), before);
  const Json results =
      Json::parse(run("compare", "equipoise", {"--reps", "2", "--best-known", "off", "--json"}).out)
          .at("results");
  EXPECT_FALSE(results[0].at("experienced").get<bool>()) << "greedy";
  EXPECT_TRUE(results[1].at("experienced").get<bool>());
}

TEST_F(ExperienceOfRuns, IsToBeMadeBeforeAComparison) {
  const ProgramRun refused = run("compare", "equipoise");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("experience.json: there is no such file; simulate or run"),
            std::string::npos)
      << refused.err;
}

TEST_F(ExperienceOfRuns, IsNotKeptInTheRunFile) {
  for (const std::string& out : {file_, folder_.path("./experience.json")}) {
    const ProgramRun refused = run("simulate", "greedy", {"--out", out});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.err, "equipoise: error: --out: " + out +
                               " is also what --experience writes; give each a file of its own\n");
    EXPECT_FALSE(std::filesystem::exists(file_));
  }
}

TEST_F(ExperienceOfRuns, AtTheSameTimeArrivesWhole) {
  constexpr int runs = 8;
  {
    std::vector<std::jthread> running;
    for (int i = 0; i < runs; ++i) {
      running.emplace_back([this] {
        const ProgramRun of = run("simulate", "greedy");
        EXPECT_EQ(of.exit_code, 0) << of.err;
      });
    }
  }
  const Json learned = Json::parse(read_text(file_)).at("learned");
  EXPECT_EQ(learned.size(), 3u);
  for (const Json& entry : learned) {
    EXPECT_EQ(entry.at("runs"), runs) << entry.at("unit");
  }
}

TEST_F(ExperienceOfRuns, ThatCannotBeKeptTakesNothingElseAway) {
  file_ = folder_.path(std::string(250, 'e'));  // its temporary name is longer than names may be
  const ProgramRun failed = run("simulate", "greedy", {"--out", folder_.path("run.jsonl")});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_NE(failed.err.find("cannot be written: File name too long"), std::string::npos)
      << failed.err;
  EXPECT_NE(failed.out.find("run file: "), std::string::npos) << failed.out;
  const Json last = Json::parse(lines_of(read_text(folder_.path("run.jsonl"))).back());
  EXPECT_TRUE(last.at("verified").get<bool>());
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(ExperienceOfRuns, OfAnotherKernelIsNotUsed) {
  (void)run("simulate", "greedy");
  const ProgramRun other = run_equipoise(
      with(with({"simulate"}, machine_.words()),
           {"--workload", "l:items=2000", "--policy", "equipoise", "--experience", file_}));
  EXPECT_EQ(other.out.find("experienced"), std::string::npos) << other.out;
}

TEST_F(ExperienceOfRuns, IsNotReplacedByWhatIsNone) {
  folder_.write("experience.json", "{\"schema\":\"equipoise.results/1\"}\n");
  const ProgramRun refused = run("simulate", "equipoise");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("experience.json:1"), std::string::npos) << refused.err;
  EXPECT_EQ(read_text(file_), "{\"schema\":\"equipoise.results/1\"}\n");
}

}  // namespace
}  // namespace equipoise::experience_program_test
