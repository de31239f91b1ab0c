// The program under mpirun: ranks on this machine, as on several.
#include <gtest/gtest.h>

#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "real/mpi/mpi_module.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::nodes_test {
namespace {

using Json = nlohmann::json;

const char* const mpirun = "/usr/bin/mpirun";

class UnderMpirun : public testing::Test {
 protected:
  void SetUp() override {
    if (!mpi_version()) GTEST_SKIP() << "built without MPI";
    if (::access(mpirun, X_OK) != 0) GTEST_SKIP() << "there is no " << mpirun;
    for (const char* const allowed : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"}) {
      ::setenv(allowed, "1", 1);
    }
    // Open MPI unloads what it has leaked, so that no suppression finds it. Tests of ranks that are
    // threads (threads_tests) find leaks of ours.
    const char* const options = ::getenv("ASAN_OPTIONS");
    const std::string before = options == nullptr ? "" : std::string(options) + ":";
    ::setenv("ASAN_OPTIONS", (before + "detect_leaks=0").c_str(), 1);
  }

  /// Runs the program with `ranks` ranks. A run that takes two minutes is ended.
  [[nodiscard]] static ProgramRun type(int ranks, const std::vector<std::string>& words) {
    std::vector<std::string> all = {"-k",
                                    "5",
                                    "120",
                                    mpirun,
                                    "--oversubscribe",
                                    "--bind-to",
                                    "none",
                                    "-n",
                                    std::to_string(ranks),
                                    program_file()};
    all.insert(all.end(), words.begin(), words.end());
    return run_copy("/usr/bin/timeout", all);
  }

