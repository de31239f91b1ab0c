// The last grains, given by hand.
#include "shared_policies/policies/equipoise/list_scheduling.hpp"

#include <gtest/gtest.h>

namespace equipoise::list_scheduling_test {
namespace {

TEST(GrainDeal, GivesEachGrainToWhoeverWouldEndFirstWithIt) {
  // Ends with one more: 1 and 3 s, then 1 s and 2 s each. Dealt: 0 (1), 0 (2), 0 (3, equal: first),
  // 1 (3), 0 (4), 0 (5, equal: first).
  const std::vector<GrainCost> units = {{true, 1.0, 1.0}, {true, 3.0, 2.0}};
  EXPECT_EQ(list_schedule(units, 6), (std::vector<Items>{5, 1}));
  EXPECT_EQ(list_schedule(units, 0), (std::vector<Items>{0, 0}));
}

TEST(GrainDeal, LeavesOutUnitsThatTakeNoPart) {
  const std::vector<GrainCost> units = {{false, 0.0, 0.0}, {true, 9.0, 1.0}};
  EXPECT_EQ(list_schedule(units, 2), (std::vector<Items>{0, 2}));
  const std::vector<GrainCost> nobody(2);
  EXPECT_EQ(list_schedule(nobody, 2), (std::vector<Items>{0, 0}));
}

}  // namespace
}  // namespace equipoise::list_scheduling_test
