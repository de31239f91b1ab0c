// Tests of the kernels that measure limits: that they do as many operations as they are said to do;
// and of what an item of each kernel costs.
#include "tests/bench/limits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "tests/bench/item_work.hpp"

namespace equipoise::limits_test {
namespace {

TEST(LimitOperations, AreAsManyAsRoundsTimesChainsInEveryThread) {
  // Beginning with 1, 2, ... 8, each of 5 rounds adds 3 to each chain.
  std::vector<double> sums(2 * limit_block_threads, -1.0);
  launch_operations({}, DeviceOperation::multiply_add, 2, 5, 1.0, 3.0, sums.data());
  for (const double sum : sums) EXPECT_EQ(sum, 36.0 + 8.0 * 5.0 * 3.0);
  launch_operations({}, DeviceOperation::integer_multiply_add, 2, 5, 1.0, 3.0, sums.data());
  for (const double sum : sums) EXPECT_EQ(sum, 36.0 + 8.0 * 5.0 * 3.0);
}

TEST(LimitOperations, AreThoseThatTheirNamesSay) {
  const auto first_sum = [](DeviceOperation operation) {
    std::vector<double> sums(limit_block_threads);
    launch_operations({}, operation, 1, 1, 2.0, 0.0, sums.data());
    return sums.front();
  };
  double root = 0.0;
  double quotient = 0.0;
  double exponential = 0.0;
  double logarithm = 0.0;
  for (int i = 1; i <= 8; ++i) {
    root += 1.0 / std::sqrt(2.0 * i);
    quotient += 2.0 / (2.0 * i);
    exponential += std::exp(-2.0 * i);
    logarithm += std::log(2.0 * i + 2.0);
  }
  EXPECT_NEAR(first_sum(DeviceOperation::root), root, 1e-14);
  EXPECT_NEAR(first_sum(DeviceOperation::quotient), quotient, 1e-14);
  EXPECT_NEAR(first_sum(DeviceOperation::exponential), exponential, 1e-14);
  EXPECT_NEAR(first_sum(DeviceOperation::logarithm), logarithm, 1e-13);
}

TEST(LimitOperations, GoOnWithNumbersHoweverOftenTheyAreRepeated) {
  for (const auto operation : {DeviceOperation::multiply_add, DeviceOperation::root,
                               DeviceOperation::quotient, DeviceOperation::exponential,
                               DeviceOperation::logarithm, DeviceOperation::integer_multiply_add}) {
    const double factor = lasting_factor(operation);
    std::vector<double> sums(limit_block_threads);
    launch_operations({}, operation, 1, 4096, factor, 0.5 * factor, sums.data());
    EXPECT_TRUE(std::isnormal(sums.front())) << static_cast<int>(operation) << ": " << sums.front();
  }
}

TEST(LimitCopy, CopiesEveryNumberOnce) {
  std::vector<double> from(3 * limit_copy_doubles);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<double>(i);
  std::vector<double> to(from.size());
  launch_copy({}, from.data(), to.data(), from.size());
  EXPECT_EQ(to, from);
}

TEST(LimitLookUps, FindTheLeastSumOfAllPairs) {
  constexpr std::size_t rounds = 9;
  std::vector<std::int32_t> least(2 * limit_block_threads);
  launch_look_ups({}, 2, rounds, least.data());
  const auto entry = [](int i) { return i * 37 % static_cast<int>(look_up_table); };
  for (const std::uint32_t thread : {0U, 77U, 255U}) {
    int best = 1000;
    const std::uint32_t own = (thread + 1) * 0x9E3779B9U;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      for (std::uint32_t i = 0; i < chains_of_thread; ++i) {
        const std::uint32_t both = round * 0x9E3779B9U & own * (2 * i + 3) & 0xFFFFFU;
        const int ones = std::popcount(both & ~own);
        best = std::min(best, entry(std::popcount(both) * 5) + entry(127 - ones * 5));
      }
    }
    EXPECT_EQ(least[thread], best) << thread;
    EXPECT_EQ(least[limit_block_threads + thread], best) << "the second block does the same";
  }
}

ItemDemand work_of(const std::string& kernel, const TypedParameters& parameters) {
  return item_work(*make_kernel(kernel, parameters, "--workload"));
}

TEST(ItemDemand, CountsWhatAnItemOfEachKernelNeeds) {
  EXPECT_EQ(work_of("matmul", {{"n", "10"}}).product_flop, 200.0);
  EXPECT_EQ(work_of("blackscholes", {}).bytes, 48.0);
  EXPECT_EQ(work_of("fft2d", {{"rows", "4"}, {"columns", "8"}}).bytes, 5.0 * 32.0 * 32.0);
  EXPECT_EQ(work_of("fft2d", {{"rows", "4"}, {"columns", "8"}, {"directions", "1"}}).bytes,
            2.0 * 32.0 * 32.0);
  EXPECT_EQ(work_of("grn", {{"candidates", "5"}}).look_ups, 10.0);
  EXPECT_EQ(work_of("kmeans", {{"dimensions", "3"}, {"clusters", "7"}}).multiply_adds, 21.0);
  EXPECT_EQ(work_of("nbody", {{"bodies", "10"}}).multiply_adds, 120.0);
  EXPECT_EQ(work_of("nbody", {{"bodies", "10"}}).roots, 10.0);
  EXPECT_EQ(work_of("binomial", {{"steps", "3"}}).multiply_adds, 2.0 * (1 + 2 + 3));
  EXPECT_EQ(work_of("synthetic", {{"operations", "7"}}).integer_multiply_adds, 7.0);
  EXPECT_EQ(work_of("synthetic", {{"bytes", "20"}}).bytes, 28.0);
  EXPECT_EQ(work_of("taylor", {{"terms", "7"}}).multiply_adds, 14.0);
  EXPECT_EQ(work_of("gaussian", {{"width", "10"}, {"radius", "1"}}).multiply_adds, 90.0);
}

TEST(ItemDemand, CountsSixOperationsForEachStepOfAPixel) {
  const auto kernel = make_kernel("mandelbrot", {}, "--workload");
  EXPECT_DOUBLE_EQ(item_work(*kernel).multiply_adds, kernel->workload().flop_per_item * 6.0 / 8.0);
}

TEST(ItemDemand, TakesAsLongAsItsBytesOrAllItsOperations) {
  GpuRates rates;
  rates.bytes = 10.0;
  rates.multiply_adds = 4.0;
  rates.roots = 2.0;
  const ItemDemand work{.bytes = 5.0, .multiply_adds = 1.0, .roots = 1.0};
  EXPECT_DOUBLE_EQ(work.least_s(rates), 0.75) << "0.25 s and 0.5 s; the bytes take 0.5 s";
  EXPECT_EQ(work.bound(rates), "fma/fma_rate+roots/root_rate");
  rates.bytes = 5.0;
  EXPECT_DOUBLE_EQ(work.least_s(rates), 1.0);
  EXPECT_EQ(work.bound(rates), "bytes/bandwidth");
}

}  // namespace
}  // namespace equipoise::limits_test