  TemporaryFolder scratch;
};

TEST_F(UnderMpirun, EachRankDoesSomeOfTheItemsWhichAreVerified) {
  const std::string out = scratch.path("run.jsonl");
  const ProgramRun run = type(2, {"run", "--unit", "cpu", "--workload", "matmul:n=400", "--policy",
                                  "greedy:pieces=40", "--out", out, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json summary = Json::parse(run.out);
  EXPECT_EQ(summary.at("verified"), true);
  EXPECT_GT(summary.at("by_unit").at("node0.cpu0").at("items"), 0);
  EXPECT_GT(summary.at("by_unit").at("node1.cpu0").at("items"), 0);
  EXPECT_GT(summary.at("clocks").at(0).at("error_s"), 0.0);
  int clock_errors = 0;
  for (const std::string& text : lines_of(read_text(out))) {
    const Json line = Json::parse(text);
    if (line.value("what", "") != "clock_error_s") continue;
    EXPECT_EQ(line.at("domain"), "node1");
    EXPECT_GT(line.at("value"), 0.0);
    ++clock_errors;
  }
  EXPECT_EQ(clock_errors, 2) << "when it begins and when it ends";
  const Json header = Json::parse(lines_of(read_text(out)).front());
  EXPECT_EQ(header.at("units").at(1).at("node"), "node1");
  EXPECT_EQ(header.at("units").at(1).at("is_remote"), true);
}

TEST_F(UnderMpirun, IterationsWithResidentDataAndTwoPhasesAreVerified) {
  const ProgramRun run =
      type(4, {"run", "--unit", "cpu", "--workload", "kmeans:points=20000,iterations=3",
               "--workload", "nbody:bodies=600,iterations=2", "--policy", "plb-hec", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(Json::parse(run.out).at("verified"), true);
}

/// One of each family that needs no times from before.
TEST_F(UnderMpirun, PoliciesOfEveryFamilyEndTheirRuns) {
  const std::string out = scratch.path("c");
  const ProgramRun run =
      type(2, {"compare", "--on", "real", "--unit", "cpu", "--workload", "blackscholes:options=2e5",
               "--policy", "plb-hec,hdss,acosta,hierarchical,gss,awf-b,static-steal,equipoise,dmda",
               "--reps", "1", "--out", out, "--quiet"});
  ASSERT_EQ(run.exit_code, 0) << run.err << run.out;
  const Json results = Json::parse(read_text(out + "/results.json"));
  EXPECT_EQ(results.at("results").size(), 10U) << "and greedy";
  for (const Json& result : results.at("results")) {
    EXPECT_EQ(result.at("verified"), true) << result.at("policy");
  }
}

/// The same of policies by which the master divides among nodes, whose agents divide by another.
TEST_F(UnderMpirun, PoliciesOfEveryFamilyDivideAmongNodes) {
  const std::string out = scratch.path("c");
  const ProgramRun run =
      type(2, {"compare", "--on", "real", "--unit", "cpu", "--unit", "cpu,slowdown=2", "--workload",
               "blackscholes:options=1e4", "--policy",
               "plb-hec,hdss,acosta,hierarchical,gss,awf-b,static-steal,equipoise,dmda",
               "--per-node", "awf-c", "--reps", "1", "--out", out, "--quiet"});
  ASSERT_EQ(run.exit_code, 0) << run.err << run.out;
  const Json results = Json::parse(read_text(out + "/results.json"));
  EXPECT_EQ(results.at("results").size(), 10U) << "and greedy";
  for (const Json& result : results.at("results")) {
    EXPECT_EQ(result.at("verified"), true) << result.at("policy");
    const auto policy = result.at("policy").get<std::string>();
    const ProgramRun check =
        run_equipoise({"replay", "--check", out + "/runs/" + policy + "-real.jsonl"});
    EXPECT_EQ(check.exit_code, 0) << policy << ": " << check.err;
  }
}

TEST_F(UnderMpirun, PartsOfEachBlockOfANodeAreInTheRunFile) {
  const std::string out = scratch.path("run.jsonl");
  const ProgramRun run =
      type(3, {"run", "--unit", "cpu", "--unit", "cpu", "--workload",
               "kmeans:points=20000,iterations=3", "--policy", "gss", "--per-node", "plb-hec",
               "--link-bandwidth", "1Gb/s", "--out", out, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(Json::parse(run.out).at("verified"), true);
  std::map<std::uint64_t, std::int64_t> of_nodes;
  std::map<std::uint64_t, std::int64_t> of_parts;
  for (const std::string& text : lines_of(read_text(out))) {
    const Json line = Json::parse(text);
    if (!line.contains("block") || line.contains("event")) continue;
    const auto items = line.at("items").get<std::int64_t>();
    if (line.contains("node_block")) {
      of_parts[line["node_block"].get<std::uint64_t>()] += items;
      EXPECT_EQ(line["unit"].get<std::string>().find(line["node"].get<std::string>() + "."), 0U);
    } else {
      of_nodes[line["block"].get<std::uint64_t>()] += items;
    }
  }
  EXPECT_GE(of_nodes.size(), 9U);
  EXPECT_EQ(of_nodes, of_parts);
  EXPECT_EQ(run_equipoise({"replay", "--check", out}).exit_code, 0);
  const ProgramRun again = type(3, {"replay", "--decisions", out, "--json"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(Json::parse(again.out).at("again").at("verified"), true);
}

/// Copies of parts that go on when their node's block is done.
TEST(NodesOfOneProcess, DivideWithBackupTasksBesideASlowUnit) {
  const TemporaryFolder folder;
  const std::string out = folder.path("run.jsonl");
  const ProgramRun run =
      run_equipoise({"run", "--unit", "cpu,node=a", "--unit", "cpu,slowdown=8,node=a", "--unit",
                     "cpu,node=b", "--workload", "blackscholes:options=3e5", "--policy", "gss",
                     "--per-node", "greedy:backup=on", "--out", out, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(Json::parse(run.out).at("verified"), true);
  EXPECT_EQ(run_equipoise({"replay", "--check", out}).exit_code, 0);
}

TEST(NodesOfOneProcess, AreNotCalledAsOneOfTheirUnits) {
  const ProgramRun run = run_equipoise({"run", "--unit", "cpu,id=a,node=a", "--workload",
                                        "matmul:n=9", "--policy", "gss", "--per-node", "gss"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("a unit and its node are both called a"), std::string::npos) << run.err;
}

TEST_F(UnderMpirun, APolicyOfNodesThatIsNoneIsRefusedAndNobodyWaits) {
  const ProgramRun run = type(3, {"run", "--unit", "cpu", "--workload", "matmul:n=9", "--policy",
                                  "greedy", "--per-node", "gready"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("--per-node"), std::string::npos) << run.err;
}

TEST_F(UnderMpirun, APolicyThatThrowsOnANodeEndsTheRun) {
  const std::string unruly = (folder_of_this_program() / "policies" / "unruly.so").string();
  const std::string ranks = scratch.write("ranks.txt", "\n--unit cpu\n");
  const ProgramRun run =
      type(2, {"run", "--units-per-rank", ranks, "--workload", "blackscholes:options=1e4",
               "--policy", "greedy", "--per-node", unruly + ":does=throws", "--quiet"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("equipoise: error: " + unruly + ": node1 ("), std::string::npos)
      << run.err;
  EXPECT_NE(run.err.find("nothing comes to mind"), std::string::npos) << run.err;
}

TEST_F(UnderMpirun, RanksHaveUnitsAndLinksOfTheirOwn) {
  const std::string file =
      scratch.write("ranks.txt",
                    "# the master computes nothing\n\n"
                    "--unit cpu --unit cpu,slowdown=2 --link-bandwidth 100MB/s\n"
                    "--unit emulated --link-latency 1ms\n");
  const ProgramRun run = type(3, {"run", "--units-per-rank", file, "--workload",
                                  "blackscholes:options=1e5", "--policy", "greedy", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json by_unit = Json::parse(run.out).at("by_unit");
  EXPECT_EQ(by_unit.size(), 3U);
  EXPECT_TRUE(by_unit.contains("node1.cpu1"));
  EXPECT_TRUE(by_unit.contains("node2.emulated0"));
}

TEST_F(UnderMpirun, AFileForAnotherNumberOfRanksIsRefusedAndNobodyWaits) {
  const std::string file = scratch.write("ranks.txt", "--unit cpu\n--unit cpu\n");
  const std::vector<std::string> words = {"run",        "--units-per-rank", file, "--workload",
                                          "matmul:n=9", "--policy",         "ss"};
  const ProgramRun run = type(3, words);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("equipoise: error: " + file +
                         ": has units for 2 ranks, and mpirun has started 3; start 2"),
            std::string::npos)
      << run.err;
}

TEST_F(UnderMpirun, ARankWithoutTheUnitIsNamed) {
  const std::string file = scratch.write("ranks.txt", "--unit cpu\n--unit cuda,device=77\n");
  const ProgramRun run =
      type(2, {"run", "--units-per-rank", file, "--workload", "matmul:n=9", "--policy", "greedy"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("--unit cuda,device=77: on node1 ("), std::string::npos) << run.err;
}

TEST_F(UnderMpirun, WhatIsWrongOnTheMasterDoesNotLeaveOthersWaiting) {
  const ProgramRun run = type(4, {"run", "--unit", "cpu", "--workload", "matmull:n=9"});
  EXPECT_EQ(run.exit_code, 2) << run.err;
}

TEST_F(UnderMpirun, ARecordingHasTheNetworkInItsPlatformOnWhichItIsSimulated) {
  const std::string trace = scratch.path("t.jsonl");
  const std::string platform = scratch.path("p.xml");
  const ProgramRun recorded =
      type(3, {"record", "--unit", "cpu", "--link-bandwidth", "200MB/s", "--link-latency", "200us",
               "--workload", "blackscholes:options=1e5", "--out", trace, "--platform-out", platform,
               "--seconds-max", "0.3", "--quiet"});
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  const std::string xml = read_text(platform);
  for (const char* const link : {"network-out", "node1-in", "node1-out", "node2-in"}) {
    EXPECT_NE(xml.find("<link id=\"" + std::string(link) + "\""), std::string::npos) << link;
  }
  const ProgramRun simulated =
      run_equipoise({"simulate", "--platform", platform, "--trace", trace, "--workload",
                     "blackscholes:options=1e5", "--policy", "plb-hec", "--json"});
  ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
  EXPECT_TRUE(Json::parse(simulated.out).at("by_unit").contains("node2.cpu0"));
}

/// Runs two ranks for a long time, and sends `signal` to the process of rank 1 when the run file
/// has some blocks.
ProgramRun disturbed(const std::string& out, int signal) {
  const std::string words =
      "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n"
      "timeout -k 5 100 mpirun --oversubscribe --bind-to none -n 2 sh -c '"
      "echo $$ >" +
      out + ".$OMPI_COMM_WORLD_RANK; exec " + program_file() +
      " run --unit cpu --workload matmul:n=1200,iterations=20 --policy greedy --out " + out +
      "' & until [ $(cat " + out +
      " 2>/dev/null | wc -l) -gt 60 ]; do sleep 0.05; done\n"
      "kill -" +
      std::to_string(signal) + " $(cat " + out +
      ".1)\n"
      "wait $!; code=$?\n"
      "sleep 0.2; kill -0 $(cat " +
      out + ".0) $(cat " + out +
      ".1) 2>/dev/null && echo orphan\n"
      "exit $code\n";
  return run_copy("/bin/sh", {"-c", words});
}

TEST_F(UnderMpirun, ARankThatIsKilledEndsTheRunWithAWholeRunFileAndNoProcess) {
  const std::string out = scratch.path("run.jsonl");
  const ProgramRun run = disturbed(out, SIGKILL);
  EXPECT_NE(run.exit_code, 0);
  EXPECT_EQ(run.out.find("orphan"), std::string::npos) << run.err;
  for (const std::string& line : lines_of(read_text(out))) EXPECT_TRUE(Json::accept(line)) << line;
  const ProgramRun shown = run_equipoise({"show", out});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
}

TEST_F(UnderMpirun, ARankThatIsStoppedIsLostAndItsWorkIsDone) {
  const std::string out = scratch.path("run.jsonl");
  const ProgramRun run = disturbed(out, SIGSTOP);
  EXPECT_NE(run.err.find("unit node1.cpu0 is lost: node1 ("), std::string::npos) << run.err;
  EXPECT_NE(run.out.find("; verified"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("orphan"), std::string::npos) << run.err;
  const Json summary = Json::parse(lines_of(read_text(out)).back());
  EXPECT_EQ(summary.at("verified"), true);
  EXPECT_EQ(summary.at("items"), 1200 * 20);
}

TEST_F(UnderMpirun, ACommandsResultsOfAllRanksAreInOneFolder) {
  const std::string work = scratch.write(
      "work.json", R"({"schema":"equipoise.work/1","name":"squares","items":24,"mode":"exec",)"
                   R"("run":["sh","-c","seq {first} {last} >{out}"]})");
  const std::string results = scratch.path("results");
  const ProgramRun run = type(2, {"run", "--unit", "cpu", "--workload", work, "--policy",
                                  "greedy:pieces=12", "--results", results, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(results)) {
    if (entry.path().filename().string().front() != '.') ++files;
  }
  EXPECT_EQ(files, 12U);
}

/// Runs the program with two ranks on each of two hosts, for which it gets `arguments` of
/// tests/support/two-hosts. Of exit code 77 the output says why there can be none here.
ProgramRun on_two_hosts(std::vector<std::string> arguments, const std::vector<std::string>& words) {
  arguments.insert(arguments.begin(),
                   {"-k", "5", "150", (repository() / "tests/support/two-hosts").string()});
  arguments.push_back(std::filesystem::absolute(program_file()).string());
  arguments.insert(arguments.end(), words.begin(), words.end());
  return run_copy("/usr/bin/timeout", arguments);
}

TEST_F(UnderMpirun, RanksOfTwoHostsShareTheWorkOverTheirNetwork) {
  const std::string out = scratch.path("run.jsonl");
  const ProgramRun run =
      on_two_hosts({}, {"run", "--unit", "cpu", "--unit", "emulated", "--workload", "matmul:n=400",
                        "--policy", "greedy:pieces=40", "--per-node", "gss", "--out", out});
  if (run.exit_code == 77) GTEST_SKIP() << run.out;
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("; verified"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("left behind"), std::string::npos) << run.out;
  const Json summary = Json::parse(lines_of(read_text(out)).back());
  for (const char* const unit : {"node0.cpu0", "node3.cpu0"}) {
    EXPECT_GT(summary.at("by_unit").at(unit).at("items"), 0);
  }
}

TEST_F(UnderMpirun, AHostWhoseNetworkIsGoneIsLostAndEveryProcessEnds) {
  const std::string out = scratch.path("run.jsonl");
  const ProgramRun run =
      on_two_hosts({"--cut-when", out, "60"},
                   {"run", "--unit", "cpu", "--workload", "matmul:n=1200,iterations=30", "--policy",
                    "greedy", "--out", out});
  if (run.exit_code == 77) GTEST_SKIP() << run.out;
  EXPECT_NE(run.err.find("node2 (beta) is lost: nothing was heard"), std::string::npos) << run.err;
  EXPECT_EQ(run.out.find("left behind"), std::string::npos) << run.out;
  for (const std::string& line : lines_of(read_text(out))) EXPECT_TRUE(Json::accept(line)) << line;
}

TEST_F(UnderMpirun, OptionsOfRanksAreRefusedWithoutIt) {
  const ProgramRun run = run_equipoise({"run", "--unit", "cpu", "--link-latency", "1ms",
                                        "--workload", "matmul:n=9", "--policy", "greedy"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("--link-latency: is for several ranks; start the program with mpirun"),
            std::string::npos)
      << run.err;
}

}  // namespace
}  // namespace equipoise::nodes_test
