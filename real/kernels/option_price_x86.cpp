// Prices options with the widest vectors that this x86 CPU has.
#include "real/kernels/option_price_loop.hpp"

namespace equipoise {
namespace {

using Price = void (*)(const OptionColumns&, std::size_t, std::size_t, double);

void price_by_two(const OptionColumns& columns, std::size_t first, std::size_t count, double rate) {
  option_price::price_all(columns, first, count, rate);
}

[[gnu::target("avx2")]] void price_by_four(const OptionColumns& columns, std::size_t first,
                                           std::size_t count, double rate) {
  option_price::price_all(columns, first, count, rate);
}

[[gnu::target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")]] void price_by_eight(
    const OptionColumns& columns, std::size_t first, std::size_t count, double rate) {
  option_price::price_all(columns, first, count, rate);
}

Price widest() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return price_by_eight;
  }
  return __builtin_cpu_supports("avx2") ? price_by_four : price_by_two;
}

}  // namespace

void price_options(const OptionColumns& columns, std::size_t first, std::size_t count,
                   double rate) {
  static const Price price = widest();
  price(columns, first, count, rate);
}

}  // namespace equipoise
