// Tests of tools/gpu-check where something hangs or breaks, and of what NVIDIA's tools tell it.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/tools/scripts/gpu_check_fixture.hpp"

namespace equipoise::gpu_check_test {
namespace {

/// How often `text` has `what`.
int count(const std::string& text, const std::string& what) {
  int times = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++times;
  }
  return times;
}

/// Also if nobody has asked yet how it ended, a process that has ended does not run.
bool is_running(const std::string& process) {
  const std::string state = read_text("/proc/" + std::to_string(std::stol(process)) + "/stat");
  const std::size_t name_end = state.rfind(") ");
  return name_end != std::string::npos && state[name_end + 2] != 'Z';
}

TEST_F(GpuCheck, KeepsWhatThreadsWaitedForAndEndsThemWithAllThatTheyStarted) {
  const std::string hanging = program_with_gpu(
      132, "trap '' TERM; sleep 120 & echo $! >" + folder() + ".pid; wait; sleep 120");
  EXPECT_EQ(type(hanging, folder() + " --quick --kernels taylor --each 2"), 1) << said();
  EXPECT_NE(
      summary().find("- **failed**: verified-taylor: took longer than 2 s; its threads are in "
                     "log.txt: "),
      std::string::npos)
      << summary();
  EXPECT_NE(log().find(" sleep: state S, waits in "), std::string::npos) << log();
  EXPECT_NE(log().find("-- the kernel's log: NVRM, Xid --"), std::string::npos) << log();
  EXPECT_NE(log().find("== record-taylor-cpu ("), std::string::npos) << log();
  EXPECT_FALSE(is_running(read_text(folder() + ".pid")));
  expect_few_small_files();
}

// The function `kill`, which the shell takes from its environment, ends nothing.
TEST_F(GpuCheck, GoesOnWhereTheKernelDoesNotEndAProcess) {
  const std::string no_kill = "'BASH_FUNC_kill%%=() { [ \"$1\" = -0 ] && builtin kill \"$@\"; }'";
  const std::string hanging =
      program_with_gpu(132, "echo $$ >" + folder() + ".pid; exec sleep 120");
  EXPECT_EQ(type(hanging, folder() + " --quick --kernels taylor --each 2", no_kill), 1) << said();
  const std::string left = read_text(folder() + ".pid");
  EXPECT_NE(
      summary().find("- **failed**: verified-taylor: took longer than 2 s; its threads are in "
                     "log.txt; the kernel does not end process " +
                     left.substr(0, left.find('\n')) + ", which is left behind\n"),
      std::string::npos)
      << summary();
  EXPECT_NE(log().find("== record-taylor-cpu ("), std::string::npos) << log();
  EXPECT_TRUE(is_running(left));
  EXPECT_EQ(::kill(static_cast<pid_t>(std::stol(left)), SIGKILL), 0);
  expect_few_small_files();
}

TEST_F(GpuCheck, RunsEachSuiteByItselfAndGoesOnBehindATestThatBreaks) {
  write_command("tests/gpu_tests",
                "case $1 in\n"
                "--gtest_list_tests) printf 'Running main() from ./gtest_main.cc\\nFirst.\\n  Is\\n"
                "Of/Second.\\n  Is/cuda  # GetParam() = cuda\\nThird/0.  # TypeParam = int\\n' ;;\n"
                "'--gtest_filter=First.*') echo '[ RUN      ] First.Is'; echo '[ RUN      ] "
                "First.Breaks'; kill -SEGV $$ ;;\n"
                "'--gtest_filter=Third/0.*') echo '[  FAILED  ] Third/0.Is'; exit 1 ;;\n"
                "esac");
  EXPECT_EQ(type(program_with_gpu(132), folder() + " --kernels taylor"), 1) << said();
  EXPECT_NE(summary().find("- **failed**: gpu-tests-First: exit code 139"), std::string::npos)
      << summary();
  EXPECT_NE(
      summary().find("- **failed**: gpu-tests-Third-0: exit code 1: [  FAILED  ] Third/0.Is\n"),
      std::string::npos)
      << summary();
  for (const char* filter :
       {"First.\\*\n", "First.\\*-First.Is:First.Breaks\n", "Of/Second.\\*\n", "Third/0.\\*\n"}) {
    EXPECT_EQ(count(log(), std::string("--gtest_filter=") + filter), 1) << filter << log();
  }
}

TEST_F(GpuCheck, HoldsTheGpuAndSaysWhatItsClockDid) {
  // Versions of nvidia-smi differ in a name; then: idle, 1980 MHz, 1500 MHz held back by the power
  // cap.
  write_command("nvidia-smi",
                "case $* in\n"
                "*throttle*) echo 'is not a valid field to query.'; exit 2 ;;\n"
                "*-lms*) echo $$ >" +
                    folder() +
                    ".pid\n"
                    "echo timestamp, clocks.current.sm, power.draw, temperature.gpu, reasons\n"
                    "echo '2026/01/01 00:00:00.000, 345 MHz, 70.00 W, 30, 0x0000000000000001'\n"
                    "echo '2026/01/01 00:00:00.500, 1980 MHz, 300.00 W, 41, 0x0000000000000000'\n"
                    "echo '2026/01/01 00:00:01.000, 1500 MHz, 699.70 W, 65, 0x0000000000000004'\n"
                    "exec sleep 60 ;;\n"
                    "esac");
  EXPECT_EQ(type(program_with_gpu(132), folder() + " --kernels taylor"), 0) << said();
  for (const char* row :
       {"| clock of the SMs while it computed, MHz | 1500 to 1980, mean 1740 (2 of 3 samples) |",
        "| most power and heat | 700 W, 65 degrees C |",
        "| held back, of the samples while it computed | power cap 50 % |"}) {
    EXPECT_NE(summary().find(row), std::string::npos) << row << "\n" << summary();
  }
  EXPECT_FALSE(is_running(read_text(folder() + ".pid")));
}

TEST_F(GpuCheck, ProfilesEachKernelOrSaysWhyNot) {
  write_command("ncu", "echo 'Section: GPU Speed Of Light Throughput'; exit 9");
  EXPECT_EQ(type(program_with_gpu(132), folder() + " --kernels taylor,grn"), 0) << said();
  EXPECT_NE(log().find("exit code 9)\n", log().find("== profile-grn (")), std::string::npos)
      << log();
  EXPECT_GT(log().find("== profile-taylor"), log().find("== record-taylor-whole"))
      << "which are more important";
  EXPECT_EQ(summary().find("profile"), std::string::npos) << summary();

  write_command("ncu", "echo '==ERROR== ERR_NVGPUCTRPERM - no permission'; exit 1");
  const std::string into = scratch_.path("refused");
  EXPECT_EQ(type(program_with_gpu(132), into + " --kernels taylor,grn"), 0) << said();
  EXPECT_NE(read_text(into + "/summary.md")
                .find("- skipped: profile-taylor: ==ERROR== "
                      "ERR_NVGPUCTRPERM - no permission\n"),
            std::string::npos)
      << read_text(into + "/summary.md");
  EXPECT_EQ(read_text(into + "/log.txt").find("profile-grn"), std::string::npos);
}

}  // namespace
}  // namespace equipoise::gpu_check_test
