// Tests that simulate every policy of the catalog by the program and look at its run files. Each
// policy is a test of its own.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/every_policy.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::every_policy_test {
namespace {

class SimulatedPolicy : public testing::TestWithParam<std::string> {
 protected:
  /// Simulates `items` of a matrix product on sirocco and writes the run to `file`.
  void simulate(const char* items, const std::string& file,
                const std::vector<std::string>& more) const {
    const ProgramRun run = run_equipoise(with(
        {"simulate", "--platform", "platforms/sirocco.xml", "--trace", "traces/sirocco-dgemm.jsonl",
         "--workload", std::string("starpu_dgemm_gemm:items=") + items, "--policy", GetParam(),
         "--out", file},
        more));
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }

  TemporaryFolder scratch;
};

TEST_P(SimulatedPolicy, WritesTheSameRunFileForTheSameSeed) {
  for (const char* name : {"a.jsonl", "b.jsonl"}) {
    simulate("2e4", scratch.path(name), {"--seed", "7"});
  }
  EXPECT_EQ(read_text(scratch.path("a.jsonl")), read_text(scratch.path("b.jsonl")));
}

TEST_P(SimulatedPolicy, DecidesTheSameAgainWhenItsRunFileIsChecked) {
  // With noise, units that fail, come back and join, and decisions that cost what papers say.
  const std::string file = scratch.path("run.jsonl");
  const std::string scenario =
      scratch.write("s.json", R"({"schema":"equipoise.scenario/1","events":[
    {"at_s":0.002,"unit":"cpu1","kind":"join"}, {"at_s":0.003,"unit":"cuda0","kind":"fail"},
    {"at_s":0.001,"unit":"cuda2","kind":"slow","factor":3},
    {"at_s":0.006,"unit":"cuda0","kind":"join"}]})");
  for (const std::string cost : {"none", "paper"}) {
    simulate("3e4", file, {"--scenario", scenario, "--decision-cost", cost});
    const ProgramRun check = run_equipoise({"replay", file, "--check"});
    EXPECT_EQ(check.exit_code, 0) << cost << ": " << check.err;
    EXPECT_NE(check.out.find("decided the same again"), std::string::npos) << cost << check.out;
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, SimulatedPolicy, testing::ValuesIn(policy_names()),
                         policy_in_test_name);

}  // namespace
}  // namespace equipoise::every_policy_test
