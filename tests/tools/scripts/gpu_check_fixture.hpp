// Runs tools/gpu-check, also with programs in the place of ours and of NVIDIA's.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::gpu_check_test {

namespace fs = std::filesystem;

class GpuCheck : public testing::Test {
 protected:
  /// Runs gpu-check with `options`, and returns its exit code.
  [[nodiscard]] int check(const std::string& options) const {
    return type(program_file(), folder() + " " + options);
  }
  /// Runs gpu-check with `arguments` and a program in the place of ours. What `write_command` wrote
  /// comes before this machine's commands; `variables` are words for `env`.
  [[nodiscard]] int type(const std::string& program, const std::string& arguments,
                         const std::string& variables = "") const {
    const std::string line = "env " + variables + " PATH=" + scratch_.path("bin") +
                             ":$PATH EQUIPOISE=" + program + " " +
                             (repository() / "tools/gpu-check").string() + " " + arguments + " >" +
                             scratch_.path("said") + " 2>" + scratch_.path("complained");
    const int status = std::system(line.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
    return WEXITSTATUS(status);
  }

  /// A command that takes the place of this machine's, or, as "tests/...", of one of our programs.
  std::string write_command(const std::string& name, const std::string& body) const {
    const std::string folder = name.find('/') == std::string::npos ? "bin/" : "";
    std::string file = scratch_.write(folder + name, "#!/bin/sh\n" + body + "\n");
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }

  /// A program that finds a GPU of `sms` SMs and no meter of packages, and does nothing else.
  /// `on_run` is what `equipoise run` does.
  [[nodiscard]] std::string program_with_gpu(int sms, const std::string& on_run = ":") const {
    const std::string number = std::to_string(sms);
    std::string file = write_command(
        "program_" + number,
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
            "esac");
    write_command("compute-sanitizer", "");
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

}  // namespace equipoise::gpu_check_test
