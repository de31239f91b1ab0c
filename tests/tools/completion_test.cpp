// Tests of the command `completion`: what bash offers for a half typed command.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/program.hpp"

namespace equipoise::completion_test {
namespace {

/// What bash offers, in one line, when the last of the quoted `words` is to be completed.
std::string offered(const std::string& words) {
  const std::string script = "script=$('" + program_file() +
                             "' completion bash); eval \"$script\"; COMP_WORDS=(equipoise " +
                             words +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _equipoise; "
                             "echo \"${COMPREPLY[*]}\"";
  const ProgramRun run = run_copy("/bin/bash", {"-c", script});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.out.substr(0, run.out.find('\n'));
}

TEST(Completion, OffersCommandsAndThoseBelowThem) {
  EXPECT_EQ(offered("simul"), "simulate");
  EXPECT_EQ(offered("trace import ''"), "starpu csv");
  EXPECT_EQ(offered("completion z"), "zsh");
}

TEST(Completion, OffersTheOptionsOfACommand) {
  EXPECT_EQ(offered("compare --pl"), "--platform");
  EXPECT_EQ(offered("trace import starpu --mach"), "--machine");
  EXPECT_EQ(offered("platform show --pl"), "");
}

TEST(Completion, OffersTheValuesOfAnOption) {
  EXPECT_EQ(offered("compare --on ''"), "sim real both paced");
  EXPECT_EQ(offered("simulate --quiet --policy plb-h"), "plb-hec plb-hac");
  EXPECT_EQ(offered("run --workload black"), "blackscholes");
  EXPECT_EQ(offered("run --unit emu"), "emulated");
}

TEST(Completion, OffersWhatFollowsHelpExplainAndList) {
  EXPECT_EQ(offered("help comp"), "compare completion");
  EXPECT_EQ(offered("help trace import ''"), "starpu csv");
  EXPECT_EQ(offered("help compare ''"), "");
  EXPECT_EQ(offered("explain ends ap"), "apart");
  EXPECT_EQ(offered("list policies gss --js"), "--json");
  EXPECT_EQ(offered("explain over_"), "over_best over_best_known over_lower_bound over_reference");
  EXPECT_EQ(offered("list policies plb-h"), "plb-hec plb-hac");
  EXPECT_EQ(offered("list kernels black"), "blackscholes");
  EXPECT_EQ(offered("list policies --js"), "--json");
  EXPECT_EQ(offered("diff a b --quantity energy"), "energy_j");
}

TEST(Completion, GoesOnBehindTheLastCommaOfPolicies) {
  EXPECT_EQ(offered("compare --policy greedy,plb-he"), "greedy,plb-hec");
}

/// The same when bash has split the `line` at colons and equals signs, as it does at a prompt.
std::string offered_at_prompt(const std::string& line) {
  const std::string script = "script=$('" + program_file() +
                             "' completion bash); eval \"$script\"; COMP_LINE='" + line +
                             "'; COMP_POINT=${#COMP_LINE}; COMP_WORDBREAKS=$' \\t:='; _equipoise; "
                             "echo \"${COMPREPLY[*]}\"";
  const ProgramRun run = run_copy("/bin/bash", {"-c", script});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.out.substr(0, run.out.find('\n'));
}

TEST(Completion, OffersTheParametersOfPoliciesKernelsAndUnits) {
  EXPECT_EQ(offered("compare --policy plb-hec:thr"), "plb-hec:threshold=");
  EXPECT_EQ(offered("compare --policy greedy,plb-hec:threshold=0.2,step_"),
            "greedy,plb-hec:threshold=0.2,step_fraction=");
  EXPECT_EQ(offered("compare --policy plb-hec:threshold=0.2,greed"),
            "plb-hec:threshold=0.2,greedy");
  EXPECT_EQ(offered("compare --policy greedy,thr"), "");
  EXPECT_EQ(offered("run --workload blackscholes:opt"), "blackscholes:options=");
  EXPECT_EQ(offered("run --unit cpu,threads=2,slowd"), "cpu,threads=2,slowdown=");
  EXPECT_EQ(offered("run --unit nothing,thr"), "");
}

TEST(Completion, ReplacesOnlyWhatBashTakesForAWord) {
  EXPECT_EQ(offered_at_prompt("equipoise compare --policy plb-hec:thr"), "threshold=");
  EXPECT_EQ(offered_at_prompt("equipoise compare --policy=plb-hec:thr"), "threshold=");
  EXPECT_EQ(offered_at_prompt("equipoise compare --policy plb-he"), "plb-hec");
  EXPECT_EQ(offered_at_prompt("equipoise compare --on "), "sim real both paced");
}

TEST(Completion, OffersFilesWhereAFileIsMeant) {
  EXPECT_EQ(offered("simulate --trace traces/mirage-sg"), "traces/mirage-sgemm.jsonl");
}

TEST(Completion, KnowsTheThreeShellsAlone) {
  for (const char* const shell : {"bash", "zsh", "fish"}) {
    const ProgramRun run = run_equipoise({"completion", shell});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NE(run.out.find("starpu"), std::string::npos);
  }
  EXPECT_EQ(run_equipoise({"completion", "tcsh"}).exit_code, 2);
}

}  // namespace
}  // namespace equipoise::completion_test
