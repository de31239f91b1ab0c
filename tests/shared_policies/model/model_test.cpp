// Tests of the model: largest blocks for a memory, undisturbed transfers, draws.
#include <gtest/gtest.h>

#include <cmath>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/platform.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise::model_test {
namespace {

TEST(Unit, HoldsWhatItsMemoryAllowsInWholeGrains) {
  Workload workload;
  workload.items = 1000;
  workload.grain_items = 8;
  workload.memory_bytes_per_item = 4;
  workload.resident_bytes = 100;
  Unit unit;
  EXPECT_EQ(largest_block(unit, workload), 1000);  // no limit known
  unit.memory_bytes = 4100;
  EXPECT_EQ(largest_block(unit, workload), 1000);
  unit.memory_bytes = 499;  // 399 / 4 = 99 items, 96 in whole grains
  EXPECT_EQ(largest_block(unit, workload), 96);
  unit.memory_bytes = 131;  // 31 bytes: less than a grain of 32
  EXPECT_EQ(largest_block(unit, workload), 0);
  unit.memory_bytes = 99;
  EXPECT_EQ(largest_block(unit, workload), 0);
  workload.resident_memory_bytes = 0.0;  // 99 / 4 = 24 items
  EXPECT_EQ(largest_block(unit, workload), 24);
  workload.resident_memory_bytes = 50.0;  // 49 / 4 = 12 items
  EXPECT_EQ(largest_block(unit, workload), 8);
}

TEST(Workload, SendsResidentDataOnceOrOnlyWhatChanges) {
  Workload workload;
  workload.resident_bytes = 8.0;
  workload.iteration_bytes = 3.0;
  EXPECT_EQ(workload.first_bytes(0), 8.0);
  EXPECT_EQ(workload.first_bytes(2), 8.0);
  workload.distribution = Distribution::replicated;
  EXPECT_EQ(workload.first_bytes(0), 0.0);
  EXPECT_EQ(workload.first_bytes(2), 3.0);
  EXPECT_EQ(workload.bytes_kept(), 8.0);
  EXPECT_STREQ(to_string(Distribution::master), "master");
}

TEST(Workload, RefusesWhatCannotBeRun) {
  Workload workload;
  workload.items = 0;
  EXPECT_THROW(workload.validate("w"), InputError);
  workload.items = 10;
  EXPECT_NO_THROW(workload.validate("w"));
  workload.in_bytes_per_item = 1e18;  // 1e19 bytes do not fit in 63 bits
  EXPECT_THROW(workload.validate("w"), InputError);
  workload.in_bytes_per_item = std::nan("");
  EXPECT_THROW(workload.validate("w"), InputError);
  workload.in_bytes_per_item = 0.0;
  workload.resident_bytes = 5.0;
  workload.iteration_bytes = 5.0;
  EXPECT_NO_THROW(workload.validate("w"));
  workload.iteration_bytes = 6.0;
  EXPECT_THROW(workload.validate("w"), InputError);
  workload.iteration_bytes = -1.0;
  EXPECT_THROW(workload.validate("w"), InputError);
}

TEST(Platform, MovesBytesAtTheNarrowestLinkAfterAllLatencies) {
  Platform platform;
  platform.links = {{"net", 1e9, Seconds{1e-4}, true}, {"pcie", 4e9, Seconds{2e-5}, true}};
  EXPECT_DOUBLE_EQ(copy_speed_of(platform.links, Route{{0, 1}}).time(1e6).value, 1.2e-4 + 1e-3);
  EXPECT_DOUBLE_EQ(copy_speed_of(platform.links, Route{}).time(1e6).value, 0.0);
  EXPECT_DOUBLE_EQ(copy_speed_of(platform.links, Route{{0}}).time(0.0).value, 0.0);
}

// The values were computed independently of this code. All arithmetic is in 64 bits and wraps
// around:
//   mix(x): x += 9e3779b97f4a7c15; x = (x ^ x >> 30) * bf58476d1ce4e5b9;
//           x = (x ^ x >> 27) * 94d049bb133111eb; x ^ x >> 31                       (SplitMix64)
//   hash(s): h = cbf29ce484222325; for every byte b: h = (h ^ b) * 100000001b3      (FNV-1a)
//   state = mix(mix(mix(mix(seed) ^ repetition) ^ hash(unit)) ^ hash(kernel))
//   quantile(i) = ((mix(state ^ mix(i)) >> 11) + 1/2) / 2^53
TEST(Draw, IsTheSameOnEveryMachine) {
  const Draw one({1, 2, "cpu0", "matmul"});
  EXPECT_EQ(one.quantile(0), 0x1.4ea6b61f7ab96p-1);
  EXPECT_EQ(one.quantile(5), 0x1.5846b325d3010p-1);
  const Draw other({0xffffffffffffffff, 0, "gpu1", "fft2d"});
  EXPECT_EQ(other.quantile(0), 0x1.1bcd540bacecap-3);
  EXPECT_EQ(other.quantile(1'000'000), 0x1.d9385025097dep-1);
}

TEST(Draw, DependsOnEveryPartOfItsKey) {
  const DrawKey key{1, 2, "cpu0", "matmul"};
  for (const DrawKey& other : {DrawKey{2, 2, "cpu0", "matmul"}, DrawKey{1, 3, "cpu0", "matmul"},
                               DrawKey{1, 2, "cpu1", "matmul"}, DrawKey{1, 2, "cpu0", "fft2d"}}) {
    EXPECT_NE(Draw(key).quantile(5), Draw(other).quantile(5));
  }
}

TEST(Draw, IsUniformBetweenZeroAndOne) {
  const Draw draw({7, 0, "u", "k"});
  double sum = 0.0;
  double squares = 0.0;
  constexpr int n = 100'000;
  for (int i = 0; i < n; ++i) {
    const double u = draw.quantile(static_cast<std::uint64_t>(i));
    ASSERT_GT(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / n, 0.5, 0.005);  // sd of the mean: 0.0009
  EXPECT_NEAR(squares / n, 1.0 / 3.0, 0.005);
}

}  // namespace
}  // namespace equipoise::model_test
