// Tests of `equipoise replay`: recorded runs are decided again and issued again.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/policies/catalog.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/program.hpp"
#include "tests/support/small_machine.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::replay_test {
namespace {

using Json = nlohmann::json;

const std::vector<std::string> two_cpus = {"--unit", "cpu,slots=2", "--unit", "cpu,slowdown=3"};

/// Runs two units to the end into `file`. The second unit has a third of the speed of the first.
void run_two_cpus(const std::string& file, const std::string& policy,
                  const std::vector<std::string>& more) {
  const ProgramRun run =
      run_equipoise(with(with(with({"run"}, two_cpus), {"--policy", policy, "--out", file}), more));
  EXPECT_EQ(run.exit_code, 0) << policy << ": " << run.err;
}

void expect_agreement(const std::string& file, const std::string& policy) {
  const ProgramRun check = run_equipoise({"replay", file, "--check"});
  EXPECT_EQ(check.exit_code, 0) << policy << ": " << check.err;
  EXPECT_NE(check.out.find("decided the same again"), std::string::npos) << policy << check.out;
  EXPECT_NE(check.out.find(" other record"), std::string::npos) << policy << check.out;
}

TEST(Replay, DecidesRealRunsOfEveryPolicyTheSameAgain) {
  const TemporaryFolder scratch;
  const std::string trace = scratch.path("here.jsonl");
  ASSERT_EQ(run_equipoise({"record", "--unit", "cpu", "--unit", "cpu,slowdown=3", "--workload",
                           "blackscholes:options=2e5", "--seconds-max", "0.1", "--out", trace})
                .exit_code,
            0);
  std::vector<std::string> compare =
      with(with({"compare", "--on", "real"}, two_cpus),
           {"--workload", "blackscholes:options=2e5", "--trace", trace, "--reps", "1", "--runs",
            "all", "--out", scratch.path("all")});
  std::size_t policies = 0;
  for (const PolicyInfo& info : policy_catalog()) {
    if (info.check_units != nullptr) continue;  // needs watts, which real units lack
    compare.insert(compare.end(), {"--policy", info.name});
    ++policies;
  }
  const ProgramRun runs = run_equipoise(compare);
  ASSERT_EQ(runs.exit_code, 0) << runs.err;
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(scratch.path("all/runs"))) {
    expect_agreement(file.path(), file.path().filename());
    ++files;
  }
  EXPECT_EQ(files, policies);
}

TEST(Replay, DecidesRealRunsOfHundredsOfBlocksAndPhasesTheSameAgain) {
  const TemporaryFolder scratch;
  const std::string file = scratch.path("run.jsonl");
  for (const std::string policy :
       {"ss", "equipoise", "plb-hac", "plb-hec", "awf-c", "af", "hdss"}) {
    run_two_cpus(file, policy,
                 {"--workload", "matmul:n=384", "--workload", "blackscholes:options=1e5"});
    expect_agreement(file, policy);
  }
}

TEST(Replay, DecidesASimulationThatLosesASilentUnitTheSameAgain) {
  const TemporaryFolder scratch;
  const SmallMachine machine(scratch);
  const std::string file = scratch.path("run.jsonl");
  const std::string scenario =
      scratch.write("scenario.json", R"({"schema":"equipoise.scenario/1","events":[)"
                                     R"({"at_s":0.05,"unit":"a","kind":"slow","factor":1000}]})");
  const auto losses = [&](const std::vector<std::string>& more) {
    const ProgramRun run = run_equipoise(
        with(with(with({"simulate"}, machine.words()),
                  {"--workload", "k:items=1000", "--policy", "gss", "--scenario", scenario}),
             with(more, {"--out", file})));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    expect_agreement(file, "gss");
    const std::vector<std::string> lines = lines_of(read_text(file));
    return std::count_if(lines.begin(), lines.end(),
                         [](const std::string& line) { return line.find("unit_lost") < 40; });
  };
  EXPECT_EQ(losses({}), 0);
  EXPECT_EQ(losses({"--block-timeout", "0.5"}), 1);
}

TEST(Replay, NamesTheDecisionOfATamperedJournal) {
  const TemporaryFolder scratch;
  const std::string file = scratch.path("run.jsonl");
  run_two_cpus(file, "gss", {"--workload", "blackscholes:options=2e5"});
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
  const ProgramRun run = signal_equipoise(
      with(with({"run"}, two_cpus), {"--workload", "blackscholes:options=2e5,iterations=1000000",
                                     "--policy", "awf-c", "--out", file}),
      SIGINT, [&] { return lines_of(read_text(file)).size() > 100; });
  ASSERT_EQ(run.exit_code, 130) << run.err;
  ProgramRun check = run_equipoise({"replay", file, "--check"});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_NE(check.err.find("the run was interrupted"), std::string::npos) << check.err;
  // Cut in the middle of a line, as after a kill.
  const std::string text = read_text(file);
  const std::string cut = scratch.write("cut.jsonl", text.substr(0, text.size() * 2 / 3));
  check = run_equipoise({"replay", cut, "--check"});
  EXPECT_EQ(check.exit_code, 0) << check.err;
}

