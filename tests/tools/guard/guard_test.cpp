// Guards as a user types them: bounds on comparisons, and differences between two results.
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/runs/content_hash.hpp"
#include "tools/runs/version.hpp"

namespace equipoise::guard_test {
namespace {

using Json = nlohmann::json;

const std::vector<std::string> comparison = {"compare",
                                             "--platform",
                                             "platforms/sirocco.xml",
                                             "--trace",
                                             "traces/sirocco-dgemm.jsonl",
                                             "--workload",
                                             "starpu_dgemm_gemm:items=2e5",
                                             "--policy",
                                             "gss",
                                             "--reps",
                                             "2",
                                             "--best-known",
                                             "off"};

class Guard : public testing::Test {
 protected:
  /// The file of one bound on the makespan of gss.
  std::string bound(const std::string& limit) const {
    return scratch_.write("e.json",
                          R"({"schema":"equipoise.expect/1","bounds":[
{"policy":"gss","quantity":"makespan_s",)" +
                              limit + "}]}");
  }

  TemporaryFolder scratch_;
};

TEST_F(Guard, FindsInResultsHowTheyWereMade) {
  const std::string out = scratch_.path("a folder");
  ASSERT_EQ(run_equipoise(
                with(comparison, {"--policy", "plb-hec:preset=robust,threshold=0.2", "--out", out}))
                .exit_code,
            0);
  const Json results = Json::parse(read_text(out + "/results.json"));
  const auto command = results.at("environment").at("command").get<std::string>();
  EXPECT_NE(command.find(" --policy plb-hec:preset=robust,threshold=0.2 --out '" + out + "'"),
            std::string::npos)
      << command;
  EXPECT_EQ(results.at("environment").at("source_id"), source_id());
  const Json& inputs = results.at("experiment").at("inputs");
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs.at(1).at("file"), "traces/sirocco-dgemm.jsonl");
  EXPECT_EQ(inputs.at(1).at("hash"), hash_of_file(repository() / "traces/sirocco-dgemm.jsonl"));
  const Json& robust = results.at("results").at(2);
  EXPECT_EQ(robust.at("parameters").at("threshold"), 0.2);
  EXPECT_EQ(robust.at("parameters").at("preset"), "robust");
  EXPECT_EQ(robust.at("reps").dump(), "2");
  double sum_s = 0.0;
  for (const Json& one : robust.at("repetitions")) sum_s += one.at("makespan_s").get<double>();
  EXPECT_DOUBLE_EQ(sum_s / 2.0, robust.at("makespan_s").at("mean").get<double>());
}

TEST_F(Guard, NamesBrokenBoundsAndEndsWithOne) {
  const std::string junit = scratch_.path("junit.xml");
  const ProgramRun broken = run_equipoise(
      with(comparison, {"--expect", bound("\"at_most\":1e-3"), "--junit", junit, "--quiet"}));
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_NE(broken.err.find("e.json:2: gss (sim): makespan_s is "), std::string::npos)
      << broken.err;
  EXPECT_NE(scratch_.read("junit.xml").find("failures=\"1\""), std::string::npos);
  const ProgramRun kept =
      run_equipoise(with(comparison, {"--expect", bound("\"at_most\":1e3"), "--junit", junit}));
  EXPECT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_NE(kept.out.find("e.json: 1 of 1 hold"), std::string::npos) << kept.out;
  EXPECT_NE(scratch_.read("junit.xml").find("failures=\"0\""), std::string::npos);
}

TEST_F(Guard, RefusesBoundsThatCheckNothingBeforeAnythingRuns) {
  std::string file = bound("\"at_most\":1");
  file = scratch_.write("e.json", [&] {
    std::string text = scratch_.read("e.json");
    return text.replace(text.find("gss"), 3, "gsss");
  }());
  const ProgramRun run =
      run_equipoise(with(comparison, {"--expect", file, "--out", scratch_.path("out")}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("did you mean 'gss'?"), std::string::npos) << run.err;
  EXPECT_EQ(run_equipoise(with(comparison, {"--junit", "x"})).exit_code, 2);
}

TEST_F(Guard, DiffTellsChangesFromNoise) {
  const std::string old = scratch_.path("old");
  const std::string now = scratch_.path("now");
  ASSERT_EQ(run_equipoise(with(comparison, {"--out", old})).exit_code, 0);
  ASSERT_EQ(run_equipoise(with(comparison, {"--dispatch-cost", "1e-3", "--out", now})).exit_code,
            0);
  const ProgramRun same = run_equipoise({"diff", old, old + "/results.json", "--fail", "0.01"});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_NE(same.out.find("equal"), std::string::npos) << same.out;
  const ProgramRun slower = run_equipoise(
      {"diff", old, now, "--fail", "5%", "--json", "--junit", scratch_.path("junit.xml")});
  EXPECT_EQ(run_equipoise({"diff", old, now, "--fail", ""}).exit_code, 0);  // as without it
  EXPECT_EQ(slower.exit_code, 1);
  EXPECT_NE(slower.err.find("--fail allows 5.00 %"), std::string::npos) << slower.err;
  EXPECT_NE(slower.err.find("the experiments differ in sim.dispatch_cost_given_s"),
            std::string::npos)
      << slower.err;
  const Json json = Json::parse(slower.out);
  EXPECT_EQ(json.at("holds"), false);
  EXPECT_EQ(json.at("policies").at(0).at("verdict"), "worse");
  EXPECT_NE(scratch_.read("junit.xml").find("<failure"), std::string::npos);
}

TEST_F(Guard, DiffRefusesWhatItCannotUse) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"diff", "no-such-file", "no-such-file"},
        {"diff", "traces/sirocco-dgemm.jsonl", "traces/sirocco-dgemm.jsonl"},
        {"diff", "a", "b", "--fail", "5"},
        {"diff", "a", "b", "--quantity", "makespan"},
        {"diff", "a", "b", "--junit", "x"}}) {
    const ProgramRun run = run_equipoise(words);
    EXPECT_EQ(run.exit_code, 2) << words.back();
    EXPECT_TRUE(run.err.starts_with("equipoise: error: ")) << run.err;
  }
}

}  // namespace
}  // namespace equipoise::guard_test
