// The language of CUDA kernels on the host: what the programs' tests rely on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "tests/support/gpu/device_code_host.hpp"

namespace equipoise::device_code_test {
namespace {

constexpr unsigned threads = 8;
constexpr std::size_t two_blocks = 16;  ///< threads

__global__ void number(unsigned* places) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned place = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
  places[place] = place + 1;
}

TEST(DeviceCode, RunsEveryThreadOfEveryBlock) {
  std::vector<unsigned> places(5040);  // 2 3 4 5 6 7
  launch(number, {2, 3, 4}, {5, 6, 7}, 0, {}, places.data());
  std::vector<unsigned> expected(places.size());
  std::iota(expected.begin(), expected.end(), 1U);
  EXPECT_EQ(places, expected);
}

/// Every block reverses its part of `values`, twice, in shared memory of both kinds.
__global__ void reverse_twice(int* values) {
  __shared__ int fixed[threads];
  int* const sized = dynamic_shared<int>();
  int& value = values[blockIdx.x * threads + threadIdx.x];
  fixed[threadIdx.x] = value;
  __syncthreads();
  sized[threadIdx.x] = fixed[threads - 1 - threadIdx.x];
  __syncthreads();
  value = 10 * sized[threads - 1 - threadIdx.x] + sized[threadIdx.x];
}

TEST(DeviceCode, ExchangesNumbersAtBarriers) {
  std::vector<int> values(two_blocks);
  std::iota(values.begin(), values.end(), 0);
  launch(reverse_twice, {2}, {threads}, threads * sizeof(int), {}, values.data());
  EXPECT_EQ(values, (std::vector<int>{7, 16, 25, 34, 43, 52, 61, 70,  //
                                      95, 104, 113, 122, 131, 140, 149, 158}));
}

/// Takes the number of the next thread, which may not have written it yet.
__global__ void take_from_neighbour(int step, int* taken) {
  int* const numbers = dynamic_shared<int>();
  numbers[threadIdx.x] = static_cast<int>(threadIdx.x);
  taken[blockIdx.x * threads + threadIdx.x] =
      numbers[(static_cast<int>(threadIdx.x) + step) % static_cast<int>(threads)];
}

TEST(DeviceCode, ShowsThatABarrierIsMissingInWhateverOrderThreadsNeedIt) {
  for (const int step : {1, static_cast<int>(threads) - 1}) {
    std::vector<int> taken(two_blocks);
    launch(take_from_neighbour, {2}, {threads}, threads * sizeof(int), {}, step, taken.data());
    EXPECT_GT(std::ranges::count(taken, -1), static_cast<int>(threads) / 2) << step;
  }
}

__global__ void write_and_show(double* shown) {
  double* const number = dynamic_shared<double>();
  shown[blockIdx.x] = *number;
  *number = 1.0;
}

TEST(DeviceCode, GivesEveryBlockSharedMemoryThatNobodyWrote) {
  std::vector<double> shown(3);
  launch(write_and_show, {3}, {1}, sizeof(double), {}, shown.data());
  for (const double number : shown) EXPECT_TRUE(std::isnan(number));
}

__global__ void leave_some_behind() {
  if (threadIdx.x < 3) __syncthreads();
}

__global__ void do_nothing() {}

TEST(DeviceCodeDeathTest, StopsWhereThreadsMissABarrier) {
  EXPECT_DEATH(launch(leave_some_behind, {1}, {threads}, 0, {}), "same barriers");
}

TEST(DeviceCodeDeathTest, StopsAtLaunchesThatNoGpuTakes) {
  EXPECT_DEATH(launch(do_nothing, {1}, {1025}, 0, {}), "1 to 1024 threads");
  EXPECT_DEATH(launch(do_nothing, {0}, {32}, 0, {}), "as large as a GPU allows");
  EXPECT_DEATH(launch(do_nothing, {1, 65536}, {32}, 0, {}), "as large as a GPU allows");
  EXPECT_DEATH(launch(do_nothing, {1}, {32}, (48 << 10) + 1, {}), "on every GPU");
}

}  // namespace
}  // namespace equipoise::device_code_test