/// By block number: unit, first item, items, phase and iteration of every accepted block.
std::map<long, std::string> blocks_of(const std::string& file) {
  std::map<long, std::string> blocks;
  for (const std::string& text : lines_of(read_text(file))) {
    const Json line = Json::parse(text);
    if (!line.contains("first_item")) continue;
    blocks[line.at("block")] = line.at("unit").get<std::string>() + line.at("first_item").dump() +
                               "+" + line.at("items").dump() + "@" + line.at("phase").dump() +
                               line.at("iteration").dump();
  }
  return blocks;
}

TEST(Replay, IssuesTheSameBlocksAgainInEitherWorld) {
  const TemporaryFolder scratch;
  const std::string trace = scratch.path("here.jsonl");
  const std::string platform = scratch.path("here.xml");
  ASSERT_EQ(run_equipoise({"record", "--unit", "cpu", "--unit", "cpu,slowdown=3", "--workload",
                           "blackscholes:options=2e5", "--seconds-max", "0.1", "--out", trace,
                           "--platform-out", platform})
                .exit_code,
            0);
  const std::string file = scratch.path("run.jsonl");
  run_two_cpus(file, "plb-hec", {"--workload", "blackscholes:options=2e5,iterations=3"});
  const auto recorded = blocks_of(file);
  const std::string again = scratch.path("again.jsonl");
  const ProgramRun real = run_equipoise({"replay", file, "--decisions", "--out", again, "--json"});
  ASSERT_EQ(real.exit_code, 0) << real.err;
  EXPECT_EQ(blocks_of(again), recorded);
  EXPECT_EQ(Json::parse(real.out).at("recorded").at("on"), "real");
  EXPECT_TRUE(Json::parse(real.out).at("again").at("verified"));

  const std::string simulated = scratch.path("sim.jsonl");
  const ProgramRun sim = run_equipoise({"replay", file, "--decisions", "--on", "sim", "--platform",
                                        platform, "--trace", trace, "--out", simulated});
  ASSERT_EQ(sim.exit_code, 0) << sim.err;
  EXPECT_NE(sim.out.find("makespan: recorded"), std::string::npos) << sim.out;
  EXPECT_EQ(blocks_of(simulated), recorded);
  // A replayed run can itself be neither checked nor issued again.
  for (const std::string what : {"--check", "--decisions"}) {
    const ProgramRun twice = run_equipoise({"replay", simulated, what});
    EXPECT_EQ(twice.exit_code, 2);
    EXPECT_NE(twice.err.find("its decisions are those of " + file), std::string::npos) << twice.err;
  }
}

TEST(Replay, RunsForRealWhatWasSimulated) {
  const TemporaryFolder scratch;
  const std::string trace = scratch.path("here.jsonl");
  const std::string platform = scratch.path("here.xml");
  const std::string file = scratch.path("sim.jsonl");
  ASSERT_EQ(run_equipoise({"record", "--unit", "cpu", "--unit", "cpu", "--workload", "matmul:n=256",
                           "--seconds-max", "0.1", "--out", trace, "--platform-out", platform})
                .exit_code,
            0);
  ASSERT_EQ(run_equipoise({"simulate", "--platform", platform, "--trace", trace, "--workload",
                           "matmul:n=256", "--policy", "gss", "--out", file})
                .exit_code,
            0);
  const std::string again = scratch.path("real.jsonl");
  const ProgramRun real = run_equipoise({"replay", file, "--decisions", "--on", "real", "--unit",
                                         "cpu", "--unit", "cpu", "--out", again});
  ASSERT_EQ(real.exit_code, 0) << real.err;
  EXPECT_EQ(blocks_of(again), blocks_of(file));
}

TEST(Replay, SimulatesTheSameMakespanWhereTheMachineIsTheSame) {
  const TemporaryFolder scratch;
  const std::string file = scratch.path("run.jsonl");
  for (const std::string policy : {"greedy", "plb-hec", "awf-c", "acosta"}) {
    ASSERT_EQ(run_equipoise({"simulate", "--platform", "platforms/sirocco.xml", "--trace",
                             "traces/sirocco-dgemm.jsonl", "--workload",
                             "starpu_dgemm_gemm:items=2e5", "--policy", policy, "--scenario",
                             "traces/scenarios/sirocco-slow.json", "--out", file})
                  .exit_code,
              0);
    const ProgramRun again = run_equipoise({"replay", file, "--decisions", "--json"});
    ASSERT_EQ(again.exit_code, 0) << again.err;
    const Json json = Json::parse(again.out);
    EXPECT_EQ(json.at("recorded").at("makespan_s"), json.at("again").at("makespan_s")) << policy;
  }
}

