// Tests of lower bounds where units read resident data with each block, with values worked out by
// hand.
#include <gtest/gtest.h>

#include <cstddef>

#include "tests/support/bound_problem.hpp"

namespace equipoise::lower_bound_stream_test {
namespace {

/// GPUs with two copy engines and 500 bytes on one link of 100 bytes/s. There are 1000 bytes of
/// resident data and 1000 items of a byte: with a block of x items, 500 + x bytes are read.
BoundProblem gpus(std::size_t units, double per_item_s) {
  BoundProblem test(1000);
  test.workload.resident_bytes = 1000.0;
  test.workload.memory_bytes_per_item = 1.0;
  const std::uint32_t link = test.add_link(100.0);
  for (std::size_t i = 0; i < units; ++i) {
    PlatformUnit& unit = test.platform.units[test.add_affine_unit(0.0, per_item_s)];
    unit.unit.kind = UnitKind::gpu;
    unit.unit.memory_bytes = 500.0;
    unit.in.links = {link};
  }
  return test;
}

TEST(StreamBound, CountsWhatIsReadWithEachBlock) {
  // At best two blocks of 500 items, with 1000 bytes each. Nothing stays, so nothing is sent
  // before.
  const LowerBound bound = gpus(1, 1e-4).bound();
  EXPECT_NEAR(bound.seconds, 20.0, 1e-6);
  // Computing takes longer from 125 items on: 0.05 s an item, 50 s for all.
  EXPECT_NEAR(gpus(1, 0.05).bound().seconds, 50.0, 1e-6);
}

TEST(StreamBound, KnowsTheCheapestBlockBetweenRecordedSizes) {
  // Recorded: 1, 100 and 500 items in 0.01, 5 and 65 s. Reading x + 500 bytes takes longer up to
  // 112.5 items: 5 + 0.15 (x - 100) = 5 + x / 100 has no root above 100 but at x = 107.142857.
  // There an item takes 6.0714286 / 107.142857 = 0.0566667 s, less than at 100 (0.06) and at 500
  // (0.13).
  BoundProblem test = gpus(1, 1.0);
  test.trace.samples.clear();
  for (const auto& [items, seconds] : {std::pair{1.0, 0.01}, {100.0, 5.0}, {500.0, 65.0}}) {
    TraceSample sample;
    sample.items = items;
    sample.compute_mean_s = seconds;
    test.trace.samples.push_back(sample);
  }
  EXPECT_NEAR(test.bound().seconds, 1000.0 * 6.0714285714 / 107.1428571429, 1e-6);
}

TEST(StreamBound, AddsReadingToTheCopiesInOfTheSameEngine) {
  BoundProblem test = gpus(1, 1e-4);
  test.workload.in_bytes_per_item = 1.0;  // 10 s besides the 20 s
  EXPECT_NEAR(test.bound().seconds, 30.0, 1e-6);
  test.workload.out_bytes_per_item = 1.0;
  test.platform.units[0].out.links = {test.add_link(100.0)};
  EXPECT_NEAR(test.bound().seconds, 30.0, 1e-6);
  test.platform.units[0].unit.copy_engines = 1;
  EXPECT_NEAR(test.bound().seconds, 40.0, 1e-6);
}

TEST(StreamBound, DividesTheLinkAmongDevices) {
  // Each of two reads at 50 bytes/s: a block of 500 items takes 20 s.
  EXPECT_NEAR(gpus(2, 1e-4).bound().seconds, 20.0, 1e-6);
  // The units of a device read one after another at 100 bytes/s: 10 s for each block.
  BoundProblem test = gpus(2, 1e-4);
  for (PlatformUnit& unit : test.platform.units) unit.unit.device = "card";
  EXPECT_NEAR(test.bound().seconds, 20.0, 1e-6);
  test.add_affine_unit(0.0, 0.04);  // a CPU that does 500 items in 20 s; the device, 500 in 10 s
  EXPECT_NEAR(test.bound().seconds, 1000.0 / 75.0, 1e-6);
}

TEST(StreamBound, SendsAllResidentDataToAnotherNode) {
  BoundProblem test = gpus(1, 1e-4);
  test.platform.units[0].unit.is_remote = true;
  EXPECT_NEAR(test.bound().seconds, 30.0, 1e-6);  // 1000 bytes before the first block
}

TEST(StreamBound, CountsNothingThatAScenarioMayChange) {
  BoundProblem test = gpus(1, 1e-4);
  test.disturb(0.0, DisturbanceKind::bandwidth, "l0", 1000.0);
  EXPECT_LT(test.bound().seconds, 1.0);
}

}  // namespace
}  // namespace equipoise::lower_bound_stream_test
