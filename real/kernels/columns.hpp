// The data of kernels whose items are rows of numbers, stored column by column.
#pragma once

#include <cstddef>
#include <vector>

#include "real/kernels/buffer.hpp"
#include "real/kernels/kernel_data.hpp"

namespace equipoise {

/// Columns of equal length with one number per item; first the inputs, then the results.
using Columns = std::vector<Buffer>;

[[nodiscard]] Columns make_columns(std::size_t columns, Items items);

/// The data of such a kernel: the first `inputs` columns are input, the others results. It has no
/// resident data.
[[nodiscard]] KernelData data_of_columns(Columns& columns, std::size_t inputs);

}  // namespace equipoise
