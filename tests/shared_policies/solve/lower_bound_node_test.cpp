// Tests of lower bounds where units of a node share resident data, with values worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/bound_problem.hpp"

namespace equipoise::lower_bound_node_test {
namespace {

/// Two units of another node than the master's that do 50 items a second, behind a link of 100
/// bytes per second and links of their own of 1000; 1000 resident bytes.
BoundProblem two_units_of_a_node() {
  BoundProblem test(1000);
  test.workload.resident_bytes = 1000.0;
  const std::uint32_t trunk = test.add_link(100.0);
  for (int p = 0; p < 2; ++p) {
    PlatformUnit& unit = test.platform.units[test.add_affine_unit(0.0, 0.02)];
    unit.unit.node = "n";
    unit.unit.is_remote = true;
    unit.in.links = {trunk, test.add_link(1000.0)};
    unit.out.links = unit.in.links;
  }
  return test;
}

TEST(NodeBound, CountsResidentDataOfANodeOnce) {
  BoundProblem test = two_units_of_a_node();
  // Both units need 10 s, and 10 s pass until the data are there. In proportion to the items, half
  // of 1000 bytes each: 500 * 1000 / (50 T) <= 100 T holds from 10 s on.
  EXPECT_NEAR(test.bound().seconds, 10.0, 1e-6);
  // Units of two nodes: 1000 * 1000 / (50 T) <= 100 T.
  test.platform.units[1].unit.node = "m";
  EXPECT_NEAR(test.bound().seconds, std::sqrt(200.0), 1e-6);
}

TEST(NodeBound, CountsWhatPassesBeforeTheDataAreThere) {
  BoundProblem test = two_units_of_a_node();
  test.workload.resident_bytes = 3000.0;
  EXPECT_NEAR(test.bound().seconds, 30.0, 1e-6);
  // A byte in for each item: 1000 of them and 3000 over the trunk.
  test.workload.in_bytes_per_item = 1.0;
  EXPECT_GE(test.bound().seconds, 30.0);
  EXPECT_LE(test.bound().seconds, 40.0);
}

}  // namespace
}  // namespace equipoise::lower_bound_node_test
