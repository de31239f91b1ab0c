// What a simulation comes to depends on its inputs: not on compilers, libraries or machines.
#include <gtest/gtest.h>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/sweep/content_hash.hpp"

namespace equipoise::same_journal_test {
namespace {

// The value: gcc 12.2 with SimGrid 3.32 (Debian 12) and gcc 14.2 with SimGrid 4.0 (Debian 13) came to
// it alike. A change that is to change results changes it, and then it is made anew by this test.
TEST(Journal, IsTheSameToTheLastDigitWhateverTheProgramWasBuiltWith) {
  const TemporaryFolder scratch;
  const ProgramRun run =
      run_equipoise({"simulate", "--platform", "platforms/sirocco.xml", "--trace",
                     "traces/sirocco-dgemm.jsonl", "--workload", "starpu_dgemm_gemm:items=2e6",
                     "--policy", "greedy", "--out", scratch.path("run.jsonl")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::vector<std::string> lines = lines_of(scratch.read("run.jsonl"));
  ASSERT_EQ(lines.size(), 3601u);  // header, event, 3,598 blocks, summary
  ContentHash hash;
  // The header names the versions, the summary repeats what the blocks say.
  for (std::size_t i = 1; i + 1 < lines.size(); ++i) hash.add(lines[i]);
  EXPECT_EQ(hash.text(), "f9864bb51f952bf1");
}

}  // namespace
}  // namespace equipoise::same_journal_test
