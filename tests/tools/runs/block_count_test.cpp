// Tests of what is known of the number of blocks before a run.
#include "tools/runs/policy_choice.hpp"

#include <gtest/gtest.h>

namespace equipoise::block_count_test {
namespace {

Workload workload_of(Items items, Items grain, int iterations) {
  Workload workload;
  workload.items = items;
  workload.grain_items = grain;
  workload.iterations = iterations;
  return workload;
}

TEST(BlockCount, IsKnownWhereThePolicysParametersSetTheSize) {
  const std::vector<Workload> phases = {workload_of(1000, 10, 3), workload_of(55, 10, 1)};
  const auto blocks = [&](const char* policy) {
    return blocks_beforehand(parse_policy(policy), phases);
  };
  EXPECT_EQ(blocks("ss"), 3 * 100 + 6);
  EXPECT_EQ(blocks("ss:min_block_items=100"), 3 * 10 + 1);
  EXPECT_EQ(blocks("greedy"), 0) << "it depends on the units";
  EXPECT_EQ(blocks("greedy:initial_block_items=50"), 3 * 20 + 2);
  EXPECT_EQ(blocks("greedy:pieces=7"), 3 * 7 + 6);
  EXPECT_EQ(blocks("gss"), 0);
}

TEST(BlockCount, NamesThePolicyWithTheMostBlocksAndHowToMakeFewer) {
  const std::vector<PolicyChoice> policies = {parse_policy("gss"), parse_policy("ss")};
  const std::vector<Workload> small = {workload_of(1'000'000, 1, 1)};
  EXPECT_EQ(many_blocks_text(policies, small), "");
  const std::vector<Workload> twice = {workload_of(3'000'000, 1, 2)};
  const std::vector<PolicyChoice> cut = {parse_policy("greedy:pieces=1e6")};
  EXPECT_TRUE(many_blocks_text(cut, twice).ends_with("; for fewer, write greedy:pieces=50000"))
      << many_blocks_text(cut, twice);
  const std::vector<Workload> large = {workload_of(3'000'000, 1, 1)};
  EXPECT_EQ(many_blocks_text(policies, large),
            "ss makes 3.00 M blocks in each run, which takes long, and so does reading its run "
            "file; for fewer, write ss:min_block_items=30");
}

}  // namespace
}  // namespace equipoise::block_count_test
