// The chains of a thread are independent and unrolled, so that the units for the operation, and not
// the time until a result is there, bound the kernel.
#include "tests/bench/limits.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "real/gpu/device_code.hpp"

namespace equipoise {
namespace {

constexpr auto block_threads = static_cast<unsigned>(limit_block_threads);

template <DeviceOperation operation>
using NumberOf =
    std::conditional_t<operation == DeviceOperation::integer_multiply_add, std::uint32_t, double>;

template <DeviceOperation operation, class Number>
__device__ Number applied(Number x, Number factor, Number term) {
  if constexpr (operation == DeviceOperation::integer_multiply_add) return x * factor + term;
  if constexpr (operation == DeviceOperation::multiply_add) return std::fma(x, factor, term);
  if constexpr (operation == DeviceOperation::root) return rsqrt(x);
  if constexpr (operation == DeviceOperation::quotient) return factor / x;
  if constexpr (operation == DeviceOperation::exponential) return std::exp(-x);
  if constexpr (operation == DeviceOperation::logarithm) return std::log(x + factor);
}

template <DeviceOperation operation>
__global__ void repeat(std::size_t rounds, NumberOf<operation> factor, NumberOf<operation> term,
                       double* sums) {
  NumberOf<operation> chains[chains_of_thread];
#pragma unroll
  for (unsigned i = 0; i < chains_of_thread; ++i) chains[i] = factor * (i + 1);
  for (std::size_t round = 0; round < rounds; ++round) {
#pragma unroll
    for (auto& x : chains) x = applied<operation>(x, factor, term);
  }
  double sum = 0.0;
#pragma unroll
  for (const auto x : chains) sum += x;
  sums[std::size_t{blockIdx.x} * block_threads + threadIdx.x] = sum;
}

/// Two numbers, which one access reads or writes.
struct alignas(2 * sizeof(double)) Pair {
  double first;
  double second;
};

constexpr unsigned pairs_of_thread = limit_copy_doubles / limit_block_threads / 2;

__global__ void copy_pairs(const Pair* __restrict__ from, Pair* __restrict__ to) {
  const std::size_t first =
      std::size_t{blockIdx.x} * (pairs_of_thread * block_threads) + threadIdx.x;
  Pair pairs[pairs_of_thread];
#pragma unroll
  for (unsigned i = 0; i < pairs_of_thread; ++i) pairs[i] = from[first + i * block_threads];
#pragma unroll
  for (unsigned i = 0; i < pairs_of_thread; ++i) to[first + i * block_threads] = pairs[i];
}

constexpr std::uint32_t spread = 0x9E3779B9;
constexpr std::uint32_t samples = (1U << 20) - 1;

__global__ void look_up(std::size_t rounds, std::int32_t* least) {
  __shared__ std::int32_t table[look_up_table];
  for (unsigned i = threadIdx.x; i < look_up_table; i += block_threads) {
    table[i] = static_cast<std::int32_t>(i * 37 % look_up_table);
  }
  __syncthreads();
  const std::uint32_t own = (threadIdx.x + 1) * spread;
  const std::uint32_t gene = ~own & samples;
  std::uint32_t seconds[chains_of_thread];
#pragma unroll
  for (unsigned i = 0; i < chains_of_thread; ++i) seconds[i] = own * (2 * i + 3) & samples;
  std::int32_t best = 2 * static_cast<std::int32_t>(look_up_table);
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::uint32_t first = static_cast<std::uint32_t>(round) * spread;
#pragma unroll
    for (const std::uint32_t second : seconds) {
      const std::uint32_t both = first & second;
      const int in_both = count_bits(both);
      const int ones = count_bits(both & gene);
      const std::int32_t sum = table[in_both * 5] + table[look_up_table - 1 - ones * 5];
      best = sum < best ? sum : best;
    }
  }
  least[std::size_t{blockIdx.x} * block_threads + threadIdx.x] = best;
}

}  // namespace

void launch_operations(const Stream& stream, DeviceOperation operation, std::size_t blocks,
                       std::size_t rounds, double factor, double term, double* sums) {
  const auto start = [&](auto* kernel) {
    launch(kernel, {blocks_for(blocks, 1)}, {block_threads}, 0, stream, rounds, factor, term, sums);
  };
  switch (operation) {
    case DeviceOperation::multiply_add:
      return start(repeat<DeviceOperation::multiply_add>);
    case DeviceOperation::root:
      return start(repeat<DeviceOperation::root>);
    case DeviceOperation::quotient:
      return start(repeat<DeviceOperation::quotient>);
    case DeviceOperation::exponential:
      return start(repeat<DeviceOperation::exponential>);
    case DeviceOperation::logarithm:
      return start(repeat<DeviceOperation::logarithm>);
    case DeviceOperation::integer_multiply_add:
      return start(repeat<DeviceOperation::integer_multiply_add>);
  }
}

void launch_copy(const Stream& stream, const double* from, double* to, std::size_t count) {
  EQ_CHECK(count % limit_copy_doubles == 0, "every block copies as much");
  launch(copy_pairs, {blocks_for(count, limit_copy_doubles)}, {block_threads}, 0, stream,
         reinterpret_cast<const Pair*>(from), reinterpret_cast<Pair*>(to));
}

void launch_look_ups(const Stream& stream, std::size_t blocks, std::size_t rounds,
                     std::int32_t* least) {
  launch(look_up, {blocks_for(blocks, 1)}, {block_threads}, 0, stream, rounds, least);
}

}  // namespace equipoise
