// Tests of the watch over blocks that units keep.
#include "shared_policies/run/block_watch.hpp"

#include <gtest/gtest.h>

#include <vector>

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

const std::vector<UnitKind> cores = {UnitKind::cpu, UnitKind::cpu};

/// A watch over two cores whose floor, of 1 s, matters little.
BlockWatch automatic_watch() { return {cores, BlockTimeout::automatic(), {.floor = Seconds{1}}}; }

/// Blocks of later iterations have larger ids.
Block block_of(Items items, int phase = 0, int iteration = 0) {
  return {.id = static_cast<std::uint64_t>(100 * phase + iteration),
          .items = items,
          .phase = phase,
          .iteration = iteration};
}

/// `unit` gets `block`, which comes back, after a setup.
void do_block(BlockWatch& watch, UnitId unit, const Block& block, double from_s, double to_s,
              double setup_s = 0.0) {
  watch.handed_out(unit, block, Seconds{from_s});
  watch.came_back(unit, block, Seconds{to_s}, Seconds{setup_s});
}

/// The same in the first iteration of the first phase, without a setup.
void do_block(BlockWatch& watch, UnitId unit, Items items, double from_s, double to_s) {
  do_block(watch, unit, block_of(items), from_s, to_s);
}

/// A block of `items` of the first iteration comes back.
void come_back(BlockWatch& watch, UnitId unit, Items items, double at_s) {
  watch.came_back(unit, block_of(items), Seconds{at_s}, {});
}

/// A watch over two cores that have done an item in a second each, and have got the next one.
BlockWatch watch_with_a_block_each() {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(0, workload_of());
  for (const UnitId unit : {first, second}) {
    do_block(watch, unit, 1, 0, 1);
    watch.handed_out(unit, block_of(1), Seconds{1});
  }
  return watch;
}

TEST(BlockWatch, CountsFromTheFirstBlockHandedOutOrTheLastThatCameBack) {
  BlockWatch watch(cores, BlockTimeout::fixed(Seconds{10}));
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
  watch.handed_out(first, block_of(1), Seconds{1});
  watch.handed_out(first, block_of(2), Seconds{5});
  watch.handed_out(second, block_of(3), Seconds{3});
  EXPECT_EQ(watch.next_late(), Seconds{11});
  EXPECT_EQ(watch.late(Seconds{11}), first);
  come_back(watch, first, 1, 4);
  EXPECT_EQ(watch.next_late(), Seconds{13});
  EXPECT_EQ(watch.late(Seconds{13}), second);
  watch.lost(second);
  EXPECT_EQ(watch.late(Seconds{13}), std::nullopt);
  EXPECT_EQ(watch.late(Seconds{14}), first);
}

TEST(BlockWatch, ForgetsUnitsWithoutBlocks) {
  BlockWatch watch(cores, BlockTimeout::fixed(Seconds{10}));
  do_block(watch, first, 5, 1, 2);
  watch.handed_out(second, block_of(5), Seconds{1});
  watch.handed_out(second, block_of(5), Seconds{1});
  watch.lost(second);
  watch.lost(first);
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
  EXPECT_EQ(watch.late(Seconds{100}), std::nullopt);
  watch.joined(second, Seconds{20});
  watch.handed_out(second, block_of(5), Seconds{20});
  EXPECT_EQ(watch.next_late(), Seconds{30});
}

TEST(BlockWatch, TakesAGivenTimeLiterally) {
  // The only unit is late, though all are, and though nobody looked.
  BlockWatch watch({UnitKind::cpu}, BlockTimeout::fixed(Seconds{10}), {.every = Seconds{0.1}});
  watch.handed_out(first, block_of(1), Seconds{1});
  EXPECT_EQ(watch.late(Seconds{11}), first);
}

TEST(BlockWatch, FindsNoUnitLateWithoutATimeout) {
  BlockWatch watch({UnitKind::cpu}, {});
  watch.handed_out(first, block_of(1), Seconds{1});
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
  EXPECT_EQ(watch.late(Seconds{1e9}), std::nullopt);
  come_back(watch, first, 1, 2);
  watch.lost(first);
}

TEST(AutomaticBlockWatch, AllowsTenTimesWhatTheUnitsOwnBlocksLetExpect) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(0, workload_of());
  do_block(watch, first, 10, 0, 2);
  do_block(watch, first, 30, 2, 5);  // 5 s for 40 items: 0.125 s an item; 3 s at most
  watch.handed_out(first, block_of(8), Seconds{5});
  EXPECT_EQ(watch.next_late(), Seconds{35});  // 5 + 10 max(3, 8 * 0.125)
  watch.handed_out(first, block_of(80), Seconds{6});
  EXPECT_EQ(watch.next_late(), Seconds{105});  // 5 + 10 max(3, 80 * 0.125)
  watch.withdrawn(first, 80);
  EXPECT_EQ(watch.late(Seconds{34.9}), std::nullopt);
  EXPECT_EQ(watch.late(Seconds{35}), first);
  EXPECT_EQ(watch.waited(first, Seconds{35}), Seconds{30});
}

