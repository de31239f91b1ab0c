// Tests of the commands of the program and of the files that they write.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "platforms/platform_file.hpp"
#include "real/machine.hpp"
#include "real/meters/meter.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "tests/support/filled_pipe.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_lines.hpp"
#include "tests/support/small_machine.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::program_test {
namespace {

using Json = nlohmann::json;

const std::vector<std::string> sirocco = {"--platform", "platforms/sirocco.xml",
                                          "--trace",    "traces/sirocco-dgemm.jsonl",
                                          "--workload", "starpu_dgemm_gemm:items=1e6"};

TEST(Program, SaysItsVersionAndWhatItWasBuiltWith) {
  const ProgramRun run = run_equipoise({"--version"});
  EXPECT_EQ(run.exit_code, 0);
  for (const char* word : {"equipoise", "SimGrid", "Ipopt", "CUDA", "MPI"}) {
    EXPECT_NE(run.out.find(word), std::string::npos) << run.out;
  }
}

TEST(Program, HasHelpWithAnExampleForEveryCommand) {
  const std::vector<std::vector<std::string>> commands = {{"record"},
                                                          {"simulate"},
                                                          {"run"},
                                                          {"replay"},
                                                          {"compare"},
                                                          {"sweep"},
                                                          {"optimum"},
                                                          {"list"},
                                                          {"trace"},
                                                          {"trace", "check"},
                                                          {"trace", "show"},
                                                          {"trace", "import"},
                                                          {"trace", "import", "starpu"},
                                                          {"trace", "import", "csv"},
                                                          {"platform"},
                                                          {"platform", "check"},
                                                          {"platform", "show"},
                                                          {"platform", "detect"},
                                                          {"platform", "generate"}};
  for (const auto& command : commands) {
    const ProgramRun run = run_equipoise(with(command, {"--help"}));
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_NE(run.out.find("Example:\n  equipoise " + command[0]), std::string::npos) << run.out;
  }
}

TEST(Program, ReadsPipesAsOftenAsItNeeds) {
  const TemporaryFolder scratch;
  const SmallMachine machine(scratch);
  const FilledPipe trace(read_text(machine.trace_k));
  const FilledPipe profile(read_text(machine.trace_k));
  const FilledPipe scenario(
      R"({"schema":"equipoise.scenario/1","events":[{"at_s":0,"unit":"a","kind":"slow","factor":2}]})");
  const ProgramRun run = run_equipoise({"compare",
                                        "--on",
                                        "both",
                                        "--platform",
                                        machine.platform,
                                        "--trace",
                                        trace.path(),
                                        "--unit",
                                        "paced,trace_unit=a,id=a",
                                        "--unit",
                                        "paced,trace_unit=b,id=b",
                                        "--unit",
                                        "paced,trace_unit=c,id=c",
                                        "--scenario",
                                        scenario.path(),
                                        "--workload",
                                        "k:items=90",
                                        "--policy",
                                        "static:profile=" + profile.path(),
                                        "--reps",
                                        "2"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST(Program, SimulatesTheSameForTheSameSeed) {
  const TemporaryFolder scratch;
  for (const char* name : {"a.jsonl", "b.jsonl"}) {
    const ProgramRun run =
        run_equipoise(with(with({"simulate"}, sirocco),
                           {"--policy", "plb-hec", "--seed", "7", "--out", scratch.path(name)}));
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  EXPECT_EQ(read_text(scratch.path("a.jsonl")), read_text(scratch.path("b.jsonl")));
  ASSERT_EQ(run_equipoise(with(with({"simulate"}, sirocco), {"--policy", "plb-hec", "--seed", "8",
                                                             "--out", scratch.path("c.jsonl")}))
                .exit_code,
            0);
  EXPECT_NE(read_text(scratch.path("a.jsonl")), read_text(scratch.path("c.jsonl")));
}

TEST(Program, WritesARunFileThatCoversEveryItemOnce) {
  const TemporaryFolder scratch;
  const std::string file = scratch.path("run.jsonl");
  ASSERT_EQ(run_equipoise(with(with({"simulate"}, sirocco), {"--policy", "plb-hec", "--out", file}))
                .exit_code,
            0);
  const std::vector<Json> run = json_lines(file);
  EXPECT_EQ(run.front().at("schema"), "equipoise.run/1.1");
  EXPECT_EQ(run.back().at("summary"), true);
  EXPECT_EQ(run.back().at("verified"), true);
  expect_covered(run, 1'000'000);
}

TEST(Program, ComparesPoliciesOnTheRecordedMachine) {
  const TemporaryFolder scratch;
  const ProgramRun run = run_equipoise(
      {"compare", "--platform", "platforms/sirocco.xml", "--trace", "traces/sirocco-dgemm.jsonl",
       "--workload", "starpu_dgemm_gemm:items=2e5", "--policy", "all", "--reps", "2", "--noise",
       "off", "--best-known", "off", "--out", scratch.path("cmp")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json results = Json::parse(read_text(scratch.path("cmp/results.json")));
  EXPECT_EQ(results.at("schema"), "equipoise.results/1");
  EXPECT_GT(results.at("lower_bound_s"), 0.0);
  std::map<std::string, Json> by_policy;
  for (const Json& result : results.at("results")) {
    by_policy[result.at("policy")] = result;
    EXPECT_EQ(result.at("verified"), true);
    EXPECT_GE(result.at("over_lower_bound"), 1.0 - 1e-9) << result.at("policy");
    double shares = 0.0;
    for (const auto& share : result.at("share_by_unit")) shares += share.get<double>();
    EXPECT_NEAR(shares, 1.0, 1e-9);
  }
  EXPECT_EQ(by_policy.at("greedy").at("speedup_vs_baseline"), 1.0);
  EXPECT_EQ(by_policy.at("static").at("informed"), true);
  EXPECT_EQ(by_policy.at("optimum").at("oracle"), true);
  EXPECT_NE(read_text(scratch.path("cmp/report.html")).find("</html>"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(scratch.path("cmp/runs/plb-hec-sim.jsonl")));
}

TEST(Program, SearchesTheBestScheduleUnlessToldNotTo) {
  const std::vector<std::string> compare =
      with(with({"compare"}, sirocco), {"--policy", "optimum", "--reps", "1", "--json"});
  const Json with_search = Json::parse(run_equipoise(compare).out);
  EXPECT_GE(with_search.at("best_known_s"), with_search.at("lower_bound_s"));
  for (const Json& result : with_search.at("results")) {
    EXPECT_GE(result.at("makespan_s").at("mean"), with_search.at("best_known_s"));
  }
  const Json without = Json::parse(run_equipoise(with(compare, {"--best-known", "off"})).out);
  EXPECT_TRUE(without.at("best_known_s").is_null());
  EXPECT_EQ(without.at("lower_bound_s"), with_search.at("lower_bound_s"));
}

TEST(Program, ShowsRobustPlbHecAheadOfGreedyOnSiroccoAndPublishedBehind) {
  const TemporaryFolder scratch;
  const ProgramRun run = run_equipoise(
      {"compare", "--platform", "platforms/sirocco.xml", "--trace", "traces/sirocco-dgemm.jsonl",
       "--workload", "starpu_dgemm_gemm:items=2e6", "--policy", "greedy", "--policy", "plb-hec",
       "--policy", "plb-hec:preset=robust", "--reps", "10", "--best-known", "off", "--out",
       scratch.path("cmp")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json results = Json::parse(read_text(scratch.path("cmp/results.json")));
  EXPECT_LT(results.at("results").at(1).at("speedup_vs_baseline"), 0.9);
  EXPECT_EQ(results.at("results").at(2).at("spelling"), "plb-hec:preset=robust");
  EXPECT_EQ(results.at("results").at(2).at("parameters").at("step_fraction"), 0.02);
  EXPECT_GT(results.at("results").at(2).at("speedup_vs_baseline"), 1.0);
}

// SimGrid and the MPI of Ipopt's linear solver export functions of the same names.
TEST(Program, SolvesWithIpoptInsideASimulation) {
  const ProgramRun run =
      run_equipoise(with(with({"simulate"}, sirocco), {"--policy", "plb-hec:solver=ipopt"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("verified"), std::string::npos) << run.out;
}

TEST(Program, GivesTheOptimumAndTheBound) {
  const ProgramRun run = run_equipoise(with(with({"optimum"}, sirocco), {"--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_GE(json.at("makespan_s"), json.at("lower_bound_s").get<double>() * (1.0 - 1e-9));
}

TEST(Program, LeavesAReadableRunFileWhenASimulationIsStopped) {
  const TemporaryFolder scratch;
  const std::string file = scratch.path("run.jsonl");
  const ProgramRun run = signal_equipoise(
      {"simulate", "--platform", "platforms/sirocco.xml", "--trace", "traces/sirocco-dgemm.jsonl",
       "--workload", "starpu_dgemm_gemm:items=1e9", "--policy", "greedy:pieces=5e7", "--out", file},
      SIGINT, [&] { return lines_of(read_text(file)).size() > 100; });
  EXPECT_EQ(run.exit_code, 130) << run.err;
  EXPECT_NE(run.err.find("greedy:pieces=5e7 makes 50.0 M blocks"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("\nequipoise: error: interrupted"), std::string::npos) << run.err;
  const std::string last = lines_of(read_text(file)).back();
  EXPECT_FALSE(Json::parse(last).contains("summary"));
}

TEST(Program, FailsOnAFullDiskWhateverTheCommandAndLeavesNoHalfFile) {
  const TemporaryFolder scratch;
  const std::string out = scratch.path("here.xml");
  const ProgramRun run = [&] {
    const FileSizeLimit disk(300);
    return run_equipoise({"platform", "detect", "--out", out});
  }();
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(run.err.starts_with("equipoise: error: " + out + ": cannot be written: ")) << run.err;
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(out).parent_path()));
}

TEST(Program, CountsTheDoubtsOfATrace) {
  const TemporaryFolder scratch;
  const std::string file = scratch.write(
      "t.jsonl",
      R"({"schema":"equipoise.trace/1","source":"recorded","kernel":"k","item":"thing","provenance":"a test","machine":{},"units":[{"id":"a","kind":"cpu"}]})"
      "\n"
      R"({"unit":"a","items":1,"compute_s":1})"
      "\n");
  EXPECT_EQ(run_equipoise({"trace", "check", file}).out,
            file + ": valid trace of k: 1 unit, 1 line, 1 doubt\n");
}

TEST(Program, ListsWhatThereIs) {
  EXPECT_NE(run_equipoise({"list", "policies"}).out.find("plb-hec"), std::string::npos);
  EXPECT_NE(run_equipoise({"list", "kernels"}).out.find("matmul"), std::string::npos);
  EXPECT_NE(run_equipoise({"list", "units"}).out.find("slowdown"), std::string::npos);
  EXPECT_TRUE(
      Json::parse(run_equipoise({"list", "policies", "--json"}).out).at("policies").is_array());
  EXPECT_EQ(run_equipoise({"list", "polices"}).exit_code, 2);
}

TEST(Program, ListsPoliciesInALineEach) {
  const std::vector<std::string> lines = lines_of(run_equipoise({"list", "policies"}).out);
  // Two lines of headings; what three remarks mean, what any policy and what two policies take and
  // where the details are, after empty lines.
  ASSERT_EQ(lines.size(), 2 + policy_catalog().size() + 8);
  for (const std::string& line : lines) EXPECT_LE(line.size(), 140u) << line;
  const auto line_of = [&](const std::string& name) {
    return *std::ranges::find_if(
        lines, [&](const std::string& line) { return line.starts_with(name + " "); });
  };
  EXPECT_TRUE(line_of("gss").ends_with("an even share of the remaining items"));
  EXPECT_TRUE(line_of("static").ends_with("  knows speeds"));
  EXPECT_TRUE(line_of("optimum").ends_with("  knows mean times, knows costs"));
  EXPECT_NE(std::ranges::find(lines,
                              "costs=known, with static and wf: divides what the items cost, "
                              "not their number"),
            lines.end());
  EXPECT_TRUE(line_of("equipoise").ends_with("  uses --experience"));
  EXPECT_TRUE(lines.back().ends_with(": equipoise list policies NAME"));
}

TEST(Program, AsksWhatToList) {
  const ProgramRun run = run_equipoise({"list"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err, "equipoise: error: list: say what: policies, kernels, units or devices\n");
}

TEST(Program, NamesAMisspelledOptionBeforeOneThatIsMissing) {
  for (const std::vector<std::string>& typed :
       {std::vector<std::string>{"--polcy", "greedy"}, {"--polcy=greedy"}}) {
    std::vector<std::string> words = {"simulate",
                                      "--platform",
                                      "platforms/sirocco.xml",
                                      "--trace",
                                      "traces/sirocco-dgemm.jsonl",
                                      "--workload",
                                      "starpu_dgemm_gemm:items=1e4"};
    words.insert(words.end(), typed.begin(), typed.end());
    const ProgramRun run = run_equipoise(words);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.err,
              "equipoise: error: unknown option '--polcy'; did you mean '--policy'?; see equipoise "
              "simulate --help\n");
  }
}

TEST(Program, NamesAMisspelledCommand) {
  EXPECT_EQ(run_equipoise({"simulat"}).err,
            "equipoise: error: unknown command 'simulat'; did you mean 'simulate'?; see equipoise "
            "--help\n");
  EXPECT_NE(run_equipoise({"trace", "chekc", "x"}).err.find("did you mean 'check'?"),
            std::string::npos);
}

TEST(Program, NamesTheOptionOfAPolicyWhoseParametersAreWrong) {
  const ProgramRun run = run_equipoise({"simulate", "--platform", "platforms/sirocco.xml",
                                        "--trace", "traces/sirocco-dgemm.jsonl", "--workload",
                                        "starpu_dgemm_gemm:items=1000", "--policy", "gss:foo=1"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("--policy: "), std::string::npos) << run.err;
}

TEST(Program, ListsWhatPoliciesKnow) {
  const auto known = [](const char* policy) {
    const Json list = Json::parse(run_equipoise({"list", "policies", policy, "--json"}).out);
    const Json& one = list.at("policies").at(0);
    return std::array{one.at("informed") == true, one.at("oracle") == true,
                      one.at("knows_costs") == true};
  };
  EXPECT_EQ(known("gss"), (std::array{false, false, false}));
  EXPECT_EQ(known("static"), (std::array{true, false, false}));
  EXPECT_EQ(known("static:costs=known"), (std::array{true, false, true}));
  EXPECT_EQ(known("optimum"), (std::array{true, true, true}));
  EXPECT_TRUE(run_equipoise({"list", "policies", "wf:costs=known"})
                  .out.starts_with("wf  [knows speeds, knows costs]\n"));
}

TEST(Program, ListsAPolicyWithTheValuesThatAreGivenWithIt) {
  const ProgramRun greedy = run_equipoise({"list", "policies", "greedy:backup=on"});
  EXPECT_EQ(greedy.exit_code, 0) << greedy.err;
  EXPECT_NE(greedy.out.find("backup=on; default: off\n"), std::string::npos) << greedy.out;
  const Json list =
      Json::parse(run_equipoise({"list", "policies", "plb-hec:preset=robust", "--json"}).out);
  bool has_given = false;
  for (const Json& one : list.at("policies").at(0).at("parameters")) {
    has_given = has_given || one.contains("given");
    EXPECT_TRUE(one.at("name") != "backup" || !one.contains("given"));
    EXPECT_TRUE(one.at("name") != "preset" || one.at("given") == "robust");
  }
  EXPECT_TRUE(has_given);
  const ProgramRun unknown = run_equipoise({"list", "policies", "greedy:backupp=on"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("did you mean 'backup'?"), std::string::npos) << unknown.err;
}

TEST(Program, ListsOnePolicyKernelOrKindOfUnits) {
  EXPECT_TRUE(run_equipoise({"list", "policies", "gss"}).out.starts_with("gss\n"));
  const Json list = Json::parse(run_equipoise({"list", "policies", "gss", "--json"}).out);
  const Json& policies = list.at("policies");
  ASSERT_EQ(policies.size(), 1u);
  EXPECT_EQ(policies.at(0).at("name"), "gss");
  EXPECT_TRUE(run_equipoise({"list", "kernels", "grn"}).out.starts_with("grn\n"));
  const ProgramRun cpu = run_equipoise({"list", "units", "cpu"});
  EXPECT_TRUE(cpu.out.starts_with("cpu\n")) << cpu.out;
  EXPECT_EQ(cpu.out.find("meters:"), std::string::npos);
  const ProgramRun unknown = run_equipoise({"list", "policies", "plb-hek"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err,
            "equipoise: error: list: unknown policy 'plb-hek'; did you mean 'plb-hec'?\n");
  EXPECT_NE(run_equipoise({"list", "kernels", "matmull"})
                .err.find("unknown kernel 'matmull'; did you mean 'matmul'?"),
            std::string::npos);
}

TEST(Program, ListsWhereDefaultsComeFromAndWhatPresetsChange) {
  const std::string plb = run_equipoise({"list", "policies", "plb-hec"}).out;
  EXPECT_NE(plb.find("\n      default from: III.B; Alg. 1 line 4\n"), std::string::npos) << plb;
  const std::string hdss = run_equipoise({"list", "policies", "hdss"}).out;
  EXPECT_NE(hdss.find("\n  preset=robust\n      slow units get smaller blocks"), std::string::npos)
      << hdss;
  const Json list = Json::parse(run_equipoise({"list", "policies", "--json"}).out);
  for (const Json& policy : list.at("policies")) {
    if (policy.at("name") != "hdss") continue;
    EXPECT_EQ(policy.at("parameters").at(1).at("name"), "growth");
    EXPECT_EQ(policy.at("parameters").at(1).at("source"),
              "not said; chosen because PLB-HeC's training doubles, too");
    EXPECT_EQ(policy.at("presets").at(0).at("name"), "robust");
    EXPECT_EQ(policy.at("presets").at(0).at("parameters").at("phase1_sizes"), "by_speed");
  }
}

TEST(Program, ListsEveryKindOfUnitsAndWhyItIsNotHere) {
  const std::string out = "\n" + run_equipoise({"list", "units"}).out;
  for (const UnitKindInfo& info : unit_catalog()) {
    const std::string why = info.why_absent();
    const std::string line = "\n" + info.name + (why.empty() ? "" : ": " + why) + "\n";
    EXPECT_NE(out.find(line), std::string::npos) << out;
  }
}

TEST(Program, ListsTheMetersOfThisMachineWithItsUnits) {
  EXPECT_EQ(lines_of(run_equipoise({"list", "units"}).out).back(),
            "meters: " + meters_text(machine_meters(usable_gpus())));
}

TEST(Program, ImportsACsvFile) {
  const TemporaryFolder scratch;
  const std::string csv = scratch.write("t.csv", "num_tokens,median\n1,0.5\n2,0.75\n4,1.25\n");
  const std::string trace = scratch.path("t.jsonl");
  const ProgramRun run = run_equipoise({"trace", "import", "csv", csv, "--unit", "gpu0",
                                        "--items-column", "num_tokens", "--compute-column",
                                        "median", "--time-unit", "ms", "--out", trace});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::vector<Json> lines = json_lines(trace);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[2].at("items"), 2);
  EXPECT_DOUBLE_EQ(lines[2].at("compute_s"), 0.00075);
}

TEST(Program, DescribesThisMachine) {
  const TemporaryFolder scratch;
  const std::string xml = scratch.path("here.xml");
  EXPECT_EQ(run_equipoise({"platform", "detect", "--out", xml}).exit_code, 0);
  EXPECT_EQ(run_equipoise({"platform", "check", xml}).exit_code, 0);
  const PlatformFileFacts facts = check_platform_file(xml);
  ASSERT_EQ(facts.hosts.size(), static_cast<std::size_t>(this_machine().cores) + 1);
  EXPECT_EQ(facts.master, "RAM");
  EXPECT_EQ(facts.hosts[1].name, "cpu0");
  EXPECT_NE(run_equipoise({"platform", "show", xml}).out.find("cpu0"), std::string::npos);
}

}  // namespace
}  // namespace equipoise::program_test
