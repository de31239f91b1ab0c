// Tests of the watch over blocks that units keep.
#include "shared_policies/run/block_watch.hpp"

#include <gtest/gtest.h>

namespace equipoise::block_watch_test {
namespace {

constexpr UnitId first{0};
constexpr UnitId second{1};

Workload workload_of(double resident_bytes = 0.0, double bytes_per_item = 0.0) {
  Workload workload;
  workload.items = 1000;
  workload.resident_bytes = resident_bytes;
  workload.in_bytes_per_item = bytes_per_item;
  return workload;
}

/// A watch over two units whose floor, of 1 s, matters little.
BlockWatch automatic_watch() { return {2, BlockTimeout::automatic(), {.floor = Seconds{1}}}; }

/// `unit` gets a block of so many items, which comes back.
void do_block(BlockWatch& watch, UnitId unit, Items items, double from_s, double to_s) {
  watch.handed_out(unit, items, Seconds{from_s});
  watch.came_back(unit, items, Seconds{to_s});
}

TEST(BlockWatch, CountsFromTheFirstBlockHandedOutOrTheLastThatCameBack) {
  BlockWatch watch(2, BlockTimeout::fixed(Seconds{10}));
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
  watch.handed_out(first, 1, Seconds{1});
  watch.handed_out(first, 2, Seconds{5});
  watch.handed_out(second, 3, Seconds{3});
  EXPECT_EQ(watch.next_late(), Seconds{11});
  EXPECT_EQ(watch.late(Seconds{11}), first);
  watch.came_back(first, 1, Seconds{4});
  EXPECT_EQ(watch.next_late(), Seconds{13});
  EXPECT_EQ(watch.late(Seconds{13}), second);
  watch.lost(second);
  EXPECT_EQ(watch.late(Seconds{13}), std::nullopt);
  EXPECT_EQ(watch.late(Seconds{14}), first);
}

TEST(BlockWatch, ForgetsUnitsWithoutBlocks) {
  BlockWatch watch(2, BlockTimeout::fixed(Seconds{10}));
  do_block(watch, first, 5, 1, 2);
  watch.handed_out(second, 5, Seconds{1});
  watch.handed_out(second, 5, Seconds{1});
  watch.lost(second);
  watch.lost(first);
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
  EXPECT_EQ(watch.late(Seconds{100}), std::nullopt);
  watch.joined(second, Seconds{20});
  watch.handed_out(second, 5, Seconds{20});
  EXPECT_EQ(watch.next_late(), Seconds{30});
}

TEST(BlockWatch, TakesAGivenTimeLiterally) {
  // The only unit is late, though all are, and though nobody looked.
  BlockWatch watch(1, BlockTimeout::fixed(Seconds{10}), {.every = Seconds{0.1}});
  watch.handed_out(first, 1, Seconds{1});
  EXPECT_EQ(watch.late(Seconds{11}), first);
}

TEST(BlockWatch, FindsNoUnitLateWithoutATimeout) {
  BlockWatch watch(1, {});
  watch.handed_out(first, 1, Seconds{1});
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
  EXPECT_EQ(watch.late(Seconds{1e9}), std::nullopt);
  watch.came_back(first, 1, Seconds{2});
  watch.lost(first);
}

TEST(AutomaticBlockWatch, AllowsTenTimesWhatTheUnitsOwnBlocksLetExpect) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(workload_of(), 0);
  do_block(watch, first, 10, 0, 2);
  do_block(watch, first, 30, 2, 5);  // 5 s for 40 items: 0.125 s an item; 3 s at most
  watch.handed_out(first, 8, Seconds{5});
  EXPECT_EQ(watch.next_late(), Seconds{35});  // 5 + 10 max(3, 8 * 0.125)
  watch.handed_out(first, 80, Seconds{6});
  EXPECT_EQ(watch.next_late(), Seconds{105});  // 5 + 10 max(3, 80 * 0.125)
  watch.withdrawn(first, 80);
  EXPECT_EQ(watch.late(Seconds{34.9}), std::nullopt);
  EXPECT_EQ(watch.late(Seconds{35}), first);
  EXPECT_EQ(watch.waited(first, Seconds{35}), Seconds{30});
}

TEST(AutomaticBlockWatch, DoesNotJudgeSmallBlocksByMicroseconds) {
  BlockWatch watch(2, BlockTimeout::automatic());
  watch.begin_iteration(workload_of(), 0);
  do_block(watch, first, 1, 0, 1e-6);
  watch.handed_out(first, 1, Seconds{1});
  EXPECT_EQ(watch.next_late(), Seconds{11});
}

TEST(AutomaticBlockWatch, JudgesAFirstBlockByThoseOfTheOthers) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(workload_of(2e9, 1e6), 0);
  watch.handed_out(second, 4, Seconds{});
  EXPECT_EQ(watch.next_late(), Seconds::infinity());  // nobody has done anything
  do_block(watch, first, 2, 0, 0.5);
  // 4 items at 0.25 s, times 10 for noise and 100 for differences of units; and 2 GB of resident data
  // and 4 MB of input at 10 MB/s.
  EXPECT_DOUBLE_EQ(watch.next_late().value, 1000.0 + 200.0 + 0.4);
  watch.came_back(second, 4, Seconds{20});
  watch.handed_out(second, 4, Seconds{20});
  EXPECT_EQ(watch.next_late(), Seconds{220});  // from now on by its own
}

