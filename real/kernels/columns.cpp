// Makes columns, and describes them as the data of a kernel.
#include "real/kernels/columns.hpp"

#include <utility>

#include "real/kernels/seeded.hpp"

namespace equipoise {

ColumnKernel::ColumnKernel(const std::string& name, std::string item, Items items,
                           const Parameters& parameters, std::size_t inputs, std::size_t results)
    : Kernel(name, std::move(item), items, parameters),
      inputs_(inputs),
      columns_(inputs + results) {
  set_bytes(static_cast<double>(inputs * sizeof(double)),
            static_cast<double>(results * sizeof(double)));
}

void ColumnKernel::allocate(std::uint64_t seed) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i] = Buffer(count());
    if (i < inputs_) {
      data_.inputs.push_back(input_rows(column(i)));
      data_.fixed.push_back(columns_[i].fixed());
    } else {
      data_.results.push_back(result_rows(columns_[i].data()));
    }
  }
  make_inputs(seed, std::span(columns_).first(inputs_));
  clear_results();
}

void ColumnKernel::clear_results() { fill_with_nan(std::span(columns_).subspan(inputs_)); }

void make_options(std::uint64_t seed, std::span<Buffer> inputs) {
  constexpr double low[option_inputs] = {10.0, 10.0, 0.1, 0.1};
  constexpr double high[option_inputs] = {100.0, 100.0, 5.0, 0.6};
  for (std::size_t i = 0; i < option_inputs; ++i) {
    std::uint64_t position = std::uint64_t{i} << 60;
    for (double& value : inputs[i].span()) {
      value = seeded_number(seed, position++, low[i], high[i]);
    }
  }
}

}  // namespace equipoise
