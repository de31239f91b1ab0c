// The loop of the kernel synthetic, written so that the compiler can vectorise it: a step of all
// sequences of an item at a time.
#include "real/kernels/synthetic/congruences.hpp"

#include "real/kernels/vectors.hpp"

namespace equipoise {
namespace {

[[gnu::always_inline]] inline std::uint64_t sum_by_steps(const std::uint32_t* row,
                                                         std::size_t row_numbers) {
  std::uint32_t x[item_sequences];
  for (std::size_t s = 0; s < item_sequences; ++s) x[s] = sequence_start(s);
  std::size_t at = row_heading;
  for (; at + item_sequences <= row_numbers; at += item_sequences) {
    for (std::size_t s = 0; s < item_sequences; ++s) x[s] += row[at + s];
  }
  for (std::size_t s = 0; at + s < row_numbers; ++s) x[s] += row[at + s];
  const CongruentialItem item = item_of(row);
  for (std::uint64_t left = item.operations / item_sequences; left > 0; --left) {
    for (std::size_t s = 0; s < item_sequences; ++s) x[s] = x[s] * item.factor + item.increment;
  }
  for (std::size_t s = 0; s < item.operations % item_sequences; ++s) {
    x[s] = x[s] * item.factor + item.increment;
  }
  std::uint64_t sum = 0;
  for (std::size_t s = 0; s < item_sequences; ++s) sum += x[s];
  return sum;
}

/// The body of `run_congruences`.
[[gnu::always_inline]] inline void run_all_steps(const std::uint32_t* rows, std::size_t row_numbers,
                                                 std::size_t items, std::uint64_t* sums) {
  for (std::size_t i = 0; i < items; ++i) {
    sums[i] = sum_by_steps(rows + i * row_numbers, row_numbers);
  }
}

}  // namespace

void run_congruences(const std::uint32_t* rows, std::size_t row_numbers, std::size_t items,
                     std::uint64_t* sums) {
  with_widest_vectors<run_all_steps>(rows, row_numbers, items, sums);
}

}  // namespace equipoise
