// Items that take the time that their costs say, and have as many bytes as the user wants.
//
// An item is a row of numbers, which are copied to the unit and read, and multiply-adds of 32-bit
// integers: `operations` of them if it costs as much as the mean item, in proportion to its cost
// otherwise. Its arithmetic intensity is `operations` over `bytes`. See
// real/kernels/synthetic/congruences.hpp for the computation. Every result is known exactly,
// because linear congruential sequences can be entered anywhere.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "real/kernels/buffer.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/seeded.hpp"
#include "real/kernels/synthetic/congruences.hpp"

namespace equipoise {

/// The most operations of an item, whatever its cost.
constexpr double most_operations = 0x1p62;

std::uint64_t sum_by_jumps(const std::uint32_t* row, std::size_t row_numbers) {
  const CongruentialItem item = item_of(row);
  // All sequences take `rounds` steps, and the first ones one more.
  const std::uint64_t rounds = item.operations / item_sequences;
  const std::uint64_t rest = item.operations % item_sequences;
  std::uint32_t jump_factor = 1;
  std::uint32_t jump_increment = 0;
  std::uint32_t factor = item.factor;  // of 1, 2, 4, ... steps
  std::uint32_t increment = item.increment;
  for (std::uint64_t left = rounds; left > 0; left /= 2) {
    if (left % 2 == 1) {
      jump_factor *= factor;
      jump_increment = jump_increment * factor + increment;
    }
    increment *= factor + 1;
    factor *= factor;
  }
  std::uint64_t sum = 0;
  for (std::size_t s = 0; s < item_sequences; ++s) {
    std::uint32_t x = sequence_start(s);
    for (std::size_t at = row_heading + s; at < row_numbers; at += item_sequences) x += row[at];
    x = x * jump_factor + jump_increment;
    if (s < rest) x = x * item.factor + item.increment;
    sum += x;
  }
  return sum;
}

Verification check_congruences(std::span<const std::uint32_t> rows, std::size_t row_numbers,
                               std::span<const std::uint64_t> sums) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] == no_sum) return {false, fmt::format("item {}: was not computed", i)};
    const std::uint64_t expected = sum_by_jumps(rows.data() + i * row_numbers, row_numbers);
    if (sums[i] == expected) continue;
    return {false, fmt::format("item {}: its sequences end with the sum {}, not {}", i, expected,
                               sums[i])};
  }
  return {true, fmt::format("the sequences of {} items end where jumps lead", sums.size())};
}

namespace {

constexpr std::size_t number_bytes = sizeof(std::uint32_t);
constexpr Items row_bytes_max = Items{1} << 40;

/// How the work of the items of a workload adds up. Copied into programs.
struct WorkOfItems {
  ItemCostsPtr costs;
  double operations = 1.0;  ///< of an item of mean cost
  double numbers = 1.0;     ///< of an item, each of which is read

  [[nodiscard]] double of(Items first, Items items) const {
    const auto count = static_cast<double>(items);
    return operations * (costs ? costs->sum(first, items) : count) + numbers * count;
  }

  /// How many items of `block`, from its first on, have as much work as `part` of its items have on
  /// average: where a part of the block that has an equal share of the work ends. O(log items log
  /// ranges).
  [[nodiscard]] std::size_t end_of(const StagedBlock& block, std::size_t part) const {
    const auto items = static_cast<std::size_t>(block.items);
    if (costs == nullptr || part == 0 || part == items) return part;
    const double share = static_cast<double>(part) / static_cast<double>(items);
    const double before = share * of(block.first, block.items);
    Items low = 0;
    for (Items high = block.items; low < high;) {
      const Items middle = low + (high - low) / 2;
      if (of(block.first, middle) < before) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return static_cast<std::size_t>(low);
  }
};

class Synthetic final : public Kernel {
 public:
  explicit Synthetic(const Parameters& parameters)
      : Kernel("synthetic", "item", parameters.items("items", 0), parameters) {
    const auto bytes = static_cast<std::size_t>(parameters.multiple(
        "bytes", Items{number_bytes}, Items{row_heading * number_bytes}, row_bytes_max));
    row_numbers_ = bytes / number_bytes;
    work_.operations = static_cast<double>(parameters.items("operations", 1));
    work_.numbers = static_cast<double>(row_numbers_);
    const auto row_bytes = static_cast<double>(bytes);
    set_bytes(row_bytes, sizeof(std::uint64_t));
    // Integer operations; there are no others.
    workload_.flop_per_item = 2.0 * work_.operations;
    set_problem("items", {{"operations", work_.operations}, {"bytes", row_bytes}});
  }

  bool takes_costs() const override { return true; }
  void set_costs(const ItemCostsPtr& costs) override { work_.costs = costs; }

  void allocate(std::uint64_t seed) override {
    rows_ = BufferOf<std::uint32_t>(count() * row_numbers_);
    sums_ = BufferOf<std::uint64_t>(count());
    std::uint64_t position = 0;
    for (std::uint32_t& number : rows_.span()) {
      number = static_cast<std::uint32_t>(seeded_number(seed, position++, 0.0, 0x1p32));
    }
    std::uint32_t* row = rows_.data();
    const auto write_rows = [&](Items items, double cost) {
      const auto operations = static_cast<std::uint64_t>(
          std::llround(std::min(work_.operations * cost, most_operations)));
      for (const std::uint32_t* const end = row + static_cast<std::size_t>(items) * row_numbers_;
           row != end; row += row_numbers_) {
        row[0] = static_cast<std::uint32_t>(operations);
        row[1] = static_cast<std::uint32_t>(operations >> 32);
        row[2] = (row[2] & ~7U) | 5U;  // with an odd increment, sequences repeat after 2^32 steps
        row[3] |= 1U;
      }
    };
    if (work_.costs) {
      for (const CostRange& range : work_.costs->ranges()) write_rows(range.items, range.cost);
    } else {
      write_rows(workload_.items, 1.0);
    }
    data_ = {
        {input_rows(rows_.data(), row_numbers_)}, {result_rows(sums_.data())}, {}, {rows_.fixed()}};
    clear_results();
  }

  void clear_results() override { std::ranges::fill(sums_.span(), no_sum); }

  CpuProgram make_cpu_program() const override {
    return [work = work_, row_numbers = row_numbers_](const StagedBlock& block, std::size_t first,
                                                      std::size_t items) {
      const std::size_t begin = work.end_of(block, first);
      const std::size_t end = work.end_of(block, first + items);
      run_congruences(block.input<std::uint32_t>(0) + begin * row_numbers, row_numbers, end - begin,
                      block.result<std::uint64_t>(0) + begin);
    };
  }

  Verification verify() const override {
    return check_congruences(rows_.span(), row_numbers_, sums_.span());
  }

 private:
  WorkOfItems work_;
  std::size_t row_numbers_ = 0;
  BufferOf<std::uint32_t> rows_;  ///< (items, row_numbers_)
  BufferOf<std::uint64_t> sums_;  ///< (items)
};

}  // namespace

std::unique_ptr<Kernel> make_synthetic(const Parameters& parameters) {
  return std::make_unique<Synthetic>(parameters);
}

}  // namespace equipoise
