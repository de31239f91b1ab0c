// What finds missing barriers in the programs (race_check.cpp).
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/gpu/racing_kernels.hpp"

namespace equipoise::races_test {
namespace {

TEST(RaceCheck, PassesWhatBarriersKeepApart) {
  std::vector<int> sums(3);
  launch_sum(3, true, sums.data());
  EXPECT_EQ(sums, (std::vector<int>{36, 36, 36}));
}

TEST(RaceCheckDeathTest, StopsAtAReadOfAnUnsynchronisedLastWriteEvenIfNobodyUsesIt) {
  std::vector<int> sums(1);
  EXPECT_DEATH(launch_sum(1, false, sums.data()), "a barrier is between a");
}

TEST(RaceCheckDeathTest, StopsAtReadsBeforeAndAfterAnothersWrite) {
  std::vector<int> numbers(racing_threads, 1);
  EXPECT_DEATH(launch_read_of_another(7, 0, numbers.data()), "a write and another thread's read");
  EXPECT_DEATH(launch_read_of_another(0, 7, numbers.data()), "a read and another thread's write");
}

TEST(RaceCheckDeathTest, StopsAtWritesOfTwoThreadsOfABlock) {
  int number = 0;
  launch_same_writes(4, 1, &number);
  EXPECT_EQ(number, 7);
  EXPECT_DEATH(launch_same_writes(1, 2, &number), "the writes of two threads");
}

}  // namespace
}  // namespace equipoise::races_test
