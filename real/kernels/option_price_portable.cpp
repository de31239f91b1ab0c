// Prices options with whatever vectors the compiler's own target has.
#include "real/kernels/option_price_loop.hpp"

namespace equipoise {

void price_options(const OptionColumns& columns, std::size_t first, std::size_t count,
                   double rate) {
  option_price::price_all(columns, first, count, rate);
}

}  // namespace equipoise