TEST(Replay, PacesUnitsByTheBlockTimesOfTheRun) {
  const TemporaryFolder scratch;
  const std::string file = scratch.path("paced.jsonl");
  const ProgramRun run = run_equipoise(
      {"replay", "traces/runs/sirocco-gss.jsonl", "--on", "paced", "--json", "--out", file});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json again = Json::parse(run.out).at("again");
  EXPECT_EQ(again.at("items"), 4000);
  EXPECT_TRUE(again.at("verified"));
  // 24 units at their recorded speeds cannot do all items in less time.
  EXPECT_GE(again.at("makespan_s"), 8e-4);
  expect_agreement(file, "gss");
}

TEST(Replay, LosesAgainTheBlocksThatWereLost) {
  const TemporaryFolder scratch;
  const std::string file = scratch.path("run.jsonl");
  const std::string again = scratch.path("again.jsonl");
  ASSERT_EQ(run_equipoise({"simulate", "--platform", "platforms/sirocco.xml", "--trace",
                           "traces/sirocco-dgemm.jsonl", "--workload",
                           "starpu_dgemm_gemm:items=2e6", "--policy", "plb-hac", "--scenario",
                           "traces/scenarios/sirocco-fail.json", "--out", file})
                .exit_code,
            0);
  const ProgramRun run = run_equipoise({"replay", file, "--decisions", "--out", again});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(blocks_of(again), blocks_of(file));
  const Json recorded = Json::parse(lines_of(read_text(file)).back());
  const Json repeated = Json::parse(lines_of(read_text(again)).back());
  EXPECT_GT(recorded.at("items_redone"), 0);
  EXPECT_EQ(repeated.at("items_redone"), recorded.at("items_redone"));
}

