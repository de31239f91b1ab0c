// Every committed file of our formats, and what each command writes and prints with --json, keeps
// to its JSON schema in traces/schemas. Needs Debian's python3-jsonschema.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::schemas_test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> sirocco = {"--platform", "platforms/sirocco.xml", "--trace",
                                          "traces/sirocco-dgemm.jsonl"};
const std::vector<std::string> simulated =
    with(sirocco, {"--workload", "starpu_dgemm_gemm:items=2e5"});
const std::vector<std::string> here = {"--unit",         "cpu",        "--unit",
                                       "cpu,slowdown=2", "--workload", "blackscholes:options=2e4"};

class Schemas : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("/usr/bin/python3 -c 'import jsonschema' 2>/dev/null") != 0) {
      GTEST_SKIP() << "python3-jsonschema is not installed: tools/install-packages test";
    }
  }

  /// What the check of these files says; empty if all keep to their schemas.
  std::string complaints(const std::vector<std::string>& files) const {
    const fs::path root = repository();
    std::string command = "/usr/bin/python3 '" +
                          (root / "tests/support/check_schemas.py").string() + "' '" +
                          (root / "traces/schemas").string() + "'";
    for (const std::string& file : files) command += " '" + file + "'";
    const int status = std::system((command + " >'" + scratch_.path("said") + "' 2>&1").c_str());
    std::string said = scratch_.read("said");
    EXPECT_EQ(status == 0, said.empty()) << said;
    return said;
  }

  /// Runs the program with --json, and keeps what it prints as a file to be checked.
  void print(std::vector<std::string> words, int exit_code = 0) {
    words.emplace_back("--json");
    const ProgramRun run = run_equipoise(words);
    ASSERT_EQ(run.exit_code, exit_code) << words[0] << " " << words[1] << ": " << run.err;
    ASSERT_FALSE(run.out.empty()) << words[0];
    printed_.push_back(
        scratch_.write("printed/" + std::to_string(printed_.size()) + ".json", run.out));
  }

  std::vector<std::string> printed_;
  TemporaryFolder scratch_;
};

/// The files of `folder` whose names end so.
std::vector<std::string> files_in(const fs::path& folder, const std::vector<std::string>& endings) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string ending = entry.path().extension();
    const bool is_wanted = std::ranges::find(endings, ending) != endings.end();
    if (is_wanted && entry.path().parent_path().filename() != "schemas") {
      files.push_back(entry.path());
    }
  }
  return files;
}

TEST_F(Schemas, HoldForEveryCommittedFile) {
  std::vector<std::string> files;
  for (const char* folder :
       {"traces", "platforms", "examples", "tools/campaigns", "tools/validation"}) {
    for (std::string& file : files_in(repository() / folder, {".json", ".jsonl"})) {
      files.push_back(std::move(file));
    }
  }
  EXPECT_GT(files.size(), 90u);
  EXPECT_EQ(complaints(files), "");
}

TEST_F(Schemas, HoldForWhatSimulationsWriteAndPrint) {
  const std::string run = scratch_.path("run.jsonl");
  const std::string experience = scratch_.path("learned.json");
  print(with(with({"simulate"}, simulated), {"--policy", "plb-hec", "--scenario",
                                             "traces/scenarios/sirocco-fail.json", "--out", run}));
  print(with(with({"simulate"}, simulated), {"--policy", "equipoise", "--experience", experience,
                                             "--out", scratch_.path("learning.jsonl")}));
  print({"replay", run, "--check"});
  print({"show", run});
  print({"replay", run, "--decisions"});
  print(with(with({"compare"}, simulated),
             {"--policy", "equipoise", "--policy", "optimum", "--reps", "2", "--best-known", "off",
              "--experience", experience, "--out", scratch_.path("cmp")}));
  print({"report", scratch_.path("cmp")});
  print({"report", run, "traces/sirocco-dgemm.jsonl"});
  print({"diff", scratch_.path("cmp"), scratch_.path("cmp"), "--fail", "5%"});
  print(with({"optimum"}, simulated));
  EXPECT_EQ(complaints(with(printed_, {run, experience, scratch_.path("learning.jsonl"),
                                       scratch_.path("cmp/results.json")})),
            "");
}

TEST_F(Schemas, HoldForCampaigns) {
  const std::string root = repository();
  const std::string campaign = scratch_.write(
      "campaign.json",
      R"({"schema":"equipoise.campaign/1","experiments":[{"name":"e","reps":2,"group":"g",)"
      R"("platform":")" +
          root + R"(/platforms/sirocco.xml","traces":")" + root +
          R"(/traces/sirocco-dgemm.jsonl","workloads":"starpu_dgemm_gemm:items=1e5",)"
          R"("policies":["equipoise","gss"]}]})");
  print({"sweep", campaign, "--out", scratch_.path("half"), "--shard", "1/2"});
  print({"sweep", campaign, "--out", scratch_.path("whole")});
  EXPECT_EQ(complaints(with(printed_, {campaign, scratch_.path("whole/summary.json"),
                                       scratch_.path("half/points-1-of-2.jsonl"),
                                       scratch_.path("whole/points.jsonl"),
                                       scratch_.path("whole/experiments/e/results.json")})),
            "");
}

