// Tests of locked outputs: who comes second is refused, and what was made for the lock goes away.
#include "traces/files/locked_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::output_lock_test {
namespace {

TEST(OutputLock, RefusesASecondWriterOfAFolderUntilTheFirstHasEnded) {
  const TemporaryFolder folder;
  const std::string out = folder.path("");
  {
    const OutputLock first = OutputLock::of_folder(out, "--out");
    EXPECT_EQ(refusal_of([&] { static_cast<void>(OutputLock::of_folder(out, "--out")); }),
              "--out: another equipoise is writing to " + out +
                  "; wait until it has ended, or give another folder");
  }
  EXPECT_TRUE(std::filesystem::is_empty(out));
  EXPECT_EQ(refusal_of([&] { static_cast<void>(OutputLock::of_folder(out, "--out")); }),
            "not refused");
}

TEST(OutputLock, KnowsAFileByAllItsPaths) {
  const TemporaryFolder folder;
  const std::string file = folder.write("f", "text");
  std::filesystem::create_symlink("f", folder.path("link"));
  const OutputLock first = OutputLock::of_file(folder.path("link"), "--out");
  EXPECT_EQ(refusal_of([&] { static_cast<void>(OutputLock::of_file(file, "--out")); }),
            "--out: another equipoise is writing " + file +
                "; wait until it has ended, or give another file");
  EXPECT_EQ(folder.read("f"), "text");
}

TEST(OutputLock, LeavesWhatWasThereAndNothingElse) {
  const TemporaryFolder folder;
  const std::string empty = folder.write("empty", "");
  for (const std::string& file : {empty, folder.path("new"), std::string()}) {
    const OutputLock lock = OutputLock::of_file(file, "--out");
  }
  EXPECT_TRUE(std::filesystem::exists(empty));
  EXPECT_FALSE(std::filesystem::exists(folder.path("new")));
}

TEST(OutputLock, LeavesDevicesToAll) {
  const OutputLock first = OutputLock::of_file("/dev/null", "--out");
  EXPECT_EQ(refusal_of([] { static_cast<void>(OutputLock::of_file("/dev/null", "--out")); }),
            "not refused");
}

}  // namespace
}  // namespace equipoise::output_lock_test
