// Staging of blocks for kernels whose items are rows of numbers, stored column by column.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "real/kernels/buffer.hpp"
#include "real/kernels/kernel.hpp"

namespace equipoise {

/// Columns of equal length with one number per item; first the inputs, then the results.
using Columns = std::vector<Buffer>;

[[nodiscard]] Columns make_columns(std::size_t columns, Items items);

/// Computes the items [first, first + count) of a unit's own columns. Several threads call it at
/// once, for different items.
using ColumnLoop = std::function<void(Columns& own, std::size_t first, std::size_t count)>;

/// A unit's side of such a kernel. It copies the first `inputs` columns of `host` in, calls `loop`,
/// and copies the other columns out. It has no resident data. The copies use `host`; `compute` does
/// not, and may outlive it.
[[nodiscard]] std::unique_ptr<UnitKernel> make_column_side(Columns& host, std::size_t inputs,
                                                           Items items_max, ColumnLoop loop);

}  // namespace equipoise
