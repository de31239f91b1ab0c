// Draws options from ranges in which all prices have an ordinary size.
#include "real/kernels/option_inputs.hpp"

#include "real/kernels/seeded.hpp"

namespace equipoise {

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
