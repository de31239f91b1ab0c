// Kernels that do one thing only, to measure what a CUDA device can do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "real/gpu/stream.hpp"

namespace equipoise {

/// What `launch_operations` repeats in registers, on doubles if nothing else is said.
enum class DeviceOperation : std::uint8_t {
  multiply_add,          ///< x = x * factor + term, fused
  root,                  ///< x = 1 / sqrt(x)
  quotient,              ///< x = factor / x
  exponential,           ///< x = e^-x
  logarithm,             ///< x = ln(x + factor)
  integer_multiply_add,  ///< x = x * factor + term, all of 32 bits
};

/// A factor with which `operation` may be repeated for ever, beginning with it and its multiples: x
/// becomes neither infinite nor NaN, for which a GPU needs another time, and integers go on to
/// change. `term` may be half of it.
[[nodiscard]] constexpr double lasting_factor(DeviceOperation operation) {
  if (operation == DeviceOperation::integer_multiply_add) return 5.0;
  return operation == DeviceOperation::logarithm ? 3.0 : 0.5;
}

/// Each thread has as many chains of operations, so that none waits for another's result.
inline constexpr std::size_t chains_of_thread = 8;
inline constexpr std::size_t limit_block_threads = 256;

/// Enqueues `blocks` blocks of `limit_block_threads` threads, each with `chains_of_thread` chains
/// of `rounds` operations, which begin with `factor`, 2 `factor`, ... Every thread writes the sum
/// of its chains to its place in `sums`, which is in the device's memory.
void launch_operations(const Stream& stream, DeviceOperation operation, std::size_t blocks,
                       std::size_t rounds, double factor, double term, double* sums);

/// What a block of threads copies: each thread has four reads of two doubles under way.
inline constexpr std::size_t limit_copy_doubles = limit_block_threads * 4 * 2;

/// Enqueues copying `count` doubles (a multiple of `limit_copy_doubles`) of the device's memory,
/// from and to multiples of 16 bytes: each is read once and written once.
void launch_copy(const Stream& stream, const double* from, double* to, std::size_t count);

/// The places of the tables that `launch_look_ups` looks up in.
inline constexpr std::size_t look_up_table = 128;

/// Enqueues what a pair of regulators costs the kernel grn and no more: each thread of `blocks`
/// blocks meets `rounds` sets of 20 samples, which are multiples of 0x9E3779B9, each with
/// `chains_of_thread` sets of its own; counts the samples that both have, and those of them that
/// are in its gene; looks up a number in shared memory for either count, and keeps the least sum of
/// the two. Every thread writes the least of all its sums to its place in `least`. O(rounds).
void launch_look_ups(const Stream& stream, std::size_t blocks, std::size_t rounds,
                     std::int32_t* least);

}  // namespace equipoise
