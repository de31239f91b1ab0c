// Tests of the program where memory is short: it ends, and says what it lacks.
#include <gtest/gtest.h>

#include "tests/support/little_memory.hpp"
#include "tests/support/program.hpp"

namespace equipoise::little_memory_test {
namespace {

constexpr rlim_t mib = 1024 * 1024;

/// Runs the program with `bytes` of address space.
ProgramRun run_with(rlim_t bytes, const std::vector<std::string>& arguments) {
  const LittleMemory little(bytes);
  return run_equipoise(arguments);
}

TEST(LittleMemory, IsEnoughToSayTheVersionAndToEnd) {
  const ProgramRun run = run_with(100 * mib, {"--version"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(lines_of(run.out).size(), 1u) << run.out;
  EXPECT_EQ(run.err, "");
}

}  // namespace
}  // namespace equipoise::little_memory_test
