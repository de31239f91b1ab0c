// Tests of the rule that says when repeated blocks have drifted apart.
#include "shared_policies/policies/plb/repeated_blocks.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace equipoise::repeated_blocks_test {
namespace {

TEST(RepeatedBlocks, LeavesToNoiseWhatNoiseExplains) {
  Workload workload;
  workload.items = 1000;
  View view(std::vector<Unit>(2), {workload});
  RepeatedBlocks blocks(2);
  blocks.choose({100, 50});
  const UnitId a{0};
  const UnitId b{1};
  blocks.finished(a, 100, 1.3);
  EXPECT_FALSE(blocks.are_unbalanced(view, {0.1, 0.0}, 0.0));  // b has not done a block yet
  blocks.finished(b, 49, 9.0);                                 // a block of another size is ignored
  EXPECT_FALSE(blocks.are_unbalanced(view, {0.1, 0.0}, 0.0));
  blocks.finished(b, 50, 0.9);
  // Spread 0.4, mean 1.1. With noise 0.1 and 2 standard errors: 0.4 - 2 * 2 * 0.11 < 0.
  EXPECT_TRUE(blocks.are_unbalanced(view, {0.1, 0.0}, 0.1));
  EXPECT_TRUE(blocks.are_unbalanced(view, {0.36, 2.0}, 0.0));
  EXPECT_FALSE(blocks.are_unbalanced(view, {0.37, 2.0}, 0.0));
  EXPECT_FALSE(blocks.are_unbalanced(view, {0.1, 2.0}, 0.1));
  // After four blocks of each unit: 0.4 - 2 * 2 * 0.11 / 2 = 0.18 > 0.11.
  for (int k = 0; k < 3; ++k) {
    blocks.finished(a, 100, 1.3);
    blocks.finished(b, 50, 0.9);
  }
  EXPECT_TRUE(blocks.are_unbalanced(view, {0.1, 2.0}, 0.1));
  // The latest durations alone are 1.3 and 1.3.
  blocks.finished(b, 50, 1.3);
  EXPECT_FALSE(blocks.are_unbalanced(view, {0.1, 0.0}, 0.1));
}

}  // namespace
}  // namespace equipoise::repeated_blocks_test
