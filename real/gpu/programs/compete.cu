// Useless arithmetic: a block of threads takes all shared memory of an SM, so that neither another
// such block nor a block of a unit's kernel has room beside it, and computes until its time is over.
// Its first thread looks at the clock and at the word that stops it, which is in the host's memory,
// every 50 us or so, and the others learn of it from shared memory.
#include "real/gpu/programs/compete.hpp"

#include "real/gpu/device_code.hpp"

namespace equipoise {
namespace {

constexpr unsigned block_threads = 256;
/// How long a thread computes before the block looks at the clock again.
constexpr int steps = 8000;

__global__ void keep_busy(CompetingBlocks blocks) {
  int* const goes_on = dynamic_shared<int>();
  double* const result = reinterpret_cast<double*>(goes_on) + 1;
  const std::uint64_t begin = device_ns();
  const std::uint64_t busy_before = threadIdx.x == 0 ? blocks.busy_ns[blockIdx.x] : 0;
  double x = threadIdx.x;
  for (;;) {
    if (threadIdx.x == 0) {
      const std::uint64_t busy = device_ns() - begin;
      blocks.busy_ns[blockIdx.x] = busy_before + busy;
      *goes_on = *blocks.stops == 0 && busy < blocks.span_ns ? 1 : 0;
    }
    __syncthreads();
    if (*goes_on == 0) return;
    for (int i = 0; i < steps; ++i) x = x * 0.999 + 1.0;
    if (x < 0.0) *result = x;  // never: so that the arithmetic is done
    __syncthreads();
  }
}

}  // namespace

void load_compete() { load_code(keep_busy); }

void launch_compete(const Stream& stream, const CompetingBlocks& blocks) {
  launch(keep_busy, {blocks.count}, {block_threads}, blocks.shared_bytes, stream, blocks);
}

}  // namespace equipoise
