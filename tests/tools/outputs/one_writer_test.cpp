// Tests that an output has one writer: of two commands that write to the same place, the second is
// refused at once and changes nothing there.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/small_machine.hpp"
#include "tests/support/temporary_folder.hpp"
#include "traces/files/locked_file.hpp"

namespace equipoise::one_writer_test {
namespace {

class OneWriter : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> simulated(std::vector<std::string> words,
                                                   const std::string& out) const {
    return with(std::move(words), {"--platform", machine.platform, "--trace", machine.trace_k,
                                   "--workload", "k:items=1000", "--policy", "gss", "--out", out});
  }

  static std::vector<std::string> measured(std::vector<std::string> words, const std::string& out) {
    return with(std::move(words),
                {"--unit", "cpu,threads=1", "--workload", "matmul:n=16", "--out", out});
  }

  /// Expects that `command` is refused because another program writes `place`.
  static void expect_refusal(const std::vector<std::string>& command, const std::string& place,
                             const std::string& kind) {
    const ProgramRun run = run_equipoise(command);
    EXPECT_EQ(run.exit_code, 2) << command.front();
    EXPECT_EQ(run.err, "equipoise: error: --out: another equipoise is writing " + place +
                           "; wait until it has ended, or give another " + kind + "\n");
    EXPECT_EQ(run.out, "");
  }

  TemporaryFolder scratch;
  SmallMachine machine{scratch};
};

TEST_F(OneWriter, HasTheFolderOfAComparisonOrAValidation) {
  const std::string out = scratch.path("c");
  std::filesystem::create_directory(out);
  const auto comparison = simulated({"compare", "--reps", "2", "--best-known", "off"}, out);
  {
    const OutputLock first = OutputLock::of_folder(out, "--out");
    expect_refusal(comparison, "to " + out, "folder");
    expect_refusal(measured({"validate", "--policy", "greedy"}, out), "to " + out, "folder");
    EXPECT_FALSE(std::filesystem::exists(out + "/results.json"));
    EXPECT_TRUE(std::filesystem::is_empty(out + "/runs"));
  }
  EXPECT_EQ(run_equipoise(comparison).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(out + "/results.json"));
  EXPECT_FALSE(std::filesystem::exists(out + "/.lock"));
}

TEST_F(OneWriter, HasARunFile) {
  const std::string recorded = scratch.path("recorded.jsonl");
  ASSERT_EQ(run_equipoise(simulated({"simulate"}, recorded)).exit_code, 0);
  const std::string out = scratch.write("r.jsonl", "of the first\n");
  {
    const OutputLock first = OutputLock::of_file(out, "--out");
    for (const std::vector<std::string>& command :
         {simulated({"simulate"}, out),
          measured({"run", "--policy", "greedy"}, out),
          {"replay", recorded, "--decisions", "--out", out}}) {
      expect_refusal(command, out, "file");
    }
    EXPECT_EQ(scratch.read("r.jsonl"), "of the first\n");
  }
  EXPECT_EQ(run_equipoise(simulated({"simulate"}, out)).exit_code, 0);
}

TEST_F(OneWriter, HasTheFilesOfARecording) {
  const std::string out = scratch.path("t.jsonl");
  const std::string samples = scratch.write("t.jsonl.partial", "of the first\n");
  const OutputLock first = OutputLock::of_file(samples, "--out");
  expect_refusal(measured({"record", "--seconds-max", "0.05"}, out), samples, "file");
  EXPECT_EQ(scratch.read("t.jsonl.partial"), "of the first\n");
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace equipoise::one_writer_test