TEST(AutomaticBlockWatch, DoesNotJudgeSmallBlocksByMicroseconds) {
  BlockWatch watch(cores, BlockTimeout::automatic());
  watch.begin_iteration(0, workload_of());
  do_block(watch, first, 1, 0, 1e-6);
  watch.handed_out(first, block_of(1), Seconds{1});
  EXPECT_EQ(watch.next_late(), Seconds{11});
}

TEST(AutomaticBlockWatch, JudgesAFirstBlockByTheLongestWaitAndTheSlowestPaceOfTheOthers) {
  BlockWatch watch({UnitKind::cpu, UnitKind::cpu, UnitKind::cpu}, BlockTimeout::automatic(),
                   {.floor = Seconds{1}});
  const UnitId third{2};
  watch.begin_iteration(0, workload_of());
  watch.handed_out(third, block_of(4), Seconds{});
  EXPECT_EQ(watch.next_late(), Seconds::infinity());  // nobody has done anything
  do_block(watch, first, 2, 0, 0.5);
  EXPECT_EQ(watch.next_late(), Seconds{10});  // 10 * 4 items at 0.25 s
  do_block(watch, second, 1, 0, 0.75);
  EXPECT_EQ(watch.late(Seconds{10}), std::nullopt);
  EXPECT_EQ(watch.next_late(), Seconds{30});  // 10 * 4 items at 0.75 s
  do_block(watch, second, 30, 0.75, 4.75);
  EXPECT_EQ(watch.late(Seconds{30}), std::nullopt);
  EXPECT_EQ(watch.next_late(), Seconds{40});  // 10 * the longest wait of all
  come_back(watch, third, 4, 20);
  watch.handed_out(third, block_of(4), Seconds{20});
  EXPECT_EQ(watch.next_late(), Seconds{220});  // from now on by its own
}

TEST(AutomaticBlockWatch, JudgesAFirstBlockByUnitsOfItsKindAsSoonAsOneHasDoneABlock) {
  BlockWatch watch({UnitKind::gpu, UnitKind::cpu, UnitKind::cpu, UnitKind::gpu},
                   BlockTimeout::automatic(), {.floor = Seconds{1}});
  watch.begin_iteration(0, workload_of());
  for (std::uint32_t unit = 1; unit < 4; ++unit) watch.handed_out({unit}, block_of(1), Seconds{});
  do_block(watch, {0}, 10, 0, 1);  // a GPU: 0.1 s an item, 1 s in all
  EXPECT_EQ(watch.late(Seconds{10}), UnitId{3}) << "the other GPU, after 10 * 1 s";
  watch.lost({3});
  EXPECT_EQ(watch.next_late(), Seconds{100}) << "a core may be a hundred times slower";
  come_back(watch, {1}, 1, 20);
  EXPECT_EQ(watch.next_late(), Seconds{200}) << "the other core is judged by this one";
  // A GPU that only cores can judge is not expected to be slower than they are.
  watch.begin_iteration(1, workload_of());
  do_block(watch, {1}, block_of(1, 1), 20, 22);
  watch.handed_out({0}, block_of(1, 1), Seconds{22});
  EXPECT_EQ(watch.next_late(), Seconds{42});
}

TEST(AutomaticBlockWatch, AllowsAFirstBlockTheLongestSetupOrTheBytesOfItsCopiesNotTenTimesThat) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(0, workload_of(2e9, 1e6));
  watch.handed_out(second, block_of(4), Seconds{});
  do_block(watch, first, block_of(2), 0, 60.5, 60);  // 0.25 s an item beside a setup of 60 s
  // 10 * 4 items, and 2 GB of resident data and 4 MB of input at 10 MB/s.
  EXPECT_DOUBLE_EQ(watch.next_late().value, 10.0 + 200.0 + 0.4);
  watch.begin_iteration(1, workload_of());
  watch.handed_out(first, block_of(4, 1), Seconds{70});
  come_back(watch, second, 4, 71);
  do_block(watch, second, block_of(4, 1), 71, 133, 60);
  EXPECT_EQ(watch.next_late(), Seconds{70 + 20 + 60}) << "the setup took longer than its bytes";
}

