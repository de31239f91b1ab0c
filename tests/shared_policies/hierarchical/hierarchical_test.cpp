// Tests of hierarchical on schedules that were worked out by hand.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/policies/hierarchical/performance_models.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "shared_policies/solve/pipeline_schedule.hpp"
#include "tests/support/cluster_schedule.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise::hierarchical_test {
namespace {

TEST(Hierarchical, BeginsAsThePaperDoes) {
  const Schedule schedule = run_cluster("hierarchical", whole_iterations, paper_nodes());
  const std::vector<Items> of_64{32, 16, 8, 4, 2, 1, 1};
  EXPECT_EQ(sizes_in(schedule, 0, 0), of_64);
  EXPECT_EQ(sizes_in(schedule, 4, 0), (std::vector<Items>{43, 22, 11, 5, 3, 1, 1}));
  std::vector<Items> lists;
  for (int list = 1; list <= 4; ++list) {
    lists.insert(lists.end(), of_64.begin(), of_64.end());
    if (list == 2) {
      EXPECT_EQ(sizes_in(schedule, 7, 0), lists);
    }
  }
  EXPECT_EQ(sizes_in(schedule, 9, 0), lists);
  for (const std::uint32_t core : {1U, 2U, 3U}) {
    EXPECT_EQ(sizes_in(schedule, core, 0), (std::vector<Items>{64}));
  }
  for (const std::uint32_t core : {5U, 6U}) {
    EXPECT_EQ(sizes_in(schedule, core, 0), (std::vector<Items>{85}));
  }
  EXPECT_EQ(sizes_in(schedule, 8, 0), (std::vector<Items>{128}));
}

TEST(Hierarchical, PutsTheBlocksOfOneListIntoOneGroup) {
  const Schedule schedule = run_cluster("hierarchical", whole_iterations, paper_nodes());
  std::map<std::uint32_t, Items> groups;
  for (const BlockRecord& record : schedule.blocks) {
    if (record.unit.index == 9) {
      EXPECT_NE(record.block.group, 0U);
      groups[record.block.group] += record.block.items;
    }
  }
  ASSERT_EQ(groups.size(), 4U);
  for (const auto& [group, items] : groups) {
    EXPECT_EQ(items, 64) << "group " << group;
  }
}

TEST(Hierarchical, CountsPointsAsThePaperDoesAfterTheFirstIteration) {
  // The paper counts the points of a node, with one per core and one for the node: 11 sizes + 1
  // repeated for node 1, 10 + 1 for node 2, 9 + 25 for node 4.
  Cluster cluster = paper_nodes();
  cluster.iterations = 2;
  const Schedule schedule = run_cluster("hierarchical", whole_iterations, cluster);
  ASSERT_EQ(schedule.decisions.size(), 1U);
  const std::vector<UnitEstimate>& estimates = schedule.decisions.front().decision.estimates;
  ASSERT_EQ(estimates.size(), 10U);
  EXPECT_EQ(estimates[0].cost, "speeds at 7 sizes, 1 repeated");
  EXPECT_EQ(estimates[1].cost, "speeds at 1 sizes, 0 repeated");
  EXPECT_EQ(estimates[4].cost, "speeds at 7 sizes, 1 repeated");
  EXPECT_EQ(estimates[9].cost, "speeds at 8 sizes, 25 repeated");
}

TEST(Hierarchical, BalancesThePapersNodesInThreeIterations) {
  // Four GPUs of 8 items/s and six cores of 1 item/s: 38 items/s, 26.9 s; with whole items 27 s.
  Cluster cluster = paper_nodes();
  cluster.iterations = 4;
  const Schedule schedule = run_cluster("hierarchical", whole_iterations, cluster);
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_EQ(schedule.notes_of("load_balanced"), 1U);
  EXPECT_DOUBLE_EQ(iteration_time(schedule, 0), 128.0);
  EXPECT_DOUBLE_EQ(iteration_time(schedule, 2), 27.0);
  EXPECT_DOUBLE_EQ(iteration_time(schedule, 3), 27.0);
}

TEST(Hierarchical, BalancesThePapersNodesByTheFourthIterationWithThePublishedValues) {
  Cluster cluster = paper_nodes();
  cluster.iterations = 4;
  const Schedule replaced = run_cluster("hierarchical", {}, cluster);
  EXPECT_EQ(replaced.notes_of("load_balanced"), 1U);
  EXPECT_NEAR(iteration_time(replaced, 3), 27.0, 0.05 * 27.0);  // 5 %: the accuracy
  const Schedule averaged = run_cluster("hierarchical", {{"old_totals", "averaged"}}, cluster);
  EXPECT_EQ(averaged.notes_of("load_balanced"), 0U);
}

TEST(Hierarchical, NeverRepeatsTheFirstTotalsIfTheyStayInTheModel) {
  // Node 1 took 64 s for 256 items that were divided evenly. While this point stays in its model,
  // the node never gets 256 items again, although its later plans are faster.
  Cluster cluster = paper_nodes();
  cluster.iterations = 8;
  TypedParameters averaged = whole_iterations;
  averaged["old_totals"] = "averaged";
  const Schedule schedule = run_cluster("hierarchical", averaged, cluster);
  EXPECT_LT(share_in(schedule, 0, 7) + 3 * share_in(schedule, 1, 7), 256);
  EXPECT_GT(iteration_time(schedule, 7), 33.0);
}

TEST(Hierarchical, GivesNodesAndUnitsWhatTheyTakeTheSameTimeFor) {
  // Node a: one core of 1 item/s. Node b: 3 items/s, of which an accelerator does 2. The first
  // division is even: 60 : 60 and, in node b, 30 : 30.
  const Cluster cluster{
      {{"a", UnitKind::cpu, 1.0, {}}, {"b", UnitKind::cpu, 1.0, {}}, {"b", UnitKind::gpu, 0.5, {}}},
      120,
      1,
      3,
      {},
      {}};
  const Schedule schedule = run_cluster("hierarchical", whole_iterations, cluster);
  EXPECT_EQ(share_in(schedule, 0, 0), 60);
  EXPECT_EQ(share_in(schedule, 1, 0), 30);
  EXPECT_EQ(share_in(schedule, 2, 0), 30);
  // Node a took 60 s, node b 30 s because of its slower unit: 40 : 80. Within node b 1 : 2,
  // rounded.
  EXPECT_EQ(share_in(schedule, 0, 1), 40);
  EXPECT_EQ(share_in(schedule, 1, 1) + share_in(schedule, 2, 1), 80);
  EXPECT_NEAR(static_cast<double>(share_in(schedule, 1, 1)), 80.0 / 3.0, 1.0);
  // Node b took 27 s for 80 items: 2.96 items/s. 120 / 3.96 = 30.3.
  EXPECT_NEAR(static_cast<double>(share_in(schedule, 0, 2)), 30.3, 1.0);
}

TEST(Hierarchical, LearnsALoadThatIsDoneOnceInSlices) {
  // 160 items on units of 1 and 3 items/s in one node. 10 items as 5 : 5, then 20 as 5 : 15, which
  // balances. The other 130 as 32.5 : 97.5; the last whole item costs less on the second unit.
  const Cluster cluster{
      {{"", UnitKind::cpu, 1.0, {}}, {"", UnitKind::cpu, 1.0 / 3.0, {}}}, 160, 1, 1, {}, {}};
  const Schedule schedule = run_cluster("hierarchical", in_slices, cluster);
  EXPECT_EQ(sizes_in(schedule, 0, 0), (std::vector<Items>{5, 5, 32}));
  EXPECT_EQ(sizes_in(schedule, 1, 0), (std::vector<Items>{5, 15, 98}));
  EXPECT_EQ(schedule.notes_of("load_balanced"), 1U);
  EXPECT_NEAR(schedule.makespan(), 5.0 + 5.0 + 98.0 / 3.0, 1e-9);
}

TEST(Hierarchical, TakesLaterIterationsWholeAndKeepsAPlanThatAgreed) {
  const Cluster cluster{
      {{"", UnitKind::cpu, 1.0, {}}, {"", UnitKind::cpu, 1.0 / 3.0, {}}}, 160, 1, 3, {}, {}};
  const Schedule schedule = run_cluster("hierarchical", in_slices, cluster);
  for (const int iteration : {1, 2}) {
    EXPECT_EQ(sizes_in(schedule, 0, iteration), (std::vector<Items>{40}));
    EXPECT_EQ(sizes_in(schedule, 1, iteration), (std::vector<Items>{120}));
  }
  // There is a plan for the second slice, the third slice and the second iteration, but none for
  // the third iteration.
  EXPECT_EQ(schedule.decisions_called(DecisionKind::rebalance), 3U);
}

TEST(Hierarchical, GivesOneGrainToTheFirstWhereThereAreMoreUnitsThanItems) {
  const Cluster cluster{
      {{"a", UnitKind::cpu, 1.0, {}}, {"b", UnitKind::cpu, 1.0, {}}, {"c", UnitKind::cpu, 1.0, {}}},
      2,
      1,
      1,
      {},
      {}};
  const Schedule schedule = run_cluster("hierarchical", whole_iterations, cluster);
  EXPECT_EQ(share_in(schedule, 0, 0), 1);
  EXPECT_EQ(share_in(schedule, 1, 0), 1);
  EXPECT_EQ(share_in(schedule, 2, 0), 0);
}

TEST(Hierarchical, GivesTheRestOfADivisionToTheAccelerator) {
  const Cluster cluster{
      {{"", UnitKind::cpu, 1.0, {}}, {"", UnitKind::cpu, 1.0, {}}, {"", UnitKind::gpu, 1.0, {}}},
      1,
      1,
      1,
      {},
      {}};
  EXPECT_EQ(share_in(run_cluster("hierarchical", in_slices, cluster), 2, 0), 1);
}

TEST(Hierarchical, CutsACoresShareIntoAsFewBlocksAsItsMemoryAllows) {
  const Cluster cluster{{{"", UnitKind::cpu, 1.0, 16.0}}, 35, 1, 1, {}, {}};
  EXPECT_EQ(sizes_in(run_cluster("hierarchical", whole_iterations, cluster), 0, 0),
            (std::vector<Items>{12, 12, 11}));
}

TEST(Hierarchical, FillsNoMoreThanItsShareOfTheMemory) {
  const Cluster cluster{{{"", UnitKind::gpu, 1.0, 128.0}}, 128, 1, 1, {}, {}};
  const TypedParameters half{{"mode", "repeat"}, {"memory_share", "0.5"}};
  EXPECT_EQ(run_cluster("hierarchical", whole_iterations, cluster).blocks.size(), 8U);
  EXPECT_EQ(run_cluster("hierarchical", half, cluster).blocks.size(), 14U);
}

TEST(Hierarchical, LetsIdleUnitsTakeWhatWasLostInTheLastRound) {
  // 30 items each. The second unit fails at 10 s. The first unit is done at 30 s and takes a
  // quarter of the rest each time, half of an even share for two, while the third works until 60 s.
  const Cluster cluster{
      {{"", UnitKind::cpu, 1.0, {}}, {"", UnitKind::cpu, 1.0, {}}, {"", UnitKind::cpu, 2.0, {}}},
      90,
      1,
      1,
      {{Seconds{10.0}, UnitId{1}, false}},
      {}};
  const Schedule schedule = run_cluster("hierarchical", whole_iterations, cluster);
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_FALSE(schedule.outcome.policy_stalled);
  EXPECT_EQ(schedule.sizes(0, BlockTag::run), (std::vector<Items>{30}));
  EXPECT_EQ(schedule.sizes(0, BlockTag::tail),
            (std::vector<Items>{7, 5, 4, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_DOUBLE_EQ(schedule.makespan(), 60.0);
}

TEST(Hierarchical, PlansTheLostWorkAnewWhereNobodyIsAtWork) {
  // 50 : 50. The second unit fails at 10 s, the first is done at 50 s.
  const Cluster cluster{{{"", UnitKind::cpu, 1.0, {}}, {"", UnitKind::cpu, 1.0, {}}},
                        100,
                        1,
                        1,
                        {{Seconds{10.0}, UnitId{1}, false}},
                        {}};
  const Schedule schedule = run_cluster("hierarchical", whole_iterations, cluster);
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_EQ(sizes_in(schedule, 0, 0), (std::vector<Items>{50, 50}));
}

TEST(Hierarchical, PlansForAUnitThatCameBetweenRounds) {
  // The second unit is absent from 1 s to 6 s, so its half of the first slice, 5 : 5, is lost. The
  // next slice of 20 is planned at 5 s for the first unit alone. At 25 s both are present: 40 items
  // as 20 : 20.
  const Cluster cluster{
      {{"", UnitKind::cpu, 1.0, {}}, {"", UnitKind::cpu, 1.0, {}}},        160, 1, 1,
      {{Seconds{1.0}, UnitId{1}, false}, {Seconds{6.0}, UnitId{1}, true}}, {}};
  const Schedule schedule = run_cluster("hierarchical", in_slices, cluster);
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_FALSE(schedule.outcome.policy_stalled);
  // The slices do 5, 20 and 40 items. The other 95 are divided 48 : 47.
  EXPECT_EQ(sizes_in(schedule, 0, 0), (std::vector<Items>{5, 20, 20, 48}));
  EXPECT_EQ(sizes_in(schedule, 1, 0), (std::vector<Items>{20, 47}));
}

TEST(Hierarchical, WaitsForAUnitWhereNoneIsPresent) {
  const Cluster cluster{{{"", UnitKind::gpu, 1.0, {}}},
                        10,
                        1,
                        1,
                        {{Seconds{1.0}, UnitId{0}, false}, {Seconds{6.0}, UnitId{0}, true}},
                        {}};
  const Schedule schedule = run_cluster("hierarchical", whole_iterations, cluster);
  expect_all_done(schedule, 10);
}

TEST(Hierarchical, LearnsEachKernelAnewAndRemembersIt) {
  Cluster cluster{{{"", UnitKind::cpu, 1.0, {}}, {"", UnitKind::cpu, 1.0 / 3.0, {}}},
                  160,
                  1,
                  1,
                  {},
                  {"second", "first"}};
  const Schedule schedule = run_cluster("hierarchical", whole_iterations, cluster);
  EXPECT_EQ(share_in(schedule, 0, 0, 0), 80);
  EXPECT_EQ(share_in(schedule, 0, 0, 1), 80);
  EXPECT_EQ(share_in(schedule, 0, 0, 2), 40);
}

TEST(Hierarchical, DoesNotKeepTheInitialPlanWhereEqualUnitsAgreeUnderIt) {
  // Nothing is copied, so halving blocks gain nothing, and the models ask for one block.
  const Cluster cluster{
      {{"a", UnitKind::gpu, 1.0, {}}, {"b", UnitKind::gpu, 1.0, {}}}, 128, 1, 3, {}, {}};
  const Schedule schedule = run_cluster("hierarchical", whole_iterations, cluster);
  for (const std::uint32_t unit : {0U, 1U}) {
    EXPECT_EQ(sizes_in(schedule, unit, 0), (std::vector<Items>{32, 16, 8, 4, 2, 1, 1}));
    EXPECT_EQ(sizes_in(schedule, unit, 1), (std::vector<Items>{64}));
    EXPECT_EQ(sizes_in(schedule, unit, 2), (std::vector<Items>{64}));
  }
  EXPECT_EQ(schedule.decisions_called(DecisionKind::rebalance), 1U);
}

/// One GPU that takes 1 s per item. Copies in and out take 0.54 and 0.44 of computing, and its
/// memory holds 122 items. Two iterations of 244 items.
Schedule run_overlapping_gpu(const std::string& policy, const TypedParameters& more = {}) {
  PolicyTest test;
  test.policy = policy;
  test.parameters = whole_iterations;
  test.parameters.insert(more.begin(), more.end());
  test.items = 244;
  test.iterations = 2;
  FakeUnit fake = affine_unit(0.0, 1.0);
  fake.in_s = [](double items) { return 0.54 * items; };
  fake.out_s = [](double items) { return 0.44 * items; };
  fake.memory_items = 122;
  test.fake.units.push_back(fake);
  test.memory_bytes.push_back(122.0);
  test.units.emplace_back();
  test.units.back().name = "u0";
  test.units.back().kind = UnitKind::gpu;
  return run_schedule(test);
}

TEST(PerformanceModels, TimeAShareByTheFasterOfAUnitsTwoModels) {
  // Alone 10 items take 1 + 10 + 1 s: 1.2 s an item, also for more blocks one after another.
  PerformanceModels models(1, OldTotals::averaged);
  models.add_block(UnitId{0}, 10, {{}, Seconds{1.0}, Seconds{10.0}, Seconds{1.0}});
  EXPECT_DOUBLE_EQ(models.total(UnitId{0}).at(20.0).seconds, 24.0);
  models.add_together(UnitId{0}, 20, Seconds{40.0});  // a bad plan
  EXPECT_DOUBLE_EQ(models.total(UnitId{0}).at(20.0).seconds, 24.0);
  models.add_together(UnitId{0}, 30, Seconds{33.0});  // overlapped
  EXPECT_DOUBLE_EQ(models.total(UnitId{0}).at(30.0).seconds, 33.0);
  EXPECT_DOUBLE_EQ(models.total(UnitId{0}).at(5.0).seconds, 6.0);
  EXPECT_DOUBLE_EQ(models.alone(UnitId{0}).at(30.0).seconds, 36.0);
}

TEST(Hierarchical, CutsAnAcceleratorsShareByThePapersSixSteps) {
  // 122 items at a time: 22, 41, 18, 8, 4, 2, 1, as printed (see six_steps_test.cpp), 96 items;
  // again with 122 of the other 148, and then with 52 = 2.952 x 17.6: 10, 18, 8, 4, 2, 1.
  const Schedule schedule = run_overlapping_gpu("hierarchical");
  const std::vector<Items> sizes = sizes_in(schedule, 0, 1);
  ASSERT_GE(sizes.size(), 20U);
  EXPECT_EQ(
      std::vector<Items>(sizes.begin(), sizes.begin() + 20),
      (std::vector<Items>{22, 41, 18, 8, 4, 2, 1, 22, 41, 18, 8, 4, 2, 1, 10, 18, 8, 4, 2, 1}));
  EXPECT_LT(iteration_time(schedule, 1), iteration_time(schedule, 0));
}

TEST(Hierarchical, TakesAsLongAsItsPlanSaysWhereBlocksOverlap) {
  const Schedule schedule = run_overlapping_gpu("hierarchical", {{"gamma", "search"}});
  std::map<std::uint32_t, std::vector<StageTimes>> groups;
  for (const BlockRecord& record : schedule.blocks) {
    if (record.block.iteration == 1) {
      groups[record.block.group].push_back(record.times);
    }
  }
  ASSERT_EQ(groups.size(), 2U);
  double planned_s = 0.0;
  for (const auto& [group, times] : groups) {
    planned_s += pipeline_time(times, 1).value;
  }
  EXPECT_NEAR(iteration_time(schedule, 1), planned_s, 1e-9);
  // The first iteration uses halving blocks: 122 as 61, 31, 15, 8, 4, 2, 1. Without overlap it
  // would take 244 x 1.98.
  EXPECT_LT(iteration_time(schedule, 1), iteration_time(schedule, 0));
  EXPECT_LT(iteration_time(schedule, 1), 244.0 * 1.05);
  EXPECT_NEAR(iteration_time(run_overlapping_gpu("fpm-limited"), 1), 244.0 * 1.98, 1e-9);
}

TEST(Hierarchical, LeavesTheSetupOutOfWhatItLearns) {
  // The units take 1.4 and 1 s per item, and the first block of the first unit has a setup of 8 s.
  Workload workload = items_of(20, 1, 2);
  workload.kernel = "first";
  FakeSetup fake;
  fake.units = {affine_unit(0.0, 1.0), affine_unit(0.0, 1.0)};
  fake.units[0].in_s = [](double items) { return 0.4 * items; };
  fake.units[0].resident_s = 8.0;
  const auto policy = make_policy(find_policy("hierarchical"), {whole_iterations, nullptr});
  const auto executor = make_fake_executor(fake);
  MemoryJournal journal;
  ASSERT_TRUE(run_policy(*executor, *policy, setup_of(2, workload), journal).complete);
  // 20 items as 8.33 : 11.67. The last whole item goes to the second unit.
  EXPECT_EQ(journal.blocks[2].block.items + journal.blocks[3].block.items, 20);
  for (const BlockRecord& record : journal.blocks) {
    if (record.block.iteration == 1) {
      EXPECT_EQ(record.block.items, record.unit.index == 0 ? 8 : 12);
    }
  }
}

}  // namespace
}  // namespace equipoise::hierarchical_test