TEST(Replay, LosesAgainABlockThatWasLostInALaterIteration) {
  const TemporaryFolder scratch;
  const SmallMachine machine(scratch);
  const std::string file = scratch.path("run.jsonl");
  const std::string again = scratch.path("again.jsonl");
  const std::string scenario = scratch.write(
      "s.json",
      R"({"schema":"equipoise.scenario/1","events":[{"at_s":0.9,"unit":"b","kind":"fail"}]})");
  // c takes half the time of a and b per item: 250, 250 and 500 items take about 0.25 s.
  const ProgramRun run = run_equipoise(with(
      with({"simulate"}, machine.words()), {"--workload", "k:items=1000,iterations=5", "--scenario",
                                            scenario, "--policy", "static", "--out", file}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(read_text(file).find("block_lost"), std::string::npos);
  const ProgramRun replayed = run_equipoise({"replay", file, "--decisions", "--out", again});
  ASSERT_EQ(replayed.exit_code, 0) << replayed.err;
  EXPECT_EQ(blocks_of(again), blocks_of(file));
}

TEST(Replay, DecidesIterationsWithAMergeTheSameAgain) {
  const TemporaryFolder scratch;
  const SmallMachine machine(scratch);
  std::string trace = read_text(machine.trace_k);
  trace.insert(trace.find("\"units\""), "\"merge_s\":0.25,");
  const std::string merging = scratch.write("merging.jsonl", trace);
  const std::string file = scratch.path("run.jsonl");
  const std::string workload =
      "k:items=1000,iterations=3,in_bytes_per_item=100,resident_bytes=1e4,iteration_bytes=5e3";
  for (const std::string policy : {"equipoise", "plb-hec", "hierarchical", "gss"}) {
    ASSERT_EQ(run_equipoise({"simulate", "--platform", machine.platform, "--trace", merging,
                             "--workload", workload, "--policy", policy, "--out", file})
                  .exit_code,
              0);
    double end_s = 0.0;
    int iterations = 0;
    for (const std::string& line : lines_of(read_text(file))) {
      const Json json = Json::parse(line);
      if (json.contains("first_item")) end_s = json.at("end_s");
      if (json.value("event", "") != "iteration_started") continue;
      EXPECT_DOUBLE_EQ(json.at("at_s").get<double>() - end_s, iterations++ == 0 ? 0.0 : 0.25);
    }
    EXPECT_EQ(iterations, 3);
    expect_agreement(file, policy);
    EXPECT_EQ(run_equipoise({"replay", file, "--decisions"}).exit_code, 0);
  }
}

TEST(Replay, LeavesNoRunFileWhereItsBlocksCannotBeIssuedAsTheyWere) {
  const TemporaryFolder scratch;
  const SmallMachine machine(scratch);
  const std::string file = scratch.path("run.jsonl");
  const std::string again = scratch.path("again.jsonl");
  ASSERT_EQ(run_equipoise(with(with({"simulate"}, machine.words()),
                               {"--workload", "k:items=1000", "--policy", "ss", "--out", file}))
                .exit_code,
            0);
  std::string text = read_text(file);
  const std::string first = "\"first_item\":500,";
  ASSERT_NE(text.find(first), std::string::npos);
  text.replace(text.find(first), first.size(), "\"first_item\":501,");
  const ProgramRun run =
      run_equipoise({"replay", scratch.write("other.jsonl", text), "--decisions", "--out", again});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("cannot be handed out as recorded"), std::string::npos) << run.err;
  EXPECT_FALSE(std::filesystem::exists(again));
}

TEST(Replay, ChecksWhatAFullDiskLeftOfARun) {
  const TemporaryFolder scratch;
  const std::string file = scratch.path("run.jsonl");
  const ProgramRun run = [&] {
    const FileSizeLimit disk(70'001);
    return run_equipoise(
        with(with({"run"}, two_cpus), {"--workload", "blackscholes:options=2e5,iterations=1000",
                                       "--policy", "awf-c", "--out", file}));
  }();
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("run.jsonl: cannot be written any further: "), std::string::npos)
      << run.err;
  const ProgramRun check = run_equipoise({"replay", file, "--check"});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_NE(check.err.find("the run was interrupted"), std::string::npos) << check.err;
  EXPECT_EQ(check.err.find("cut off"), std::string::npos) << check.err;
}

TEST(Replay, RefusesUnitsThatAreNotThereAndNamesThem) {
  const TemporaryFolder scratch;
  const std::string file = scratch.path("run.jsonl");
  run_two_cpus(file, "gss", {"--workload", "blackscholes:options=2e5"});
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--decisions", "--unit", "cpu"}, "it needs the unit cpu1"},
      {{"--decisions", "--unit", "cpu,id=a", "--unit", "cpu,id=b"}, "the units cpu0, cpu1"},
      {{"--decisions", "--on", "sim"}, "give --platform and --trace"},
      {{"--decisions", "--on", "paced"}, "to pace units, give"},
      {{"--decisions", "--check"}, "--check or --decisions"},
      {{"--on", "paced", "--unit", "cpu"}, "takes units and times from the run"},
      {{"--check", "--out", scratch.path("x")}, "runs nothing"},
      {{}, "--check or --decisions"}};
  for (const auto& [words, said] : cases) {
    const ProgramRun run = run_equipoise(with({"replay", file}, words));
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_NE(run.err.find(said), std::string::npos) << run.err;
  }
  const ProgramRun simulated =
      run_equipoise({"replay", "traces/runs/sirocco-gss.jsonl", "--decisions", "--on", "real"});
  EXPECT_EQ(simulated.exit_code, 2);
  EXPECT_NE(simulated.err.find("give --unit"), std::string::npos) << simulated.err;
}

TEST(Replay, NeverWritesOverTheRunThatItReads) {
  const TemporaryFolder scratch;
  const std::string file = scratch.path("run.jsonl");
  run_two_cpus(file, "greedy", {"--workload", "blackscholes:options=1e4"});
  const std::string before = read_text(file);
  for (const char* what : {"--decisions", "--on=paced"}) {
    const ProgramRun run = run_equipoise({"replay", file, what, "--out", file});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_NE(run.err.find("is read by this command; give another file"), std::string::npos);
  }
  EXPECT_EQ(read_text(file), before);
}

TEST(Replay, ChecksWithoutPlatformAndTracesWhatWasDecidedByTheRunAlone) {
  for (const char* const policy : {"greedy", "equipoise", "static"}) {
    const TemporaryFolder scratch;
    const SmallMachine machine{scratch};
    const std::string file = scratch.path("run.jsonl");
    ASSERT_EQ(run_equipoise(with(with({"simulate"}, machine.words()),
                                 {"--workload", "k:items=1000", "--policy", policy, "--out", file}))
                  .exit_code,
              0);
    for (const std::string& gone : {machine.platform, machine.trace_k, machine.trace_l}) {
      std::filesystem::remove(gone);
    }
    const ProgramRun check = run_equipoise({"replay", file, "--check"});
    if (policy != std::string("static")) {
      EXPECT_EQ(check.exit_code, 0) << policy << ": " << check.err;
      continue;
    }
    EXPECT_EQ(check.exit_code, 2);  // static divides by the times of the traces
    EXPECT_NE(check.err.find(machine.platform + ": is not here, and the run in"), std::string::npos)
        << check.err;
  }
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
}  // namespace equipoise::replay_test
