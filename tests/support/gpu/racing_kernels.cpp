// Kernels with and without the barriers that they need.
#include "tests/support/gpu/racing_kernels.hpp"

#include <cstddef>

#include "tests/support/gpu/device_code_host.hpp"

namespace equipoise {
namespace {

__global__ void add_up(bool has_barrier, int* sums) {
  int* const numbers = dynamic_shared<int>();
  numbers[threadIdx.x] = static_cast<int>(threadIdx.x) + 1;
  for (unsigned half = racing_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) numbers[threadIdx.x] += numbers[threadIdx.x + half];
  }
  if (has_barrier) __syncthreads();
  const int sum = numbers[0];
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void write_the_same(int* number) { *number = 7; }

__global__ void read_another(unsigned reader, unsigned writer, int* numbers) {
  const int number = threadIdx.x == reader ? numbers[writer] : 1;
  numbers[threadIdx.x] = number;
}

}  // namespace

void launch_sum(unsigned blocks, bool has_barrier, int* sums) {
  launch(add_up, {blocks}, {racing_threads}, racing_threads * sizeof(int), {}, has_barrier, sums);
}

void launch_same_writes(unsigned blocks, unsigned threads, int* number) {
  launch(write_the_same, {blocks}, {threads}, 0, {}, number);
}

void launch_read_of_another(unsigned reader, unsigned writer, int* numbers) {
  launch(read_another, {1}, {racing_threads}, 0, {}, reader, writer, numbers);
}

}  // namespace equipoise
