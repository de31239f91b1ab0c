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
#include "tests/support/temporary_folder.hpp"

namespace equipoise::gpu_check_test {
namespace {

namespace fs = std::filesystem;

class GpuCheck : public testing::Test {
 protected:
  /// Runs gpu-check with `options`, and returns its exit code.
  [[nodiscard]] int check(const std::string& options) const {
    return type(program_file(), folder() + " " + options);
  }
  /// Runs gpu-check with `arguments` and a program in the place of ours. What `program_with_gpu`
  /// wrote comes before this machine's compute-sanitizer.
  [[nodiscard]] int type(const std::string& program, const std::string& arguments) const {
    const std::string line = "PATH=" + scratch_.path("bin") + ":$PATH EQUIPOISE=" + program + " " +
                             (repository() / "tools/gpu-check").string() + " " + arguments + " >" +
                             scratch_.path("said") + " 2>" + scratch_.path("complained");
    const int status = std::system(line.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
    return WEXITSTATUS(status);
  }

  /// A program that finds a GPU of `sms` SMs and no meter of packages, and does nothing else.
  /// `on_run` is what `equipoise run` does.
  [[nodiscard]] std::string program_with_gpu(int sms, const std::string& on_run = ":") const {
    const std::string number = std::to_string(sms);
    std::string file = scratch_.write(
        "bin/program_" + number,
        "#!/bin/sh\n"
        "case $1 in\n"
        "list) echo 'GPU cuda:0: Fake GPU'; echo 'meters: cuda:0 (NVML); package-0 "
        "is not measured: only root may read it' ;;\n"
        "platform) echo '<host id=\"cuda0\"><prop id=\"model\" value=\"Fake\"/>\n<prop "
        "id=\"sms\" value=\"" +
            number +
            "\"/>\n</host>' >\"$4\" ;;\n"
            "record) while [ $# -gt 1 ]; do [ $1 != --out ] || echo "
            "'{\"busy_w\":60}' >\"$2\"; shift; done ;;\n"
            "run) " +
            on_run +
            " ;;\n"
            "esac\n");
    fs::permissions(file, fs::perms::owner_all);
    fs::permissions(scratch_.write("bin/compute-sanitizer", "#!/bin/sh\n"), fs::perms::owner_all);
    return file;
  }

  [[nodiscard]] std::string folder() const { return scratch_.path("checked"); }
  [[nodiscard]] std::string summary() const { return read_text(folder() + "/summary.md"); }
  [[nodiscard]] std::string said() const { return read_text(scratch_.path("said")); }
  [[nodiscard]] std::string complained() const { return read_text(scratch_.path("complained")); }
  [[nodiscard]] std::string log() const { return read_text(folder() + "/log.txt"); }

  void expect_few_small_files() const {
    int files = 0;
    for (const auto& entry : fs::directory_iterator(folder())) {
      ++files;
      EXPECT_LT(fs::file_size(entry), std::uintmax_t{16} << 20) << entry.path();
    }
    EXPECT_LE(files, 8);
    EXPECT_TRUE(fs::exists(folder() + "/raw.tar.gz"));
  }

  TemporaryFolder scratch_;
};

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
  for (const char* option : {"--device N", "--units emulated", "--kernels NAME", "--seconds N"}) {
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
    const std::string loaded = program_with_gpu(
        132, std::string("echo 'load on gpu from 0.001 s: ") + share + " of it, 0.5 asked for'");
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
