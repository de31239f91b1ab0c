// Tests of outputs whose path is taken: links stay and are followed, modes are kept, and other
// names of a file keep what was there.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/small_machine.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/console/console.hpp"
#include "tools/console/file_in_progress.hpp"
#include "traces/files/locked_file.hpp"

namespace equipoise::replaced_outputs_test {
namespace {

namespace fs = std::filesystem;

class ReplacedOutputs : public testing::Test {
 protected:
  /// A file "shared" with mode 0600, in a folder of its own, and the path of a link to it.
  std::string linked_file() const {
    const std::string file = scratch.write("far/shared", "old");
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink("far/shared", scratch.path("link"));
    return scratch.path("link");
  }

  /// Expects that the link is one still, and that the file behind it is new and has its mode.
  void expect_followed() const {
    EXPECT_TRUE(fs::is_symlink(scratch.path("link")));
    EXPECT_NE(scratch.read("far/shared"), "old");
    EXPECT_EQ(mode_of("far/shared"), 0600u);
    EXPECT_EQ(files_in("far"), 1) << "nothing else is left there";
  }

  [[nodiscard]] mode_t mode_of(const std::string& name) const {
    struct stat file = {};
    EXPECT_EQ(::stat(scratch.path(name).c_str(), &file), 0);
    return file.st_mode & 0777;
  }

  [[nodiscard]] int files_in(const std::string& folder) const {
    const fs::directory_iterator files(scratch.path(folder));
    return static_cast<int>(std::distance(fs::begin(files), fs::end(files)));
  }

  [[nodiscard]] std::vector<std::string> simulation(const std::vector<std::string>& more) const {
    return with(with({"simulate"}, machine.words()),
                with({"--workload", "k:items=1000", "--policy", "equipoise", "--quiet"}, more));
  }

  TemporaryFolder scratch;
  SmallMachine machine{scratch};
};

TEST_F(ReplacedOutputs, AreTheFilesThatLinksName) {
  const std::string run = scratch.path("run.jsonl");
  ASSERT_EQ(run_equipoise(simulation({"--out", run})).exit_code, 0);
  for (const std::vector<std::string>& command :
       {simulation({"--experience"}),
        simulation({"--out"}),
        simulation({"--out", scratch.path("r.jsonl"), "--report"}),
        {"report", run, "--out"},
        {"report", run, "--csv"},
        {"report", run, "--perfetto"},
        {"platform", "detect", "--out"}}) {
    const std::string link = linked_file();
    if (command.back() == "--experience") fs::resize_file(link, 0);
    const ProgramRun written = run_equipoise(with(command, {link}));
    EXPECT_EQ(written.exit_code, 0) << command.front() << command.back() << written.err;
    EXPECT_EQ(written.err, "") << command.front() << command.back();
    expect_followed();
    fs::remove(link);
  }
}

TEST_F(ReplacedOutputs, OfAComparisonAreReplacedInTheSameWay) {
  scratch.write("far/shared", "old");
  fs::create_directory(scratch.path("cmp"));
  fs::create_symlink("../far/shared", scratch.path("cmp/results.csv"));
  const ProgramRun run =
      run_equipoise(with(with({"compare"}, machine.words()),
                         {"--workload", "k:items=1000", "--policy", "gss", "--reps", "2",
                          "--best-known", "off", "--out", scratch.path("cmp")}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(fs::is_symlink(scratch.path("cmp/results.csv")));
  EXPECT_NE(scratch.read("far/shared"), "old");
}

TEST_F(ReplacedOutputs, NeedNotBeThereBehindALink) {
  fs::create_directory(scratch.path("far"));
  fs::create_symlink("far/second", scratch.path("first"));
  fs::create_symlink(scratch.path("first"), scratch.path("link"));
  write_whole_file(scratch.path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(scratch.path("link")));
  EXPECT_TRUE(fs::is_symlink(scratch.path("first")));
  EXPECT_EQ(scratch.read("far/second"), "new");
  fs::create_symlink("nowhere/file", scratch.path("lost"));
  EXPECT_THROW(check_writable(scratch.path("lost"), "--out"), std::runtime_error);
  EXPECT_TRUE(is_same_path(scratch.path("link"), scratch.path("far/second")));
}

TEST_F(ReplacedOutputs, AreNotBehindLinksWithoutEnd) {
  fs::create_symlink("b", scratch.path("a"));
  fs::create_symlink("a", scratch.path("b"));
  FileInProgress file(scratch.path("a"));
  EXPECT_FALSE(file.put("new"));
  EXPECT_EQ(errno, ELOOP);
  EXPECT_TRUE(fs::is_symlink(scratch.path("a")));
}

TEST_F(ReplacedOutputs, AreLeftAloneByRunsThatFail) {
  const std::string link = linked_file();
  {
    FileInProgress file(link);
    EXPECT_TRUE(file.put("half of i"));
  }
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(scratch.read("far/shared"), "old");
  EXPECT_EQ(files_in("far"), 1);
}

TEST_F(ReplacedOutputs, KeepTheirModeWhateverTheMask) {
  scratch.write("f", "old");
  for (const mode_t mode : {0600, 0640, 0664, 0755}) {
    ASSERT_EQ(::chmod(scratch.path("f").c_str(), mode), 0);
    write_whole_file(scratch.path("f"), "new");
    EXPECT_EQ(mode_of("f"), mode);
  }
}

TEST_F(ReplacedOutputs, KeepWhatWasThereUnderTheirOtherNames) {
  scratch.write("f", "old");
  fs::create_hard_link(scratch.path("f"), scratch.path("snapshot"));
  testing::internal::CaptureStderr();
  write_whole_file(scratch.path("f"), "new");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "equipoise: note: " + scratch.path("f") +
                " was replaced; its other names (hard links) keep what was there\n");
  EXPECT_EQ(scratch.read("f"), "new");
  EXPECT_EQ(scratch.read("snapshot"), "old");
}

TEST_F(ReplacedOutputs, AreWrittenDirectlyWhereTheyAreOpenAlready) {
  const std::string file = scratch.write("log", "before\n");
  const int open = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const std::string path = "/proc/self/fd/" + std::to_string(open);
  EXPECT_EQ(target_of_links(path), path);
  write_whole_file(path, "new\n");
  ::close(open);
  EXPECT_EQ(scratch.read("log"), "before\nnew\n");
}

}  // namespace
}  // namespace equipoise::replaced_outputs_test
