// Tests of the notes and decisions of policies: words of their own, never those of ours.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/small_machine.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::policy_notes_test {
namespace {

class PolicyNotes : public testing::Test {
 protected:
  /// Simulates with a policy that writes a note and reports a decision when the run starts.
  [[nodiscard]] ProgramRun simulate(const std::string& parameter) const {
    return run_equipoise(with({"simulate", "--workload", "k:items=200", "--policy",
                               library_ + ":" + parameter, "--out", out_},
                              machine_.words()));
  }
  [[nodiscard]] ProgramRun noting(const std::string& word) const {
    return simulate("note=" + word);
  }

  TemporaryFolder scratch_;
  SmallMachine machine_{scratch_};
  std::string out_ = scratch_.path("run.jsonl");
  std::string library_ = (folder_of_this_program() / "policies/noting.so").string();
};

TEST_F(PolicyNotes, SpelledLikeAnEventAreRefusedAndNameThePolicy) {
  for (const std::string word : {"unit_lost", "unit_joined", "block_lost", "block_outstanding",
                                 "iteration_started", "timer_fired", "policy_stalled", "slow",
                                 "compete", "profile", "bandwidth", "fail", "join"}) {
    const ProgramRun run = noting(word);
    EXPECT_EQ(run.exit_code, 2) << word;
    EXPECT_EQ(run.err, "equipoise: error: " + library_ +
                           ": a note of the policy at 0 s is spelled " + word +
                           ", as an event is; give the note another word\n");
    EXPECT_FALSE(std::filesystem::exists(out_)) << word;
  }
}

TEST_F(PolicyNotes, OfOtherWordsAreInTheRunFile) {
  const ProgramRun run = noting("slower");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(read_text(out_).find("\"event\":\"slower\""), std::string::npos);
  EXPECT_NE(read_text(out_).find("\"decision\":\"guess\""), std::string::npos);
  EXPECT_EQ(run_equipoise({"replay", out_, "--check"}).exit_code, 0);
}

TEST_F(PolicyNotes, DecisionsOfOwnKindsSpelledLikeOursAreRefusedAndNameThePolicy) {
  const ProgramRun run = simulate("kind=rebalance");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err, "equipoise: error: " + library_ +
                         ": a decision of the policy at 0 s has an OwnDecisionKind that is spelled "
                         "rebalance; give it DecisionKind::rebalance or another word\n");
  EXPECT_FALSE(std::filesystem::exists(out_));
}

}  // namespace
}  // namespace equipoise::policy_notes_test