TEST(AutomaticBlockWatch, JudgesAUnitByItsOwnBlocksInFurtherIterations) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(0, workload_of(1e8));
  do_block(watch, first, block_of(1), 0, 21, 20);
  do_block(watch, second, 1, 0, 2);
  watch.begin_iteration(0, workload_of(1e8));
  watch.handed_out(first, block_of(1, 0, 1), Seconds{21});
  EXPECT_EQ(watch.next_late(), Seconds{21 + 10 + 20}) << "data that have changed may be sent again";
  watch.came_back(first, block_of(1, 0, 1), Seconds{22}, {});
  watch.handed_out(first, block_of(1, 0, 1), Seconds{22});
  EXPECT_EQ(watch.next_late(), Seconds{32});
  watch.came_back(first, block_of(1, 0, 1), Seconds{23}, {});
  watch.begin_iteration(1, workload_of());  // another phase, of which nothing is known
  watch.handed_out(first, block_of(1, 1), Seconds{23});
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
}

TEST(AutomaticBlockWatch, LearnsNothingFromBlocksOfAnEarlierIterationThatEndLate) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(0, workload_of());
  do_block(watch, first, 1, 0, 2);
  watch.handed_out(first, block_of(1), Seconds{2});  // dropped, and goes on
  do_block(watch, second, 1, 2, 3);
  watch.begin_iteration(1, workload_of());
  EXPECT_EQ(watch.next_late(), Seconds{22}) << "it keeps what it was allowed";
  watch.handed_out(first, block_of(1, 1), Seconds{3});
  watch.handed_out(second, block_of(1, 1), Seconds{3});
  come_back(watch, first, 1, 9);  // as slow as the phase before was
  EXPECT_EQ(watch.next_late(), Seconds::infinity()) << "nobody has done a block of this phase";
  watch.came_back(second, block_of(1, 1), Seconds{9.5}, {});
  EXPECT_EQ(watch.next_late(), Seconds{9 + 65}) << "10 * 6.5 s of the other one, since it answered";
}

/// As the agent of a node, which begins to divide another block of the same iteration.
TEST(AutomaticBlockWatch, KeepsWhatItHasLearnedWhenTheSamePhaseBeginsAgain) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(0, workload_of());
  do_block(watch, first, 1, 0, 2);
  watch.handed_out(second, {.id = 1, .items = 3}, Seconds{2});  // dropped, and goes on
  watch.begin_iteration(0, workload_of());
  watch.handed_out(first, {.id = 2, .items = 1}, Seconds{3});
  EXPECT_EQ(watch.next_late(), Seconds{3 + 20}) << "10 * 2 s";
  watch.came_back(second, {.id = 1, .items = 3}, Seconds{4}, {});
  watch.came_back(first, {.id = 2, .items = 1}, Seconds{5}, {});
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
}

TEST(AutomaticBlockWatch, LearnsNothingFromABlockThatCouldNotBeDone) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(0, workload_of());
  watch.handed_out(first, block_of(1), Seconds{});
  watch.came_back(first, block_of(1), Seconds{1}, {}, false);
  watch.handed_out(first, block_of(1), Seconds{1});
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
}

TEST(AutomaticBlockWatch, LosesNobodyIfAllAreLateUntilABlockComesBack) {
  BlockWatch watch = watch_with_a_block_each();
  EXPECT_EQ(watch.next_late(), Seconds{11});
  EXPECT_EQ(watch.late(Seconds{11}), std::nullopt);
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
  EXPECT_EQ(watch.late(Seconds{1000}), std::nullopt);
  come_back(watch, first, 1, 1001);  // counts begin again, for the other one, too
  EXPECT_EQ(watch.next_late(), Seconds{1011});
  EXPECT_EQ(watch.late(Seconds{1011}), second);
}

TEST(AutomaticBlockWatch, LosesThoseWhoAreLateOnceAUnitIsFreeBecauseItsBlockWasTakenBack) {
  BlockWatch watch = watch_with_a_block_each();
  EXPECT_EQ(watch.late(Seconds{11}), std::nullopt) << "all are late";
  watch.withdrawn(second, 1);
  EXPECT_EQ(watch.late(Seconds{12}), first);
}

