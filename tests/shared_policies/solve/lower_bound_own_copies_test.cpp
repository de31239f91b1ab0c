// Tests of lower bounds of units that copy by themselves, with values worked out by hand.
#include <gtest/gtest.h>

#include "tests/support/bound_problem.hpp"

namespace equipoise::lower_bound_own_copies_test {
namespace {

using Kind = DisturbanceKind;

TEST(OwnCopiesBound, DoesNotComputeFasterWhenALinkGetsFaster) {
  BoundProblem problem(1000);
  problem.add_affine_unit(0.0, 0.01);
  problem.platform.units[0].unit.copy_engines = 0;
  problem.platform.units[0].in.links = {problem.add_link(100.0)};
  problem.platform.units[0].out.links = {problem.add_link(100.0)};
  problem.workload.in_bytes_per_item = 1.0;
  problem.workload.out_bytes_per_item = 1.0;
  EXPECT_NEAR(problem.bound().seconds, 30.0, 1e-7);  // 10 s each for input, computing and output
  BoundProblem fast_output = problem;
  fast_output.disturb(0.0, Kind::bandwidth, "l1", 4.0);
  EXPECT_NEAR(fast_output.bound().seconds, 10.0 + 10.0 + 2.5, 1e-7);
  fast_output.disturb(0.0, Kind::bandwidth, "l0", 10.0);
  EXPECT_NEAR(fast_output.bound().seconds, 1.0 + 10.0 + 2.5, 1e-7);
  // Both links are faster from 4 s on. The bound computes until then and copies afterwards.
  BoundProblem later = problem;
  later.disturb(4.0, Kind::bandwidth, "l0", 10.0);
  later.disturb(4.0, Kind::bandwidth, "l1", 10.0);
  EXPECT_NEAR(later.bound().seconds, 10.0 + 2.0, 1e-7);
  // And the other way round if they are slower from 4 s on: 4 s of copies, then computing and 16 s
  // of copies at half the speed.
  problem.disturb(4.0, Kind::bandwidth, "l0", 0.5);
  problem.disturb(4.0, Kind::bandwidth, "l1", 0.5);
  EXPECT_NEAR(problem.bound().seconds, 4.0 + 10.0 + 32.0, 1e-7);
}

}  // namespace
}  // namespace equipoise::lower_bound_own_copies_test
