// Tests of runs of two levels through the program: what their files say, and that their decisions
// follow from these.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::two_levels_program_test {
namespace {

using Json = nlohmann::json;

/// Three nodes with two GPUs each and the network between them.
const std::vector<std::string> matmul = {"--trace", "traces/gpu-clusters-matmul-32768.jsonl",
                                         "--workload", "matmul:n=32768"};
const std::vector<std::string> few_items = {"--trace", "traces/gpu-clusters-blackscholes.jsonl",
                                            "--workload", "blackscholes:options=2000"};

ProgramRun simulate(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& work = matmul) {
  std::vector<std::string> all = {"simulate", "--platform", "platforms/gpu-clusters-3-100g.xml"};
  all.insert(all.end(), work.begin(), work.end());
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_equipoise(all);
}

TEST(TwoLevelsProgram, HasThePartsOfEachBlockOfANodeInItsFile) {
  const TemporaryFolder folder;
  const std::string file = folder.path("run.jsonl");
  const ProgramRun run =
      simulate({"--policy", "gss", "--per-node", "equipoise", "--out", file, "--quiet"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::map<std::uint64_t, Items> of_nodes;
  std::map<std::uint64_t, Items> of_parts;
  std::set<std::uint64_t> numbers;
  Json header;
  for (const std::string& text : lines_of(read_text(file))) {
    const Json line = Json::parse(text);
    if (line.contains("schema")) header = line;
    if (!line.contains("block") || line.contains("event")) continue;
    EXPECT_TRUE(numbers.insert(line["block"].get<std::uint64_t>()).second);
    if (line.contains("node_block")) {
      of_parts[line["node_block"].get<std::uint64_t>()] += line["items"].get<Items>();
      EXPECT_EQ(line["unit"].get<std::string>().find(line["node"].get<std::string>() + "."), 0u);
    } else {
      of_nodes[line["block"].get<std::uint64_t>()] += line["items"].get<Items>();
    }
  }
  EXPECT_EQ(of_parts, of_nodes);
  EXPECT_GT(of_nodes.size(), 3u);
  EXPECT_EQ(header["per_node"], "equipoise");
  EXPECT_EQ(header["nodes"].size(), 3u);
}

TEST(TwoLevelsProgram, AreSimulatedInCampaignsAsByCompare) {
  const TemporaryFolder folder;
  const std::string root = repository().string();
  const std::string campaign = folder.write(
      "c.json", R"({"schema":"equipoise.campaign/1","policies":["gss","awf-c"],"reps":2,
        "experiments":[{"name":"levels-{below}","for":{"below":["","fac2"]},"per_node":"{below}",
        "platform":")" +
                    root + R"(/platforms/gpu-clusters-3-100g.xml","traces":")" + root +
                    R"(/traces/gpu-clusters-blackscholes.jsonl",
        "workloads":"blackscholes:options=2000"}]})");
  const ProgramRun swept = run_equipoise({"sweep", campaign, "--out", folder.path("s"), "--quiet"});
  ASSERT_EQ(swept.exit_code, 0) << swept.err;
  for (const std::string below : {"", "fac2"}) {
    std::vector<std::string> compared = {"compare", "--platform",
                                         "platforms/gpu-clusters-3-100g.xml"};
    compared.insert(compared.end(), few_items.begin(), few_items.end());
    for (const char* const each : {"--policy", "gss,awf-c", "--reps", "2", "--json"}) {
      compared.emplace_back(each);
    }
    if (!below.empty()) compared.insert(compared.end(), {"--per-node", below});
    const Json of_compare = Json::parse(run_equipoise(compared).out);
    const Json of_sweep =
        Json::parse(read_text(folder.path("s/experiments/levels-" + below + "/results.json")));
    ASSERT_EQ(of_sweep["results"].size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(of_sweep["results"][i]["repetitions"], of_compare["results"][i]["repetitions"]);
    }
    EXPECT_EQ(of_sweep["experiment"]["sim"].value("per_node", ""), below);
  }
}

TEST(TwoLevelsProgram, DecidesTheSameAgainOnBothLevels) {
  const TemporaryFolder folder;
  const std::string file = folder.path("run.jsonl");
  for (const char* const master : {"greedy", "equipoise", "plb-hec", "static", "auto"}) {
    ASSERT_EQ(simulate({"--policy", master, "--per-node", "awf-c", "--out", file}).exit_code, 0);
    const ProgramRun check = run_equipoise({"replay", "--check", file});
    EXPECT_EQ(check.exit_code, 0) << check.err;
  }
}

TEST(TwoLevelsProgram, HasAnyPolicyOnEitherLevel) {
  const TemporaryFolder folder;
  const std::string file = folder.path("run.jsonl");
  const Json all = Json::parse(run_equipoise({"list", "policies", "--json"}).out);
  int tried = 0;
  for (const Json& policy : all.at("policies")) {
    const auto name = policy.at("name").get<std::string>();
    if (name == "energy-alpha") continue;  // these units have no watts
    ++tried;
    for (const bool is_upper : {true, false}) {
      const ProgramRun run = simulate({"--policy", is_upper ? name : "fac2", "--per-node",
                                       is_upper ? "fac2" : name, "--out", file},
                                      few_items);
      EXPECT_EQ(run.exit_code, 0) << name << ": " << run.err;
      EXPECT_NE(run.out.find("verified"), std::string::npos) << name << ": " << run.out;
      EXPECT_EQ(run_equipoise({"replay", "--check", file}).exit_code, 0) << name;
    }
  }
  EXPECT_GT(tried, 30);
}

TEST(TwoLevelsProgram, IsTheSameTwiceAndShownByItsUnits) {
  const TemporaryFolder folder;
  const std::string file = folder.path("run.jsonl");
  const std::vector<std::string> same = {"--policy", "fac2", "--per-node", "plb-hec"};
  const ProgramRun first = simulate(same);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.out, simulate(same).out);
  std::vector<std::string> with_file = same;
  with_file.insert(with_file.end(), {"--out", file});
  ASSERT_EQ(simulate(with_file).exit_code, 0);
  const ProgramRun shown = run_equipoise({"show", file});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_NE(shown.out.find("verified"), std::string::npos) << shown.out;
}

using Blocks = std::map<std::uint64_t, std::vector<Json>>;

/// The accepted blocks of a run file, by number: units, first items, items and nodes' blocks.
Blocks blocks_in(const std::string& file) {
  Blocks blocks;
  for (const std::string& text : lines_of(read_text(file))) {
    const Json line = Json::parse(text);
    if (!line.contains("block") || line.contains("event")) continue;
    blocks[line["block"].get<std::uint64_t>()] = {line["unit"], line["first_item"], line["items"],
                                                  line.value("node_block", Json())};
  }
  return blocks;
}

TEST(TwoLevelsProgram, HandsOutTheSameBlocksAgainOnBothLevels) {
  const TemporaryFolder folder;
  const std::string file = folder.path("run.jsonl");
  const std::string again = folder.path("again.jsonl");
  for (const auto& [master, agents] : {std::pair("gss", "equipoise"), std::pair("plb-hec", "awf-c"),
                                       std::pair("awf-b", "static-steal")}) {
    ASSERT_EQ(
        simulate({"--policy", master, "--per-node", agents, "--out", file}, few_items).exit_code,
        0);
    const ProgramRun issued = run_equipoise({"replay", "--decisions", file, "--out", again});
    EXPECT_EQ(issued.exit_code, 0) << issued.err;
    EXPECT_NE(issued.out.find(", 1.0000 of it"), std::string::npos) << issued.out;
    EXPECT_EQ(blocks_in(again), blocks_in(file)) << master;
  }
}

TEST(TwoLevelsProgram, LosesANodeWithoutUnitsAgainWhenBlocksAreHandedOutAgain) {
  const TemporaryFolder folder;
  const std::string file = folder.path("run.jsonl");
  const std::string scenario =
      folder.write("scenario.json", R"({"schema": "equipoise.scenario/1", "events": [
        {"kind": "fail", "unit": "c.cpu", "at_s": 0.001},
        {"kind": "fail", "unit": "c.p100", "at_s": 0.002},
        {"kind": "fail", "unit": "c.k40", "at_s": 0.003}]})");
  const ProgramRun run =
      simulate({"--policy", "greedy", "--per-node", "awf-c", "--scenario", scenario, "--out", file},
               few_items);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("verified"), std::string::npos) << run.out;
  EXPECT_NE(read_text(file).find(R"("unit_lost","at_s":0.003,"unit":"c"})"), std::string::npos);
  EXPECT_EQ(run_equipoise({"replay", "--check", file}).exit_code, 0);
  const ProgramRun again = run_equipoise({"replay", "--decisions", file});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.out.find("verified"), std::string::npos) << again.out;
}