TEST_F(Schemas, HoldForTheCommandsAboutFilesAndLists) {
  print({"list", "policies"});
  print({"list", "policies", "plb-hec"});
  print({"list", "kernels"});
  print({"list", "devices"});
  print({"explain"});
  print({"check", "policy", "gss", "--machines", "1"});
  print({"list", "units"});
  print({"trace", "show", "traces/plb-hac-matmul-4096.jsonl"});
  print({"trace", "check", "traces/hannibal-chol_model_11.jsonl"});
  print({"trace", "import", "starpu", "--machine", "sirocco", "--kernel", "starpu_dgemm_gemm",
         "--out", scratch_.path("imported")});
  const std::string csv = scratch_.write("x.csv", "size,time\n1,0.1\n2,0.2\n");
  print({"trace", "import", "csv", csv, "--items-column", "size", "--compute-column", "time",
         "--out", scratch_.path("x.jsonl")});
  print({"platform", "show", "platforms/sirocco.xml"});
  print({"platform", "check", "platforms/plb-hec-4.xml"});
  print({"platform", "detect"});
  print({"platform", "detect", "--out", scratch_.path("here.xml")});
  print(
      {"platform", "generate", "--spec", "platforms/example.json", "--out", scratch_.path("made")});
  for (const char* objective : {"energy", "pareto"}) {
    print({"optimum", "--objective", objective, "--platform", "platforms/gtx-950-taylor.xml",
           "--trace", "traces/energy-taylor.jsonl", "--workload", "taylor:items=1e5"});
  }
  EXPECT_EQ(
      complaints(with(with(printed_, files_in(scratch_.path("made"), {".jsonl"})),
                      {scratch_.path("x.jsonl"), scratch_.path("imported/sirocco-dgemm.jsonl")})),
      "");
}

TEST_F(Schemas, HoldForMachinesWithUnitsOfMeasureAndForRepeatedEvents) {
  const std::string spec = scratch_.write(
      "spec.json",
      R"({"schema":"equipoise.machines/1","source":"s","network":{"bytes_per_s":"25 Gb/s",)"
      R"("latency_s":"30 us"},"machines":[{"id":"n","count":2,"units":[{"id":"cpu",)"
      R"("data_sheet":"epyc-7742","count":2},{"id":"x","kind":"gpu","trace_unit":"y",)"
      R"("memory_bytes":"64 GiB","shares_bus":false}]}],)"
      R"("platforms":[{"name":"p","machines":["n"]}]})");
  const std::string scenario = scratch_.write(
      "scenario.json",
      R"({"schema":"equipoise.scenario/1","events":[{"at_s":"10 ms","unit":["cpu*","cuda0"],)"
      R"("kind":"slow","factor":2,"until_s":0.02,"every_s":0.05,"times":3}]})");
  const std::string run = scratch_.path("run.jsonl");
  print({"platform", "generate", "--spec", spec, "--out", scratch_.path("made")});
  print(with(with({"simulate"}, simulated),
             {"--policy", "gss", "--scenario", scenario, "--out", run}));
  EXPECT_EQ(complaints(with(printed_, {spec, scenario, run})), "");
}

TEST_F(Schemas, HoldForRealRunsAndTheirValidation) {
  const std::string run = scratch_.path("run.jsonl");
  print(with(with({"run"}, here), {"--policy", "gss", "--out", run}));
  print(with(with({"record"}, here), {"--seconds-max", "0.05", "--out", scratch_.path("t.jsonl"),
                                      "--platform-out", scratch_.path("t.xml")}));
  print(with(with({"validate"}, here), {"--policy", "gss", "--reps", "2", "--seconds-max", "0.05",
                                        "--meters", "off", "--out", scratch_.path("v")}));
  EXPECT_EQ(
      complaints(with(printed_, {run, scratch_.path("t.jsonl"), scratch_.path("v/validation.json"),
                                 scratch_.path("v/results.json")})),
      "");
}

TEST_F(Schemas, RefuseWhatOurReadersRefuse) {
  const std::vector<std::string> wrong = {
      R"({"schema":"equipoise.expect/1","bounds":[{"policy":"a","quantity":"q"}]})",
      R"({"schema":"equipoise.scenario/1","events":[{"at_s":-1,"unit":"a","kind":"fail"}]})",
      R"({"schema":"equipoise.campaign/1","experiments":[]})",
      R"({"schema":"equipoise.machines/1","source":"s","machines":[],"other":1})",
      R"({"schema":"equipoise.results/1"})"};
  std::vector<std::string> files;
  for (const std::string& text : wrong) {
    files.push_back(scratch_.write(std::to_string(files.size()) + ".json", text));
  }
  const std::string said = complaints(files);
  for (const std::string& file : files) EXPECT_NE(said.find(file), std::string::npos) << said;
}

}  // namespace
}  // namespace equipoise::schemas_test
