// Chains of square roots and divisions, compiled with the options of the kernels' loops.
#include "tests/bench/root_loop.hpp"

#include <cmath>

#include "real/kernels/vectors.hpp"

namespace equipoise {
namespace {

constexpr int lanes = 64;
constexpr int unrolled = 8;
constexpr int repeats = 1000;

[[gnu::always_inline]] inline void take_roots_and_divide_all(double* numbers) {
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (int lane = 0; lane < lanes; ++lane) {
      double x = numbers[lane];
#pragma GCC unroll 8
      for (int k = 0; k < unrolled; ++k) x = 1.5 / std::sqrt(x);
      numbers[lane] = x;
    }
  }
}

}  // namespace

std::int64_t take_roots_and_divide(std::span<double, 64> numbers) {
  with_widest_vectors<take_roots_and_divide_all>(numbers.data());
  return std::int64_t{1} * lanes * unrolled * repeats;
}

}  // namespace equipoise
