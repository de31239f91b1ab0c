// Tests of the watch over blocks that units keep.
#include "shared_policies/run/block_watch.hpp"

#include <gtest/gtest.h>

namespace equipoise::block_watch_test {
namespace {

constexpr UnitId first{0};
constexpr UnitId second{1};

TEST(BlockWatch, CountsFromTheFirstBlockHandedOutOrTheLastThatCameBack) {
  BlockWatch watch(2, Seconds{10});
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
  watch.handed_out(first, Seconds{1});
  watch.handed_out(first, Seconds{5});
  watch.handed_out(second, Seconds{3});
  EXPECT_EQ(watch.next_late(), Seconds{11});
  EXPECT_EQ(watch.first_late(), first);
  watch.came_back(first, Seconds{4});
  EXPECT_EQ(watch.next_late(), Seconds{13});
  EXPECT_EQ(watch.first_late(), second);
  EXPECT_TRUE(watch.is_late(second, Seconds{13}));
  EXPECT_FALSE(watch.is_late(first, Seconds{13}));
  EXPECT_TRUE(watch.is_late(first, Seconds{14}));
}

TEST(BlockWatch, ForgetsUnitsWithoutBlocks) {
  BlockWatch watch(2, Seconds{10});
  watch.handed_out(first, Seconds{1});
  watch.came_back(first, Seconds{2});
  watch.handed_out(second, Seconds{1});
  watch.handed_out(second, Seconds{1});
  watch.lost(second);
  watch.lost(first);
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
  EXPECT_FALSE(watch.is_late(second, Seconds{100}));
  watch.handed_out(second, Seconds{20});
  EXPECT_EQ(watch.next_late(), Seconds{30});
}

TEST(BlockWatch, FindsNoUnitLateWithoutATimeout) {
  BlockWatch watch(1, Seconds::infinity());
  watch.handed_out(first, Seconds{1});
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
  EXPECT_FALSE(watch.is_late(first, Seconds{1e9}));
  watch.came_back(first, Seconds{2});
  watch.lost(first);
}

}  // namespace
}  // namespace equipoise::block_watch_test
