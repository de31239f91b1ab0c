// Tests that the result of a simulation depends only on its inputs, not on compilers, libraries or
// machines.
#include <gtest/gtest.h>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/runs/content_hash.hpp"

namespace equipoise::same_journal_test {
namespace {

// The expected hash was the same with gcc 12.2 and SimGrid 3.32 (Debian 12) and with gcc 14.2 and
// SimGrid 4.0 (Debian 13). After a change that is meant to change results, take the new value from
// the output of this test.
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
  // The header names the versions, and the summary repeats the numbers of the blocks.
  for (std::size_t i = 1; i + 1 < lines.size(); ++i) hash.add(lines[i]);
  EXPECT_EQ(hash.text(), "516243ae9d3f41c1");
}

}  // namespace
}  // namespace equipoise::same_journal_test