/// Backup tasks have set timers by then.
TEST(TwoLevelsProgram, GoesOnWhenANodeLosesAllItsUnitsBetweenTimersOfItsPolicy) {
  const TemporaryFolder folder;
  const std::string scenario =
      folder.write("scenario.json", R"({"schema": "equipoise.scenario/1", "events": [
        {"kind": "fail", "unit": "c.cpu", "at_s": 0.002},
        {"kind": "fail", "unit": "c.p100", "at_s": 0.002},
        {"kind": "fail", "unit": "c.k40", "at_s": 0.002}]})");
  for (const char* const agents : {"equipoise", "greedy:backup=on"}) {
    const ProgramRun run =
        simulate({"--policy", "awf-c", "--per-node", agents, "--scenario", scenario}, few_items);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NE(run.out.find("verified"), std::string::npos) << run.out;
  }
}

TEST(TwoLevelsProgram, IsNotPacedBecauseItsUnitsTimesLackTheCopiesToTheirNodes) {
  const TemporaryFolder folder;
  const std::string file = folder.path("run.jsonl");
  ASSERT_EQ(simulate({"--policy", "gss", "--per-node", "gss", "--out", file}).exit_code, 0);
  const ProgramRun again = run_equipoise({"replay", "--on", "paced", file});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.err.find("--decisions"), std::string::npos) << again.err;
}

TEST(TwoLevelsProgram, RefusesAPolicyOfNodesThatIsNone) {
  const ProgramRun run = simulate({"--policy", "greedy", "--per-node", "gready"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("--per-node"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("greedy"), std::string::npos) << run.err;
  const ProgramRun parameter =
      simulate({"--policy", "greedy", "--per-node", "static:objective=energy"});
  EXPECT_EQ(parameter.exit_code, 2);
  EXPECT_NE(parameter.err.find("equipoise: error: --per-node: unknown parameter"),
            std::string::npos)
      << parameter.err;
}

}  // namespace
}  // namespace equipoise::two_levels_program_test
