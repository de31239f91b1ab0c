// Describes columns as the data of a kernel.
#include "real/kernels/columns.hpp"

namespace equipoise {

Columns make_columns(std::size_t columns, Items items) {
  Columns made;
  for (std::size_t i = 0; i < columns; ++i) made.emplace_back(static_cast<std::size_t>(items));
  return made;
}

KernelData data_of_columns(Columns& columns, std::size_t inputs) {
  KernelData data;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i < inputs) {
      data.inputs.push_back(input_rows(columns[i].data()));
      data.fixed.push_back(columns[i].fixed());
    } else {
      data.results.push_back(result_rows(columns[i].data()));
    }
  }
  return data;
}

}  // namespace equipoise