TEST(AutomaticBlockWatch, JudgesTheFirstBlockWithChangedDataByThoseOfTheOthers) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(workload_of(), 0);
  do_block(watch, first, 1, 0, 1);
  do_block(watch, second, 1, 0, 2);
  watch.begin_iteration(workload_of(), 1);
  watch.handed_out(first, 1, Seconds{2});
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
  do_block(watch, second, 1, 2, 3);
  EXPECT_EQ(watch.next_late(), Seconds{2002});  // 2 + 10 * 100 * 2
  watch.came_back(first, 1, Seconds{3});
  watch.begin_iteration(workload_of(), 2);
  watch.handed_out(first, 1, Seconds{3});
  EXPECT_EQ(watch.next_late(), Seconds{13});
  watch.came_back(first, 1, Seconds{4});
  watch.begin_iteration(workload_of(), 0);  // another phase, of which nothing is known
  watch.handed_out(first, 1, Seconds{4});
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
}

TEST(AutomaticBlockWatch, LearnsNothingFromABlockThatCouldNotBeDone) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(workload_of(), 0);
  watch.handed_out(first, 1, Seconds{});
  watch.came_back(first, 1, Seconds{1}, false);
  watch.handed_out(first, 1, Seconds{1});
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
}

TEST(AutomaticBlockWatch, LosesNobodyIfAllAreLateUntilABlockComesBack) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(workload_of(), 0);
  do_block(watch, first, 1, 0, 1);
  do_block(watch, second, 1, 0, 1);
  watch.handed_out(first, 1, Seconds{1});
  watch.handed_out(second, 1, Seconds{1});
  EXPECT_EQ(watch.next_late(), Seconds{11});
  EXPECT_EQ(watch.late(Seconds{11}), std::nullopt);
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
  EXPECT_EQ(watch.late(Seconds{1000}), std::nullopt);
  watch.came_back(first, 1, Seconds{1001});  // counts begin again, for the other one, too
  EXPECT_EQ(watch.next_late(), Seconds{1011});
  EXPECT_EQ(watch.late(Seconds{1011}), second);
}

TEST(AutomaticBlockWatch, NeverLosesTheOnlyUnitThatIsPresent) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(workload_of(), 0);
  watch.lost(second);
  do_block(watch, first, 1, 0, 1);
  watch.handed_out(first, 1, Seconds{1});
  EXPECT_EQ(watch.late(Seconds{1e6}), std::nullopt);
  watch.joined(second, Seconds{1e6});  // which can do the work: the count begins again
  EXPECT_EQ(watch.late(Seconds{1e6 + 9}), std::nullopt);
  EXPECT_EQ(watch.late(Seconds{1e6 + 10}), first);
}

TEST(AutomaticBlockWatch, DoesNotCountTimeInWhichItsExecutorDidNotLook) {
  BlockWatch watch(2, BlockTimeout::automatic(), {.floor = Seconds{1}, .every = Seconds{0.5}});
  watch.begin_iteration(workload_of(), 0);
  do_block(watch, first, 1, 0, 0.25);
  watch.handed_out(first, 1, Seconds{0.25});
  EXPECT_EQ(watch.next_late(), Seconds{2.75});
  EXPECT_EQ(watch.late(Seconds{0.75}), std::nullopt);    // 0.5 s of 2.5 s count
  EXPECT_EQ(watch.late(Seconds{3600.5}), std::nullopt);  // 0.5 s more: it looked an hour later
  EXPECT_EQ(watch.next_late(), Seconds{3602});
  EXPECT_EQ(watch.late(Seconds{3601}), std::nullopt);
  EXPECT_EQ(watch.late(Seconds{3601.5}), std::nullopt);
  EXPECT_EQ(watch.late(Seconds{3602}), first);
}

TEST(AutomaticBlockWatch, CountsFromWhereItsExecutorStoppedLookingForABlockThatCameBackMeanwhile) {
  // A block comes back at 1 s. From 1 s to 3601 s nobody looks; the next one may take 2.5 s of what
  // counts, of which 0.5 s were before.
  BlockWatch watch(2, BlockTimeout::automatic(), {.floor = Seconds{2.5}, .every = Seconds{0.5}});
  watch.begin_iteration(workload_of(), 0);
  watch.handed_out(first, 1, Seconds{0.75});
  watch.handed_out(first, 1, Seconds{1});
  EXPECT_EQ(watch.late(Seconds{3601}), std::nullopt);
  watch.came_back(first, 1, Seconds{1});
  EXPECT_EQ(watch.next_late(), Seconds{3603});
}

TEST(AutomaticBlockWatch, WaitsLongerForAUnitThatHasAnsweredAfterAll) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(workload_of(), 0);
  do_block(watch, first, 1, 0, 1);
  do_block(watch, second, 1, 0, 1);
  watch.handed_out(first, 1, Seconds{1});
  EXPECT_EQ(watch.late(Seconds{11}), first);
  watch.lost(first);
  watch.answered(first,
                 Seconds{2001});  // 2000 s after it was handed out: it may take as long again
  watch.handed_out(first, 1, Seconds{2001});
  EXPECT_EQ(watch.next_late(), Seconds{4001});
}

}  // namespace
}  // namespace equipoise::block_watch_test
