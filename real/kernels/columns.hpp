// Items that are rows of numbers, column by column: how kernels of such items stage their blocks.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "real/kernels/buffer.hpp"
#include "real/kernels/kernel.hpp"

namespace equipoise {

/// Columns of equal length, one number an item; what goes in first, then the results.
using Columns = std::vector<Buffer>;

[[nodiscard]] Columns make_columns(std::size_t columns, Items items);

/// Computes items [first, first + count) of a unit's own columns; called by several threads at once
/// for different items.
using ColumnLoop = std::function<void(Columns& own, std::size_t first, std::size_t count)>;

/// A unit that copies the first `inputs` columns of `host` in, calls `loop`, and copies the others
/// out. Nothing is resident. Its copies use `host`; its `compute` may outlive it.
[[nodiscard]] std::unique_ptr<UnitKernel> make_column_side(Columns& host, std::size_t inputs,
                                                           Items items_max, ColumnLoop loop);

}  // namespace equipoise
