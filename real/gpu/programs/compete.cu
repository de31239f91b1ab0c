// Useless arithmetic: a block of threads takes all shared memory of an SM, so that neither another
// such block nor a block of a unit's kernel has room beside it, and computes until its time is over.
// Its first thread looks at the clock every 50 us or so, and a thousand times a second at the word that
// stops it. That word and the time that it writes are in the host's memory, and what all SMs do there
// may keep copies and events of the unit waiting. The others learn of the end from shared memory.
#include "real/gpu/programs/compete.hpp"

#include "real/gpu/device_code.hpp"

namespace equipoise {
namespace {

constexpr unsigned block_threads = 256;
/// How long a thread computes before the block looks at the clock again.
constexpr int steps = 8000;
/// How often it looks at the host's memory.
constexpr std::uint64_t look_ns = 1'000'000;

__global__ void keep_busy(CompetingBlocks blocks) {
  int* const goes_on = dynamic_shared<int>();
  double* const result = reinterpret_cast<double*>(goes_on) + 1;
  const std::uint64_t begin = device_ns();
  const std::uint64_t busy_before = threadIdx.x == 0 ? blocks.busy_ns[blockIdx.x] : 0;
  double x = threadIdx.x;
  std::uint64_t next_look = 0;
  for (;;) {
    if (threadIdx.x == 0) {
      const std::uint64_t busy = device_ns() - begin;
      const bool is_over = busy >= blocks.span_ns;
      if (is_over || busy >= next_look) {
        blocks.busy_ns[blockIdx.x] = busy_before + busy;
        *goes_on = *blocks.stops == 0 && !is_over ? 1 : 0;
        next_look = busy + look_ns;
      }
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
