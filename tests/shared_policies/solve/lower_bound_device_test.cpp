// Tests of lower bounds where units share the copy engines of a device, with values worked out by
// hand.
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/support/bound_problem.hpp"

namespace equipoise::lower_bound_device_test {
namespace {

using Kind = DisturbanceKind;

/// Two units with links of their own of 100 bytes per second each way; an item has a byte each way.
BoundProblem two_units_with_links(const char* device) {
  BoundProblem test(1000);
  test.workload.in_bytes_per_item = 1.0;
  test.workload.out_bytes_per_item = 1.0;
  for (int p = 0; p < 2; ++p) {
    PlatformUnit& unit = test.platform.units[test.add_affine_unit(0.0, 1e-4)];
    unit.unit.device = device;
    unit.in.links = {test.add_link(100.0)};
    unit.out.links = {test.add_link(100.0)};
  }
  return test;
}

TEST(DeviceBound, SharesTheCopyEnginesOfADevice) {
  EXPECT_NEAR(two_units_with_links("").bound().seconds, 5.0, 1e-6);
  BoundProblem test = two_units_with_links("card");
  const LowerBound two_engines = test.bound();  // x0 + x1 <= 100 T in each direction
  EXPECT_NEAR(two_engines.seconds, 10.0, 1e-6);
  EXPECT_EQ(two_engines.binding, "copies");
  EXPECT_NEAR(two_engines.share_items[0] + two_engines.share_items[1], 1000.0, 1e-6);
  for (PlatformUnit& unit : test.platform.units) unit.unit.copy_engines = 1;
  EXPECT_NEAR(test.bound().seconds, 20.0, 1e-6);  // 2 x0 + 2 x1 <= 100 T
  // Units of two nodes are not on one device: 2 x0 <= 100 T, 2 x1 <= 100 T.
  test.platform.units[1].unit.node = "other";
  EXPECT_NEAR(test.bound().seconds, 10.0, 1e-6);
}

TEST(DeviceBound, CountsTheCopiesOfADeviceAtTheSpeedsOfItsUnits) {
  BoundProblem test = two_units_with_links("card");
  test.workload.out_bytes_per_item = 0.0;
  test.platform.links[2].bandwidth_bytes_per_s = 50.0;  // u1's way in
  EXPECT_NEAR(test.bound().seconds, 10.0, 1e-6);        // u0 does all
  // u0 computes 50 items a second: x0 = 50 T, x0 / 100 + x1 / 50 = T, so x1 = 25 T.
  for (TraceSample& sample : test.trace.samples) {
    if (sample.unit == 0) sample.compute_mean_s = 0.02 * sample.items;
  }
  const LowerBound bound = test.bound();
  EXPECT_NEAR(bound.seconds, 1000.0 / 75.0, 1e-6);
  EXPECT_NEAR(bound.share_items[0], 2000.0 / 3.0, 1e-3);
}

TEST(DeviceBound, CountsLatenciesAndResidentDataOfADevice) {
  BoundProblem test = two_units_with_links("card");
  test.workload.out_bytes_per_item = 0.0;
  for (const std::uint32_t in : {0U, 2U}) test.platform.links[in].latency = Seconds{0.25};
  EXPECT_NEAR(test.bound().seconds, 10.25, 1e-6);  // the fewest latencies: one block of 1000
  // At T, a unit alone can do (T - r) / 0.01025 items, if r is the time of the resident data. Both
  // together do as much, with r for each: (T - r) / 0.01025 = 1000 (z0 + z1 = 1).
  test.workload.resident_bytes = 50.0;
  EXPECT_NEAR(test.bound().seconds, 10.75, 1e-6);
}

TEST(DeviceBound, FollowsAScenario) {
  BoundProblem problem(1000);
  problem.workload.in_bytes_per_item = 1.0;
  for (int p = 0; p < 2; ++p) {
    PlatformUnit& unit = problem.platform.units[problem.add_affine_unit(0.0, 1e-4)];
    unit.unit.device = "card";
    unit.in.links = {problem.add_link(100.0)};
  }
  EXPECT_NEAR(problem.bound().seconds, 10.0, 1e-6);
  problem.disturb(4.0, Kind::bandwidth, "l0", 0.5);
  EXPECT_NEAR(problem.bound().seconds, 10.0, 1e-6);  // all for u1 from then on
  problem.disturb(4.0, Kind::bandwidth, "l1", 0.5);
  EXPECT_NEAR(problem.bound().seconds, 16.0, 1e-6);  // 4 s, then 6 s of copies at half the speed
  problem.disturb(1.0, Kind::fail, "u0", 1.0, 3.0);
  EXPECT_NEAR(problem.bound().seconds, 16.0, 1e-6);  // the engine copies for u1
  problem.disturb(2.0, Kind::fail, "u1", 1.0, 4.0);  // nobody is there for a second
  EXPECT_NEAR(problem.bound().seconds, 18.0, 1e-6);
}

}  // namespace
}  // namespace equipoise::lower_bound_device_test
