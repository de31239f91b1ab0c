// Tests of cutting blocks from the pool, and of the proof that every item was done once.
#include "shared_policies/run/pool.hpp"

#include <gtest/gtest.h>

namespace equipoise::pool_test {
namespace {

TEST(Pool, RoundsARequestToTheNearestMultipleOfTheGrain) {
  Pool pool(1000, 16);
  EXPECT_EQ(pool.cut(23, 1000).items, 16);
  EXPECT_EQ(pool.cut(24, 1000).items, 32);
  EXPECT_EQ(pool.cut(1, 1000).items, 16);
  EXPECT_EQ(pool.remaining(), 1000 - 64);
}

TEST(Pool, CutsFromTheFrontWithoutGaps) {
  Pool pool(100, 1);
  EXPECT_EQ(pool.cut(30, 100).first, 0);
  EXPECT_EQ(pool.cut(30, 100).first, 30);
}

TEST(Pool, LeavesNoCrumbWhenItFits) {
  Pool pool(100, 16);  // a block of 96 would leave 4 items
  EXPECT_EQ(pool.cut(96, 100).items, 100);
  EXPECT_EQ(pool.remaining(), 0);
}

TEST(Pool, LeavesACrumbThatDoesNotFitAndHandsItOutLater) {
  Pool pool(100, 16);
  EXPECT_EQ(pool.cut(96, 96).items, 96);
  const ItemRange crumb = pool.cut(16, 96);
  EXPECT_EQ(crumb.first, 96);
  EXPECT_EQ(crumb.items, 4);
}

TEST(Pool, ClampsToTheCapInWholeGrains) {
  Pool pool(1000, 16);
  EXPECT_EQ(pool.cut(500, 100).items, 96);
}

TEST(Pool, GrantsWhatIsLeftOfFewerItemsThanAGrain) {
  Pool pool(5, 16);
  EXPECT_EQ(pool.cut(16, 5).items, 5);
}

TEST(Pool, DoesALostRangeAgainFirst) {
  Pool pool(100, 1);
  const ItemRange lost = pool.cut(10, 100);
  const ItemRange kept = pool.cut(10, 100);
  pool.put_back(lost);
  EXPECT_EQ(pool.remaining(), 90);
  EXPECT_EQ(pool.cut(50, 100).first, lost.first);  // only 10: blocks are contiguous
  EXPECT_EQ(pool.cut(50, 100).first, kept.first + kept.items);
}

TEST(Pool, TakesOutOfTheMiddleAndTellsWhatIsLeft) {
  Pool pool(100, 1);
  pool.take({0, 10});
  pool.take({40, 20});
  EXPECT_EQ(pool.remaining(), 70);
  ASSERT_EQ(pool.ranges().size(), 2U);  // descending
  EXPECT_EQ(pool.ranges()[0].first, 60);
  EXPECT_EQ(pool.ranges()[0].items, 40);
  EXPECT_EQ(pool.ranges()[1].first, 10);
  EXPECT_EQ(pool.ranges()[1].items, 30);
  pool.take({10, 30});
  EXPECT_EQ(pool.ranges().size(), 1U);
}

TEST(Pool, MergesRangesThatTouch) {
  Pool pool(100, 1);
  const ItemRange a = pool.cut(10, 100);
  const ItemRange b = pool.cut(10, 100);
  const ItemRange c = pool.cut(10, 100);
  pool.put_back(a);
  pool.put_back(c);
  pool.put_back(b);
  EXPECT_EQ(pool.cut(100, 100).items, 100);
}

TEST(Coverage, IsCompleteWhenEveryItemWasAcceptedOnceInAnyOrder) {
  Coverage coverage;
  coverage.add({20, 10});
  coverage.add({0, 10});
  EXPECT_FALSE(coverage.covers({0, 30}));
  coverage.add({10, 10});
  EXPECT_TRUE(coverage.covers({0, 30}));
  EXPECT_FALSE(coverage.covers({0, 31}));
}

TEST(CoverageDeathTest, StopsWhenAnItemIsAcceptedTwice) {
  Coverage coverage;
  coverage.add({0, 10});
  EXPECT_DEATH(coverage.add({9, 2}), "an item is accepted once");
}

}  // namespace
}  // namespace equipoise::pool_test
