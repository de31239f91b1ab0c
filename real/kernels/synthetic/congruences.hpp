// The work of the kernel synthetic: so many steps of linear congruential sequences as an item says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "real/kernels/kernel_data.hpp"

namespace equipoise {

/// The sequences of an item, which go on side by side.
inline constexpr std::size_t item_sequences = 64;

/// A row is the input of an item: 32-bit numbers. Those that `CongruentialItem` is made of come
/// first; the others only have to be read.
inline constexpr std::size_t row_heading = 4;

/// What an item asks for.
struct CongruentialItem {
  std::uint64_t operations;  ///< multiply-adds of all its sequences together
  std::uint32_t factor;
  std::uint32_t increment;
};

/// What the item of `row` asks for. The factor and the increment of a step are data, because a
/// compiler that knew them could make one step of several.
[[nodiscard]] constexpr CongruentialItem item_of(const std::uint32_t* row) {
  return {std::uint64_t{row[1]} << 32 | row[0], row[2], row[3]};
}

/// Where sequence number `sequence` of every item begins, before the numbers of its row are added.
[[nodiscard]] constexpr std::uint32_t sequence_start(std::size_t sequence) {
  return (static_cast<std::uint32_t>(sequence) + 1U) * 0x9E3779B9U;
}

/// Computes items one after another. To each sequence of an item, every 64th of the numbers behind
/// the heading of its row is added, from number `sequence` on. Then the sequences take a step in
/// turns, as many as the item has operations, modulo 2^32:
///
///     x <- factor x + increment
///
/// `rows` (items, row_numbers); `sums` (items): the last numbers of all sequences, added up, less
/// than 2^38. O(operations + row_numbers) for each item.
void run_congruences(const std::uint32_t* rows, std::size_t row_numbers, std::size_t items,
                     std::uint64_t* sums);

/// What stands in place of the sum of an item that was not computed, and is none.
inline constexpr std::uint64_t no_sum = ~std::uint64_t{0};

/// The sum of the item of `row` (row_numbers), found without its steps: n steps are one step with
/// another factor and increment, which follow from those of n / 2 steps. O(log operations +
/// row_numbers). Source: Brown, Random Number Generation with Arbitrary Strides (1994).
[[nodiscard]] std::uint64_t sum_by_jumps(const std::uint32_t* row, std::size_t row_numbers);

/// Compares all sums with `sum_by_jumps`. `rows` (items, row_numbers), `sums` (items).
[[nodiscard]] Verification check_congruences(std::span<const std::uint32_t> rows,
                                             std::size_t row_numbers,
                                             std::span<const std::uint64_t> sums);

}  // namespace equipoise
