// Tests of the modelled time of a block: whole rounds, resident data, and who says them.
#include "platforms/machine_spec.hpp"

#include "tests/tools/machines/machine_spec_fixture.hpp"

namespace equipoise::machine_spec_test {
namespace {

using BlockCostTest = MachineSpecTest;
using Json = nlohmann::json;

/// Seconds of blocks of `items` on a.gpu0, which computes 0.25 * 2e10 / 100 = 5e7 items/s and has
/// 1000 threads with 50 per item, so 20 items, at half of its speed.
double gpu_seconds(const MachineSpec& spec, double items) {
  return block_cost(spec.machines[0].units[1], spec.traces[0]).seconds(items);
}

TEST_F(BlockCostTest, ChargesWholeRounds) {
  spec_["machines"][0]["units"][1]["round_items"] = {{"stencil", 8}};
  const MachineSpec spec = read(spec_);
  // 1 and 8 items are one round: (8 + 20) / 5e7. 9 and 16 are two: (16 + 20) / 5e7.
  EXPECT_DOUBLE_EQ(gpu_seconds(spec, 1), 28 / 5e7);
  EXPECT_DOUBLE_EQ(gpu_seconds(spec, 8), 28 / 5e7);
  EXPECT_DOUBLE_EQ(gpu_seconds(spec, 9), 36 / 5e7);
  EXPECT_DOUBLE_EQ(gpu_seconds(spec, 16), 36 / 5e7);
}

TEST_F(BlockCostTest, TakesTheTracesRoundBeforeTheUnits) {
  spec_["machines"][0]["units"][1]["round_items"] = {{"stencil", 8}};
  spec_["traces"][0]["round_items"] = {{"gpu", 5}};
  spec_["traces"][0]["half_saturation_items"] = {{"gpu", 7}};
  EXPECT_DOUBLE_EQ(gpu_seconds(read(spec_), 6), (10 + 7) / 5e7);
}

TEST_F(BlockCostTest, ComputesMatrixProductsOnGpusInTilesOf128Rows) {
  spec_["traces"][0] = {{"name", "mm"}, {"kernel", "matmul"}, {"problem", {{"n", 1000}}}};
  spec_["machines"][1]["units"][0]["items_per_s"] = {{"matmul", 1}};
  const MachineSpec spec = read(spec_);
  const auto& units = spec.machines[0].units;
  EXPECT_EQ(block_cost(units[1], spec.traces[0]).round_items, 128.0);
  EXPECT_EQ(block_cost(units[0], spec.traces[0]).round_items, 1.0) << "a CPU";
  spec_["machines"][0]["units"][1]["round_items"] = {{"matmul", 64}};
  const MachineSpec other = read(spec_);
  EXPECT_EQ(block_cost(other.machines[0].units[1], other.traces[0]).round_items, 64.0);
}

TEST_F(BlockCostTest, ReadsResidentDataOnceABlock) {
  // 5e4 bytes at 0.5 * 1e8 bytes/s take 1 ms, longer than 20 items of 1.6 us; a block of 1000 items
  // computes for 1.6 ms meanwhile. Every block starts for 1 ms.
  spec_["traces"][0]["resident_bytes"] = 5e4;
  MachineSpec spec = read(spec_);
  BlockCost cost = block_cost(spec.machines[0].units[0], spec.traces[0]);
  EXPECT_NEAR(cost.seconds(20), 2e-3, 1e-12);
  EXPECT_NEAR(cost.seconds(1000), 2.6e-3, 1e-12);
  spec_["traces"][0]["resident_memory_bytes"] = 0;  // they are not in the unit's memory
  spec = read(spec_);
  cost = block_cost(spec.machines[0].units[0], spec.traces[0]);
  EXPECT_NEAR(cost.seconds(20), 1.032e-3, 1e-12);
}

TEST_F(BlockCostTest, TimesBothEndsOfSixteenRoundsAndThenOfEveryDoubling) {
  BlockCost cost;
  EXPECT_EQ(timed_sizes(cost, 20), (std::vector<Items>{1, 4, 16, 20}));
  cost.round_items = 10;
  EXPECT_EQ(timed_sizes(cost, 7), (std::vector<Items>{1, 7}));
  EXPECT_EQ(timed_sizes(cost, 20), (std::vector<Items>{1, 10, 11, 20}));
  EXPECT_EQ(timed_sizes(cost, 25), (std::vector<Items>{1, 10, 11, 20, 21, 25}));
  const std::vector<Items> sizes = timed_sizes(cost, 1000);
  const std::vector<Items> end(sizes.end() - 7, sizes.end());
  EXPECT_EQ(end, (std::vector<Items>{160, 161, 320, 321, 640, 641, 1000}));
  EXPECT_EQ(sizes.size(), 1 + 2 * 16 + 2 * 2 + 1U);
}

TEST_F(BlockCostTest, RefusesRoundsThatAreNoWholeNumbers) {
  const auto refused = [this](const Json& rounds) {
    spec_["traces"][0]["round_items"] = rounds;
    return refusal(spec_);
  };
  EXPECT_NE(refused({{"gpu", 0.5}}).find("'gpu' is 0.5; it must be from 1 to"), std::string::npos);
  EXPECT_NE(refused({{"gpu", 1.5}}).find("'gpu' is 1.5; write a whole number"), std::string::npos);
  EXPECT_NE(refused(4).find("round_items must be an object, not a number"), std::string::npos)
      << refused(4);
}

}  // namespace
}  // namespace equipoise::machine_spec_test