TEST(AutomaticBlockWatch, SaysWhenWaitingForAllUnitsHasNoSenseAnyMore) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(0, workload_of());
  do_block(watch, first, 1, 0, 1);
  do_block(watch, second, 1, 0, 2);
  watch.handed_out(first, block_of(1), Seconds{1});
  watch.handed_out(second, block_of(1), Seconds{2});
  EXPECT_EQ(watch.late(Seconds{11}), first);
  watch.lost(first);
  EXPECT_EQ(watch.stop_waiting_at(), Seconds::infinity()) << "the other one is there";
  EXPECT_EQ(watch.late(Seconds{22}), std::nullopt) << "the only one is not lost";
  EXPECT_EQ(watch.stop_waiting_at(), Seconds{2 + 10 * 20}) << "ten times what it was allowed";
  come_back(watch, second, 1, 150);
  EXPECT_EQ(watch.stop_waiting_at(), Seconds::infinity());
  watch.lost(second);  // by the scenario
  EXPECT_EQ(watch.stop_waiting_at(), Seconds{1 + 10 * 10}) << "only the first may answer";
}

TEST(AutomaticBlockWatch, FindsAUnitLateThatDoesNotAnswerAProbe) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(0, workload_of());
  const Probe small{.there_bytes = 0.0};
  const Probe large{.there_bytes = 4e7, .back_bytes = 1e7};
  watch.probe_sent(first, large, Seconds{0});
  watch.probe_sent(second, small, Seconds{0});
  EXPECT_EQ(watch.next_late(), Seconds::infinity()) << "nothing has come back from any unit";
  watch.probe_ended(second, small, Seconds{0.5});
  EXPECT_EQ(watch.next_late(), Seconds{5 + 5}) << "10 * 0.5 s, and 50 MB at 10 MB/s";
  watch.probe_sent(first, small, Seconds{3});
  watch.probe_ended(first, large, Seconds{4});
  EXPECT_EQ(watch.next_late(), Seconds{4 + 40}) << "10 * 4 s, since it answered";
  watch.probe_ended(first, small, Seconds{4});
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
}

TEST(AutomaticBlockWatch, WaitsForBlocksAndProbesOfAUnitAsLongAsTheLongerMayTake) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(0, workload_of());
  do_block(watch, first, 1, 0, 3);
  watch.handed_out(first, block_of(1), Seconds{3});
  watch.probe_sent(first, {.there_bytes = 1e7}, Seconds{3});
  EXPECT_EQ(watch.next_late(), Seconds{33});
  come_back(watch, first, 1, 4);
  EXPECT_EQ(watch.next_late(), Seconds{4 + 1 + 1}) << "the floor, and 10 MB at 10 MB/s";
  EXPECT_EQ(watch.late(Seconds{6}), first);
  watch.lost(first);
  EXPECT_EQ(watch.next_late(), Seconds::infinity());
}

TEST(AutomaticBlockWatch, NeverLosesTheOnlyUnitThatIsPresent) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(0, workload_of());
  watch.lost(second);
  do_block(watch, first, 1, 0, 1);
  watch.handed_out(first, block_of(1), Seconds{1});
  EXPECT_EQ(watch.late(Seconds{1e6}), std::nullopt);
  watch.joined(second, Seconds{1e6});  // which can do the work: the count begins again
  EXPECT_EQ(watch.late(Seconds{1e6 + 9}), std::nullopt);
  EXPECT_EQ(watch.late(Seconds{1e6 + 10}), first);
}

TEST(AutomaticBlockWatch, DoesNotCountTimeInWhichItsExecutorDidNotLook) {
  BlockWatch watch(cores, BlockTimeout::automatic(), {.floor = Seconds{1}, .every = Seconds{0.5}});
  watch.begin_iteration(0, workload_of());
  do_block(watch, first, 1, 0, 0.25);
  watch.handed_out(first, block_of(1), Seconds{0.25});
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
  BlockWatch watch(cores, BlockTimeout::automatic(),
                   {.floor = Seconds{2.5}, .every = Seconds{0.5}});
  watch.begin_iteration(0, workload_of());
  watch.handed_out(first, block_of(1), Seconds{0.75});
  watch.handed_out(first, block_of(1), Seconds{1});
  EXPECT_EQ(watch.late(Seconds{3601}), std::nullopt);
  come_back(watch, first, 1, 1);
  EXPECT_EQ(watch.next_late(), Seconds{3603});
}

TEST(AutomaticBlockWatch, WaitsLongerForAUnitThatHasAnsweredAfterAll) {
  BlockWatch watch = automatic_watch();
  watch.begin_iteration(0, workload_of());
  do_block(watch, first, 1, 0, 1);
  do_block(watch, second, 1, 0, 1);
  watch.handed_out(first, block_of(1), Seconds{1});
  EXPECT_EQ(watch.late(Seconds{11}), first);
  watch.lost(first);
  watch.answered(first,
                 Seconds{2001});  // 2000 s after it was handed out: it may take as long again
  watch.handed_out(first, block_of(1), Seconds{2001});
  EXPECT_EQ(watch.next_late(), Seconds{4001});
}

}  // namespace
}  // namespace equipoise::block_watch_test
