// Tests of locked files: additions by several threads all arrive, and nothing is left behind.
#include "traces/files/locked_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace equipoise::locked_file_test {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds long_time = std::chrono::minutes(10);

TEST(LockedFile, LetsAllAdditionsOfSeveralThreadsArrive) {
  const TemporaryFolder folder;
  constexpr int threads = 8;
  constexpr int additions = 50;
  std::vector<std::jthread> writers;
  for (int thread = 0; thread < threads; ++thread) {
    writers.emplace_back([&folder, thread] {
      const std::string mine = "mine" + std::to_string(thread);
      for (int i = 0; i < additions; ++i) {
        const LockedFile locked(folder.path("f"), long_time);
        folder.write(mine, folder.read("f") + "x");
        std::filesystem::rename(folder.path(mine), folder.path("f"));
      }
    });
  }
  writers.clear();  // waits for them
  EXPECT_EQ(folder.read("f"), std::string(std::size_t{threads} * additions, 'x'));
}

TEST(LockedFile, LeavesNoEmptyFileWhereNothingWasWritten) {
  const TemporaryFolder folder;
  {
    const LockedFile locked(folder.path("f"), long_time);
    EXPECT_EQ(folder.read("f"), "");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
}

TEST(LockedFile, IsNotWaitedForLongerThanThePatienceOfACaller) {
  const TemporaryFolder folder;
  const std::string file = folder.write("f", "text");
  const LockedFile locked(file, long_time);
  try {
    const LockedFile again(file, milliseconds(0));
    FAIL() << "locked twice";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(),
              file + ": another program keeps it locked; end that program, or give another file");
  }
  EXPECT_EQ(folder.read("f"), "text");
}

TEST(LockedFile, CannotBeInAFolderThatIsNotThere) {
  const TemporaryFolder folder;
  EXPECT_THROW(LockedFile(folder.path("none/f"), long_time), std::runtime_error);
}

}  // namespace
}  // namespace equipoise::locked_file_test
