// Congruential sequences: bound by multiply-adds of 32-bit integers, or by memory where items have
// few of them. A warp has an item, and each of its threads two sequences: items that differ make no
// thread wait for others, and the numbers of a row are read side by side.
#include "real/gpu/programs.hpp"

#include <cstddef>
#include <cstdint>

#include "real/gpu/device_code.hpp"
#include "real/kernels/synthetic/congruences.hpp"

namespace equipoise {
namespace {

constexpr unsigned block_threads = 32;
constexpr auto own_sequences = static_cast<unsigned>(item_sequences / block_threads);
/// Enough blocks for all processors of a large GPU many times, so that they end together.
constexpr std::size_t blocks_most = std::size_t{1} << 16;

__global__ void run_item(const std::uint32_t* rows, std::size_t row_numbers, std::size_t items,
                         std::uint64_t* sums) {
  __shared__ std::uint64_t ends[block_threads];
  for (std::size_t at = blockIdx.x; at < items; at += gridDim.x) {
    const std::uint32_t* const row = rows + at * row_numbers;
    const CongruentialItem item = item_of(row);
    const std::size_t read_numbers = row_numbers - row_heading;
    std::uint32_t x[own_sequences];
#pragma unroll
    for (unsigned s = 0; s < own_sequences; ++s) {
      x[s] = sequence_start(threadIdx.x + s * block_threads);
    }
    const std::uint32_t* numbers = row + row_heading + threadIdx.x;
#pragma unroll 4
    for (std::size_t left = read_numbers / item_sequences; left > 0; --left) {
#pragma unroll
      for (unsigned s = 0; s < own_sequences; ++s) x[s] += numbers[s * block_threads];
      numbers += item_sequences;
    }
#pragma unroll
    for (unsigned s = 0; s < own_sequences; ++s) {
      const bool has_another = threadIdx.x + s * block_threads < read_numbers % item_sequences;
      if (has_another) x[s] += numbers[s * block_threads];
    }
#pragma unroll 8
    for (std::uint64_t left = item.operations / item_sequences; left > 0; --left) {
#pragma unroll
      for (std::uint32_t& number : x) number = number * item.factor + item.increment;
    }
    std::uint64_t end = 0;
#pragma unroll
    for (unsigned s = 0; s < own_sequences; ++s) {
      const bool has_another = threadIdx.x + s * block_threads < item.operations % item_sequences;
      end += has_another ? x[s] * item.factor + item.increment : x[s];
    }
    ends[threadIdx.x] = end;
    for (unsigned half = block_threads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half) ends[threadIdx.x] += ends[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[at] = ends[0];
    __syncthreads();
  }
}

}  // namespace

GpuProgram gpu_synthetic(const KernelParameters& parameters) {
  const std::size_t row_numbers = whole(parameters, "bytes") / sizeof(std::uint32_t);
  return {[] { load_code(run_item); },
          [row_numbers](const Stream& stream, const StagedBlock& block) {
            const std::size_t items = items_of(block);
            const unsigned blocks = blocks_for(items < blocks_most ? items : blocks_most, 1);
            launch(run_item, {blocks}, {block_threads}, 0, stream, block.input<std::uint32_t>(0),
                   row_numbers, items, block.result<std::uint64_t>(0));
          }};
}

}  // namespace equipoise
