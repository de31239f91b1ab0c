// Tests of list scheduling, which assigns the last grains one by one.
#include "shared_policies/policies/equipoise/forecast.hpp"

#include <gtest/gtest.h>

namespace equipoise::list_scheduling_test {
namespace {

TEST(ListSchedule, GivesEachGrainToWhoeverWouldEndFirstWithIt) {
  // First the units would end at 1 and 3 s with one more grain, and each further grain takes 1 and
  // 2 s. Assigned to unit (end): 0 (1 s), 0 (2 s), 0 (3 s; equal, so the first unit), 1 (3 s), 0 (4
  // s), 0 (5 s; equal, so the first unit).
  const std::vector<GrainCost> units = {{true, 1.0, 1.0}, {true, 3.0, 2.0}};
  EXPECT_EQ(list_schedule(units, 6), (std::vector<Items>{5, 1}));
  EXPECT_EQ(list_schedule(units, 0), (std::vector<Items>{0, 0}));
}

TEST(ListSchedule, LeavesOutUnitsThatTakeNoPart) {
  const std::vector<GrainCost> units = {{false, 0.0, 0.0}, {true, 9.0, 1.0}};
  EXPECT_EQ(list_schedule(units, 2), (std::vector<Items>{0, 2}));
  const std::vector<GrainCost> nobody(2);
  EXPECT_EQ(list_schedule(nobody, 2), (std::vector<Items>{0, 0}));
}

}  // namespace
}  // namespace equipoise::list_scheduling_test
