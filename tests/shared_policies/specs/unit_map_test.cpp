// Tests of maps from units of traces to hosts, and of limits of blocks, with values worked out by
// hand.
#include "shared_policies/specs/unit_map.hpp"

#include <gtest/gtest.h>

#include "shared_policies/model/unit.hpp"
#include "tests/support/refusal.hpp"

namespace equipoise::unit_map_test {
namespace {

TEST(UnitMap, PrefersANameToAPattern) {
  const auto maps = parse_maps({"gpu=n*", "cpu=n0,ram"}, "--map");
  EXPECT_EQ(mapped_unit(maps, "n0"), "cpu");
  EXPECT_EQ(mapped_unit(maps, "n12"), "gpu");
  EXPECT_EQ(mapped_unit(maps, "ram"), "cpu");
  EXPECT_FALSE(mapped_unit(maps, "m0").has_value());
  check_maps(maps, {"n0", "n1", "ram"}, {"gpu", "cpu"}, "--map");
}

TEST(UnitMap, RefusesWhatIsNoMap) {
  for (const char* text : {"", "a", "=h", "a=", "a=h,", "a=,h"}) {
    EXPECT_TRUE(refusal_of([&] { (void)parse_maps({text}, "--map"); }).starts_with("--map: '"))
        << text;
  }
}

TEST(UnitMap, RefusesTwoUnitsForAHost) {
  const auto maps = parse_maps({"gpu=n*", "cpu=*0"}, "--map");
  EXPECT_EQ(refusal_of([&] {
              check_maps(maps, {"n0", "n1"}, {"gpu", "cpu"}, "--map");
            }),
            "--map: n0 would have the times of gpu and of cpu; give it one");
}

TEST(LargestBlock, IsAtMostWhatTheTimesHoldFor) {
  Unit unit;
  unit.max_block_items = {{"k", 70}};
  Workload workload;
  workload.kernel = "k";
  workload.items = 1000;
  workload.grain_items = 8;
  workload.memory_bytes_per_item = 10.0;
  EXPECT_EQ(largest_block(unit, workload), 64);
  unit.memory_bytes = 500.0;
  EXPECT_EQ(largest_block(unit, workload), 48);
  unit.memory_bytes = 5000.0;
  EXPECT_EQ(largest_block(unit, workload), 64);
  EXPECT_EQ(items_in_memory(unit, workload), 500);  // several blocks fit together
  workload.kernel = "l";
  EXPECT_EQ(largest_block(unit, workload), 496);
  workload.kernel = "k";
  workload.grain_items = 100;
  EXPECT_FALSE(holds_a_grain(unit, workload));
  workload.items = 60;
  EXPECT_TRUE(holds_a_grain(unit, workload));
}

}  // namespace
}  // namespace equipoise::unit_map_test
