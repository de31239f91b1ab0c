// Kernels with and without barriers that they need, for tests of race_check.cpp, with which they
// are compiled.
#pragma once

namespace equipoise {

/// The threads of a block of these kernels.
inline constexpr unsigned racing_threads = 8;

/// Writes the sum of 1 to `racing_threads` to sums[i] for each of `blocks` blocks. Thread 0 of a
/// block makes it in shared memory; all threads read it there, behind a barrier or not, but only
/// thread 0 uses it.
void launch_sum(unsigned blocks, bool has_barrier, int* sums);

/// Each of `threads` threads of `blocks` blocks writes 7 to the same place.
void launch_same_writes(unsigned blocks, unsigned threads, int* number);

/// Each thread of a block writes to its number; thread `reader` reads that of thread `writer`
/// before. They begin in their order.
void launch_read_of_another(unsigned reader, unsigned writer, int* numbers);

}  // namespace equipoise
