// Tests of `compare --what-if`: where its answer stands, and what it refuses.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"
#include "traces/json_record.hpp"

namespace equipoise::what_if_command_test {
namespace {

const std::vector<std::string> comparison = {"compare",
                                             "--platform",
                                             "platforms/sirocco.xml",
                                             "--trace",
                                             "traces/sirocco-dgemm.jsonl",
                                             "--workload",
                                             "starpu_dgemm_gemm:items=2e4",
                                             "--policy",
                                             "greedy,fixed",
                                             "--reps",
                                             "2",
                                             "--best-known",
                                             "off"};

TEST(WhatIfCommand, HasItsAnswerInTheTableTheResultsAndThePage) {
  const TemporaryFolder scratch;
  const std::string out = scratch.path("cmp");
  const ProgramRun run = run_equipoise(with(comparison, {"--what-if", "30%", "--out", out}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("\nThe fastest policy (greedy) stays the fastest if"), std::string::npos)
      << run.out;
  const Json results = Json::parse(read_text(out + "/results.json"));
  const Json& what_if = results.at("what_if");
  EXPECT_EQ(what_if.at("share"), 0.3);
  EXPECT_EQ(what_if.at("fastest"), "greedy");
  EXPECT_EQ(what_if.at("reps"), 5);
  EXPECT_EQ(what_if.at("changes").at(0).at("change"), "CPUs 30 % slower");
  EXPECT_NE(read_text(out + "/report.html").find(what_if.at("sentence").get<std::string>()),
            std::string::npos);
}

TEST(WhatIfCommand, IsNotInResultsThatWereNotAskedForIt) {
  const ProgramRun run = run_equipoise(with(comparison, {"--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_FALSE(Json::parse(run.out).contains("what_if"));
}

TEST(WhatIfCommand, RefusesWhatIsNoShareAndRunsInRealTime) {
  const auto refusal = [](const std::vector<std::string>& words) {
    const ProgramRun run = run_equipoise(words);
    EXPECT_EQ(run.exit_code, 2);
    return run.err;
  };
  for (const char* const share : {"0", "0%"}) {
    EXPECT_NE(refusal(with(comparison, {"--what-if", share})).find("between 0 and 1; give 0.3"),
              std::string::npos)
        << share;
  }
  for (const char* const share : {"1", "100%", "-0.1", "1.3", "0.3s", "much"}) {
    EXPECT_NE(refusal(with(comparison, {std::string("--what-if=") + share})).find("is not a share"),
              std::string::npos)
        << share;
  }
  for (const char* const world : {"real", "paced"}) {
    const std::string said = refusal({"compare", "--on", world, "--unit", "cpu", "--workload",
                                      "matmul", "--policy", "greedy", "--what-if", "0.3"});
    EXPECT_NE(said.find("--what-if: changes simulated machines"), std::string::npos) << said;
  }
}

TEST(CompareOnReal, WarnsOfOptionsThatOnlySimulationsHave) {
  const ProgramRun run = run_equipoise({"compare", "--on", "real", "--unit", "cpu", "--workload",
                                        "matmul:n=64", "--policy", "greedy", "--reps", "1",
                                        "--controller-cost", "1us", "--validations", "none.json"});
  EXPECT_NE(run.err.find("--controller-cost has no effect with --on real"), std::string::npos)
      << run.err;
  EXPECT_NE(run.err.find("--validations has no effect with --on real"), std::string::npos)
      << run.err;
}

}  // namespace
}  // namespace equipoise::what_if_command_test
