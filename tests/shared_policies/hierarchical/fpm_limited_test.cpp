// Tests of fpm-limited on schedules that were worked out by hand.
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/cluster_schedule.hpp"

namespace equipoise::fpm_limited_test {
namespace {

TEST(FpmLimited, BeginsWithOneBlockAUnitAndGivesTheExcessToOthers) {
  // Node 4 holds 122 items. The other 902 are divided into 301, 301 and 300. The GPU of node 3
  // holds 122 of its 300.
  const Schedule schedule = run_cluster("fpm-limited", whole_iterations, paper_nodes());
  EXPECT_EQ(sizes_in(schedule, 9, 0), (std::vector<Items>{122}));
  EXPECT_EQ(sizes_in(schedule, 7, 0), (std::vector<Items>{122}));
  EXPECT_EQ(sizes_in(schedule, 8, 0), (std::vector<Items>{178}));
  EXPECT_EQ(sizes_in(schedule, 4, 0), (std::vector<Items>{101}));
  EXPECT_EQ(sizes_in(schedule, 5, 0), (std::vector<Items>{100}));
  EXPECT_EQ(sizes_in(schedule, 6, 0), (std::vector<Items>{100}));
  EXPECT_EQ(sizes_in(schedule, 0, 0), (std::vector<Items>{76}));
}

TEST(FpmLimited, NeverGivesAUnitMoreThanItsMemoryHolds) {
  // 1 and 10 items/s. The fast unit holds 10 of 100 items.
  const Cluster cluster{
      {{"", UnitKind::cpu, 1.0, {}}, {"", UnitKind::gpu, 0.1, 10.0}}, 100, 1, 3, {}, {}};
  const Schedule schedule = run_cluster("fpm-limited", whole_iterations, cluster);
  for (const int iteration : {0, 1, 2}) {
    EXPECT_EQ(sizes_in(schedule, 0, iteration), (std::vector<Items>{90}));
    EXPECT_EQ(sizes_in(schedule, 1, iteration), (std::vector<Items>{10}));
  }
}

TEST(FpmLimited, NeedsFurtherRoundsWhereAllMemoriesTogetherHoldLess) {
  const Cluster cluster{
      {{"", UnitKind::cpu, 1.0, 10.0}, {"", UnitKind::gpu, 1.0, 10.0}}, 50, 1, 1, {}, {}};
  const Schedule schedule = run_cluster("fpm-limited", whole_iterations, cluster);
  EXPECT_TRUE(schedule.outcome.complete);
  EXPECT_FALSE(schedule.outcome.policy_stalled);
  EXPECT_EQ(sizes_in(schedule, 0, 0), (std::vector<Items>{10, 10, 5}));
  EXPECT_EQ(sizes_in(schedule, 1, 0), (std::vector<Items>{10, 10, 5}));
}

}  // namespace
}  // namespace equipoise::fpm_limited_test
