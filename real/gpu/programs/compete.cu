// Useless arithmetic: a block of threads takes all shared memory of an SM, so that neither another
// such block nor a block of a unit's kernel has room beside it, and computes until its time is
// over. Its first thread looks about a thousand times a second at the GPU's clock and at the word
// that stops it, and writes how long it was busy. That clock and the host's memory, where the words
// are, belong to all SMs and to the unit's queues, which may wait while all SMs of a load ask for
// them much more often. The other threads learn of the end from shared memory.
#include "real/gpu/programs.hpp"

#include "real/gpu/device_code.hpp"

namespace equipoise {
namespace {

constexpr unsigned block_threads = 256;
/// How long a thread computes before the first one looks at the SM's own counter of cycles.
constexpr int steps = 8000;
/// The cycles between two looks at what is not the SM's: a millisecond at 1 GHz.
constexpr std::uint64_t look_cycles = 1'000'000;

__global__ void keep_busy(CompetingBlocks blocks) {
  int* const goes_on = dynamic_shared<int>();
  double* const result = reinterpret_cast<double*>(goes_on) + 1;
  const std::uint64_t begin = device_ns();
  const std::uint64_t busy_before = threadIdx.x == 0 ? blocks.busy_ns[blockIdx.x] : 0;
  double x = threadIdx.x;
  bool looks = true;
  std::uint64_t last_look = 0;
  for (;;) {
    if (threadIdx.x == 0 && looks) {
      const std::uint64_t busy = device_ns() - begin;
      blocks.busy_ns[blockIdx.x] = busy_before + busy;
      *goes_on = *blocks.stops == 0 && busy < blocks.span_ns ? 1 : 0;
      last_look = device_cycles();
    }
    __syncthreads();
    if (*goes_on == 0) return;
    for (int i = 0; i < steps; ++i) x = x * 0.999 + 1.0;
    if (x < 0.0) *result = x;  // never: so that the arithmetic is done
    looks = device_cycles() - last_look >= look_cycles;
    __syncthreads();
  }
}

}  // namespace

void load_compete() { load_code(keep_busy); }

void launch_compete(const Stream& stream, const CompetingBlocks& blocks) {
  launch(keep_busy, {blocks.count}, {block_threads}, blocks.shared_bytes, stream, blocks);
}

}  // namespace equipoise
