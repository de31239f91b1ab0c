// Tests of tools/gpu-check without a GPU.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>

#include "real/cuda/cuda_unit.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/tools/scripts/gpu_check_fixture.hpp"

namespace equipoise::gpu_check_test {
namespace {

TEST_F(GpuCheck, MakesItsChecksOnEmulatedUnitsAndSaysWhichNeedCuda) {
  EXPECT_EQ(check("--units emulated --kernels blackscholes"), 0) << said() << summary();
  EXPECT_NE(summary().find(", 0 failed, "), std::string::npos) << summary();
  EXPECT_NE(summary().find("- skipped: memcheck: needs CUDA"), std::string::npos) << summary();
  EXPECT_NE(summary().find("| prediction, parts, blackscholes: median error | "), std::string::npos)
      << summary();
  EXPECT_NE(summary().find("| makespan s, blackscholes: equipoise |"), std::string::npos)
      << summary();
  EXPECT_EQ(summary().find("missed"), std::string::npos) << "figures of emulated units say nothing";
  EXPECT_EQ(check("--units emulated"), 2);
  EXPECT_EQ(complained().find("gpu-check: error: " + folder() + " holds an earlier check; give "),
            0u)
      << complained();
  expect_few_small_files();
}

TEST_F(GpuCheck, ChecksTheMostImportantQuickly) {
  EXPECT_EQ(check("--units emulated --quick --seconds 1700 --each 600 --kernels binomial,taylor"),
            0)
      << said() << summary();
  EXPECT_EQ(summary().find("# GPU check, quick: none; emulated units"), 0u) << summary();
  EXPECT_NE(summary().find("| prediction, cpu, binomial: median error | "), std::string::npos)
      << summary();
  for (const char* made : {"platform", "verified-binomial", "verified-taylor",
                           "record-binomial-cpu", "validate-cpu-binomial"}) {
    EXPECT_NE(log().find(std::string("== ") + made + " ("), std::string::npos) << made;
  }
  EXPECT_NE(summary().find("\n5 passed, 0 failed, 0 skipped in "), std::string::npos) << summary();
  expect_few_small_files();
}

TEST_F(GpuCheck, SkipsWhatFindsNoTimeAndNamesIt) {
  EXPECT_EQ(check("--units emulated --kernels taylor --seconds 1"), 0) << said();
  EXPECT_NE(summary().find("- skipped: verified-taylor: no time left"), std::string::npos)
      << summary();
  expect_few_small_files();
}

TEST_F(GpuCheck, GoesOnAfterAFailureAndLeavesWhatItHasWhenItIsInterrupted) {
  // A program that fails, and interrupts the check when it is to record.
  const std::string failing = folder() + ".failing";
  const std::string body = "#!/bin/sh\ncase $1 in list|--version|platform) exec " + program_file() +
                           " \"$@\";; record) kill -TERM $(cat " + folder() +
                           ".pid); sleep 60;; *) echo error: broken >&2; exit 1;; esac\n";
  const std::string line = "printf '%s' '" + body + "' >" + failing + " && chmod +x " + failing +
                           " && (EQUIPOISE=" + failing + " sh -c 'echo $$ >" + folder() +
                           ".pid; exec " + (repository() / "tools/gpu-check").string() + " " +
                           folder() + " --units emulated --kernels taylor') >/dev/null 2>&1";
  const int status = std::system(line.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
  EXPECT_EQ(WEXITSTATUS(status), 143);
  EXPECT_NE(summary().find("**failed**: verified-taylor: exit code 1: error: broken"),
            std::string::npos)
      << summary();
  EXPECT_NE(summary().find("**failed**: shared-taylor"), std::string::npos) << summary();
  EXPECT_NE(summary().find("**interrupted** in: record-taylor-cpu"), std::string::npos)
      << summary();
  expect_few_small_files();
}

TEST_F(GpuCheck, NamesWhatIsWrongWithItsOptions) {
  scratch_.write("file", "");
  for (const auto& [arguments, why] :
       {std::pair(std::string(), "give a folder for the results"),
        {folder() + " --seconds 5m", "--seconds: '5m' is no whole number of seconds"},
        {folder() + " --each 0", "--each: '0' is no whole number of seconds"},
        {folder() + " --units hip", "--units: 'hip' is neither cuda nor emulated"},
        {folder() + " --kernels taylor,tailor",
         "--kernels: there is no kernel 'tailor'; there are blackscholes binomial "},
        {folder() + " --device first", "--device: 'first' is no number of a GPU"},
        {folder() + " --device", "--device needs a value"},
        {folder() + " --fast", "there is no option --fast"},
        {scratch_.path("file"), "file is a file; give a folder"}}) {
    EXPECT_EQ(type(program_file(), arguments), 2) << arguments;
    EXPECT_NE(complained().find(why), std::string::npos) << complained();
    EXPECT_EQ(said(), "");
  }
  EXPECT_FALSE(fs::exists(folder()));
  EXPECT_EQ(type(program_file(), "--help"), 0);
  EXPECT_EQ(complained(), "");
  for (const char* option :
       {"--quick", "--device N", "--units emulated", "--kernels NAME", "--seconds N", "--each N"}) {
    EXPECT_NE(said().find(option), std::string::npos) << said();
  }
}

TEST_F(GpuCheck, DividesAGpuIntoPartsThatFit) {
  for (const auto& [sms, parts] : {std::pair(132, "16 32 64"),
                                   {112, "16 32 64"},
                                   {108, "8 24 48"},  // 13.5, 27, 54
                                   {40, "4 8 20"},    // 5, 10, 20
                                   {16, "2 4 8"}}) {
    const std::string into = scratch_.path("checked_" + std::to_string(sms));
    EXPECT_EQ(type(program_with_gpu(sms), into + " --kernels taylor"), 0) << said();
    std::string asked;
    for (std::istringstream sizes(parts); sizes >> asked;) {
      EXPECT_NE(read_text(into + "/log.txt").find("cuda\\,device=0\\,sms=" + asked + "\\,id=sms"),
                std::string::npos)
          << sms << ": " << parts << read_text(into + "/log.txt").substr(0, 3000);
    }
  }
}

TEST_F(GpuCheck, SkipsPartsWhereTheGpuIsTooSmallOrTheProgramRefusesThem) {
  EXPECT_EQ(type(program_with_gpu(12), folder() + " --kernels taylor"), 0) << said();
  EXPECT_NE(summary().find("- skipped: parts: three parts need 16 SMs or more, and the GPU has 12"),
            std::string::npos)
      << summary();
  EXPECT_EQ(log().find("record-taylor-parts"), std::string::npos);
  const std::string into = scratch_.path("refused");
  const std::string refusing = program_with_gpu(
      20, "case $* in *sms=*) echo 'equipoise: error: sms=2 is not possible' >&2; exit 2 ;; esac");
  EXPECT_EQ(type(refusing, into + " --kernels taylor"), 0) << said();
  const std::string page = read_text(into + "/summary.md");
  EXPECT_NE(page.find("- skipped: parts: equipoise: error: sms=2 is not possible"),
            std::string::npos)
      << page;
  EXPECT_EQ(read_text(into + "/log.txt").find("record-taylor-parts"), std::string::npos);
}

TEST_F(GpuCheck, TakesSmallerPartsWhereTheDriverHasTooFewGroupsOfSms) {
  const std::string few = program_with_gpu(
      132, "case $* in *sms=64*) echo 'equipoise: error: 112 SMs in all' >&2; exit 2 ;; esac");
  EXPECT_EQ(type(few, folder() + " --kernels taylor"), 0) << said();
  EXPECT_NE(summary().find("- parts have 8 16 32 SMs, because 16 32 64 are refused: equipoise: "
                           "error: 112 SMs in all\n"),
            std::string::npos)
      << summary();
  const std::string all = log();
  EXPECT_NE(all.find("cuda\\,device=0\\,sms=32\\,id=sms32", all.find("== record-taylor-parts")),
            std::string::npos)
      << all;
  EXPECT_EQ(all.find("sms=64", all.find("== record-taylor-parts")), std::string::npos) << all;
}

TEST_F(GpuCheck, LooksForLibrariesInPackagesForPython) {
  const std::string found = scratch_.path("env/lib/python3.11/site-packages/nvidia/cu13/lib");
  scratch_.write("env/lib/python3.11/site-packages/nvidia/cu13/lib/libcublas.so.13", "");
  scratch_.write("env/lib/python3.11/site-packages/nvidia/other/lib/libother.so", "");
  const std::string telling =
      program_with_gpu(132, "echo \"at $LD_LIBRARY_PATH for $OPENBLAS_CORETYPE.\"");
  const std::string own = "VIRTUAL_ENV=" + scratch_.path("env") + " LD_LIBRARY_PATH=/mine";
  EXPECT_EQ(
      type(telling, folder() + " --kernels taylor --quick", own + " --unset=OPENBLAS_CORETYPE"), 0);
  const std::size_t said_at = log().find("\nat /mine:");
  ASSERT_NE(said_at, std::string::npos) << log();
  const std::string line = log().substr(said_at, log().find(".\n", said_at) - said_at);
  EXPECT_NE((line + ":").find(":" + found), std::string::npos) << line;
  EXPECT_EQ(line.find("nvidia/other"), std::string::npos) << line;
  EXPECT_NE(line.find(" for Haswell"), std::string::npos) << line;

  const std::string into = scratch_.path("zen");
  EXPECT_EQ(type(telling, into + " --kernels taylor --quick", "OPENBLAS_CORETYPE=Zen"), 0);
  EXPECT_NE(read_text(into + "/log.txt").find(" for Zen."), std::string::npos);
}

TEST_F(GpuCheck, CountsMissedTargetsAndSaysWhichMeterIsMissing) {
  EXPECT_EQ(type(program_with_gpu(132), folder() + " --kernels blackscholes"), 0) << said();
  // Nobody has said how far the load and six predictions are from what they should be.
  EXPECT_NE(summary().find(" 7 targets missed in "), std::string::npos) << summary();
  EXPECT_NE(said().find(" 7 targets missed in "), std::string::npos) << said();
  EXPECT_NE(summary().find("- skipped: edp: not every unit has watts; meters: cuda:0 (NVML); "
                           "package-0 is not measured: only root may read it"),
            std::string::npos)
      << summary();
}

TEST_F(GpuCheck, SaysWhichGpusThereAre) {
  EXPECT_EQ(type(program_with_gpu(132), folder() + " --device 1"), 1);
  EXPECT_NE(summary().find("there is no GPU to check**: there is no GPU 1; there are: 0"),
            std::string::npos)
      << summary();
}

TEST_F(GpuCheck, JudgesACompetingLoadByItsShare) {
  for (const auto& [share, verdict] :
       {std::pair("0.30", "**missed**"), {"0.60", "ok"}, {"0.70", "**missed**"}}) {
    const std::string into = scratch_.path(std::string("load_") + share);
    const std::string loaded =
        program_with_gpu(132, std::string("echo 'load on gpu from 1.000 ms: ") + share +
                                  " of it (0.500 asked for)'");
    EXPECT_EQ(type(loaded, into + " --kernels taylor"), 0) << said();
    EXPECT_NE(read_text(into + "/summary.md")
                  .find(std::string("(0.5 asked for) | ") + share + " | 0.35 to 0.65 | " + verdict),
              std::string::npos)
        << read_text(into + "/summary.md");
  }
}

TEST_F(GpuCheck, SaysWhyThereIsNoGpu) {
  const std::string why = cuda_kind().why_absent();
  if (why.empty()) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(check(""), 1);
  EXPECT_NE(summary().find("there is no GPU to check**: " + why), std::string::npos) << summary();
}

}  // namespace
}  // namespace equipoise::gpu_check_test
