// Black-Scholes prices: bound by the 48 bytes that an option moves, with nearly as much arithmetic.
// A thread prices two options, whose numbers one access each reads or writes; neighbours read and
// write neighbouring ones.
#include "real/gpu/programs.hpp"

#include <cmath>
#include <cstddef>

#include "real/gpu/device_code.hpp"
#include "real/kernels/blackscholes/option_price.hpp"

namespace equipoise {
namespace {

constexpr unsigned block_threads = 256;

constexpr std::size_t thread_options = 2;

/// The numbers of two options, which one access reads or writes.
struct alignas(thread_options * sizeof(double)) Pair {
  double number[thread_options];
};

/// What both prices of an option are made of.
struct Terms {
  double spot;
  double discounted;  ///< the strike
  double d1;
  double d2;
  double density;
  Fraction tail1;  ///< over the density
  Fraction tail2;
};

__device__ Terms terms_of(double spot, double strike, double years, double volatility,
                          double rate) {
  const double variance = volatility * volatility * years;
  const double per_deviation = rsqrt(variance);
  const double d1 = (std::log(spot / strike) + (rate * years + 0.5 * variance)) * per_deviation;
  const double d2 = d1 - variance * per_deviation;
  const double discounted = strike * std::exp(-rate * years);
  // S e^(-d1^2 / 2) = K e^(-rT) e^(-d2^2 / 2), so both tails have one exponential.
  return {spot, discounted, d1, d2, spot * std::exp(-0.5 * d1 * d1), {}, {}};
}

/// The pair of numbers from number `i` on; the first one twice if it is the last.
__device__ Pair pair_from(const double* numbers, std::size_t i, bool is_whole) {
  if (is_whole) return *reinterpret_cast<const Pair*>(numbers + i);
  return {{numbers[i], numbers[i]}};
}

__device__ void put_pair(double* numbers, std::size_t i, bool is_whole, const Pair& pair) {
  if (is_whole) {
    *reinterpret_cast<Pair*>(numbers + i) = pair;
  } else {
    numbers[i] = pair.number[0];
  }
}

__global__ void price_pair(OptionColumns options, std::size_t count, double rate) {
  const std::size_t i = (std::size_t{blockIdx.x} * block_threads + threadIdx.x) * thread_options;
  if (i >= count) return;
  const bool is_whole = i + 1 < count;
  const Pair spot = pair_from(options.spot, i, is_whole);
  const Pair strike = pair_from(options.strike, i, is_whole);
  const Pair years = pair_from(options.years, i, is_whole);
  const Pair volatility = pair_from(options.volatility, i, is_whole);
  Terms terms[thread_options];
#pragma unroll
  for (unsigned k = 0; k < thread_options; ++k) {
    terms[k] =
        terms_of(spot.number[k], strike.number[k], years.number[k], volatility.number[k], rate);
  }
  // One after the other, so that coefficients are loaded once for both options; divisions come
  // last.
#pragma unroll
  for (Terms& of : terms) {
    of.tail1 = tail_fraction(std::abs(of.d1));
    of.tail2 = tail_fraction(std::abs(of.d2));
  }
  Pair call;
  Pair put;
#pragma unroll
  for (unsigned k = 0; k < thread_options; ++k) {
    const Terms& of = terms[k];
    const double tail1 = of.density * (of.tail1.above / of.tail1.below);
    const double tail2 = of.density * (of.tail2.above / of.tail2.below);
    const double rest1 = of.spot - tail1;
    const double rest2 = of.discounted - tail2;
    call.number[k] = (of.d1 < 0.0 ? tail1 : rest1) - (of.d2 < 0.0 ? tail2 : rest2);
    put.number[k] = (of.d2 < 0.0 ? rest2 : tail2) - (of.d1 < 0.0 ? rest1 : tail1);
  }
  put_pair(options.call, i, is_whole, call);
  put_pair(options.put, i, is_whole, put);
}

}  // namespace

GpuProgram gpu_blackscholes(const KernelParameters& /*parameters*/) {
  return {[] { load_code(price_pair); },
          [](const Stream& stream, const StagedBlock& block) {
            const unsigned blocks = blocks_for(items_of(block), thread_options * block_threads);
            launch(price_pair, {blocks}, {block_threads}, 0, stream, option_columns(block),
                   items_of(block), option_rate);
          }};
}

}  // namespace equipoise
