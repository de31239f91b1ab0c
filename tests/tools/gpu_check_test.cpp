// Tests of tools/gpu-check without a GPU.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

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
    const std::string line = "EQUIPOISE=" + program_file() + " " +
                             (repository() / "tools/gpu-check").string() + " " + folder() + " " +
                             options + " >" + scratch_.path("said") + " 2>&1";
    const int status = std::system(line.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
    return WEXITSTATUS(status);
  }

  [[nodiscard]] std::string folder() const { return scratch_.path("checked"); }
  [[nodiscard]] std::string summary() const { return read_text(folder() + "/summary.md"); }
  [[nodiscard]] std::string said() const { return read_text(scratch_.path("said")); }

  void expect_few_small_files() const {
    int files = 0;
    for (const auto& entry : fs::directory_iterator(folder())) {
      ++files;
      EXPECT_LT(fs::file_size(entry), std::uintmax_t{16} << 20) << entry.path();
    }
    EXPECT_LE(files, 8);
    EXPECT_TRUE(fs::exists(folder() + "/raw.tar.gz"));
  }

 private:
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

TEST_F(GpuCheck, SaysWhyThereIsNoGpu) {
  const std::string why = cuda_kind().why_absent();
  if (why.empty()) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(check(""), 1);
  EXPECT_NE(summary().find("there is no GPU to check**: " + why), std::string::npos) << summary();
}

}  // namespace
}  // namespace equipoise::gpu_check_test
