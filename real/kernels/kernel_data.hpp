// Where the data of a kernel lies: on the host, what a block's input and results are and what every
// unit keeps; and in the memory of a unit, as programs see it. And what a check of it says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Every array of a kernel on the host, and of a block in a unit's memory, begins at a multiple of
/// this, and no other data lies in its last page.
inline constexpr std::size_t array_alignment = 4096;

/// `bytes` in whole pages.
[[nodiscard]] constexpr std::size_t in_whole_pages(std::size_t bytes) {
  return (bytes + array_alignment - 1) / array_alignment * array_alignment;
}

/// An array on the host with one row for each item. `Byte` is `const std::byte` for input and
/// `std::byte` for results.
template <class Byte>
struct HostRows {
  Byte* data = nullptr;       ///< row 0
  std::size_t row_bytes = 0;  ///< from one row to the next
  /// How many rows behind those of its items a block needs, too. Row i of the array is then the
  /// first of the rows that item i needs.
  Items further_rows = 0;
  /// (items) The row of each item. Empty: item i has row i.
  std::span<const Items> row_of_item{};

  /// Number of rows of a block of `items`.
  [[nodiscard]] std::size_t rows(Items items) const {
    return static_cast<std::size_t>(items + further_rows);
  }
  /// Number of bytes of a block of `items`.
  [[nodiscard]] std::size_t bytes(Items items) const { return rows(items) * row_bytes; }
};
using InputRows = HostRows<const std::byte>;
using ResultRows = HostRows<std::byte>;

/// Data that every block needs and no block changes. A unit keeps it, and gets it again when the
/// version has changed.
struct ResidentArray {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  /// Changes whenever the data does (`clear_results`, `begin_iteration`); never 0.
  std::uint64_t version = 1;
};

/// An array that does not change while the kernel is allocated, and that stays as long as somebody
/// owns it, be the kernel destroyed or not. Devices may copy from it at any time, also for blocks
/// that are not wanted any more.
struct FixedArray {
  std::shared_ptr<const std::byte> begin;
  std::size_t bytes = 0;
};

/// All arrays that move between the host and a unit.
struct KernelData {
  std::vector<InputRows> inputs;
  std::vector<ResultRows> results;
  std::vector<ResidentArray> resident;
  /// Those of inputs and resident data that do not change.
  std::vector<FixedArray> fixed{};
};

/// The rows `data`, each of `row_numbers` numbers.
template <class Number>
[[nodiscard]] InputRows input_rows(const Number* data, std::size_t row_numbers = 1) {
  return {reinterpret_cast<const std::byte*>(data), row_numbers * sizeof(Number)};
}
template <class Number>
[[nodiscard]] ResultRows result_rows(Number* data, std::size_t row_numbers = 1) {
  return {reinterpret_cast<std::byte*>(data), row_numbers * sizeof(Number)};
}
template <class Number>
[[nodiscard]] ResidentArray resident_array(std::span<const Number> data) {
  return {reinterpret_cast<const std::byte*>(data.data()), data.size_bytes()};
}

/// Calls `visit(begin, bytes)` for each contiguous part of the host's memory that belongs to
/// `block`, in the order of its items.
template <class Byte, class Visit>
void for_each_segment(const HostRows<Byte>& rows, const Block& block, Visit&& visit) {
  if (rows.row_of_item.empty()) {
    visit(rows.data + static_cast<std::size_t>(block.first) * rows.row_bytes,
          rows.bytes(block.items));
    return;
  }
  const auto first = static_cast<std::size_t>(block.first);
  for (const Items row : rows.row_of_item.subspan(first, static_cast<std::size_t>(block.items))) {
    visit(rows.data + static_cast<std::size_t>(row) * rows.row_bytes, rows.row_bytes);
  }
}

/// A block in the memory of a unit: pointers to the arrays of its kernel (KernelData), in their
/// order. Every array is contiguous and begins at a multiple of 4096 bytes. Input and results begin
/// with the row of the block's first item.
struct StagedBlock {
  Items first = 0;  ///< number of the block's first item
  Items items = 0;
  std::vector<std::byte*> inputs;
  std::vector<std::byte*> results;
  std::vector<std::byte*> resident;

  template <class Number>
  [[nodiscard]] const Number* input(std::size_t i) const {
    return reinterpret_cast<const Number*>(inputs[i]);
  }
  template <class Number>
  [[nodiscard]] Number* result(std::size_t i) const {
    return reinterpret_cast<Number*>(results[i]);
  }
  template <class Number>
  [[nodiscard]] const Number* kept(std::size_t i) const {
    return reinterpret_cast<const Number*>(resident[i]);
  }
};

/// The result of a kernel's own check of its numbers.
struct Verification {
  bool passed = false;
  std::string what;  ///< which check passed how closely; or which item is wrong, and by how much
  bool is_unchecked = false;  ///< nobody knows whether the numbers are right: there is no check
};

}  // namespace equipoise
