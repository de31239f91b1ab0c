// Black-Scholes prices: bound by the 48 bytes that an option moves, with nearly as much arithmetic.
// A thread prices one option; neighbours read and write neighbouring numbers.
#include "real/cuda/programs/blackscholes.hpp"

#include <cmath>
#include <cstddef>

#include "real/cuda/device_code.hpp"
#include "real/cuda/programs/grid.hpp"

namespace equipoise {
namespace {

constexpr unsigned block_threads = 256;

/// The probability that a standard normal variable is below `x`.
__device__ double normal_distribution(double x) {
  constexpr double root_half = 0.70710678118654752440;
  return 0.5 * std::erfc(-x * root_half);
}

__global__ void price_option(OptionColumns options, std::size_t count, double rate) {
  const std::size_t i = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  if (i >= count) return;
  const double spot = options.spot[i];
  const double strike = options.strike[i];
  const double years = options.years[i];
  const double volatility = options.volatility[i];
  const double deviation = volatility * std::sqrt(years);
  const double drift = (rate + 0.5 * volatility * volatility) * years;
  const double d1 = (std::log(spot / strike) + drift) / deviation;
  const double d2 = d1 - deviation;
  const double discounted = strike * std::exp(-rate * years);
  // The smaller tails keep their digits.
  const double tail1 = normal_distribution(-std::abs(d1));
  const double tail2 = normal_distribution(-std::abs(d2));
  const double below1 = d1 < 0.0 ? tail1 : 1.0 - tail1;
  const double below2 = d2 < 0.0 ? tail2 : 1.0 - tail2;
  const double beyond1 = d1 < 0.0 ? 1.0 - tail1 : tail1;
  const double beyond2 = d2 < 0.0 ? 1.0 - tail2 : tail2;
  options.call[i] = spot * below1 - discounted * below2;
  options.put[i] = discounted * beyond2 - spot * beyond1;
}

}  // namespace

void launch_blackscholes(const Stream& stream, const OptionColumns& options, std::size_t count,
                         double rate) {
  launch(price_option, {blocks_for(count, block_threads)}, {block_threads}, 0, stream, options,
         count, rate);
}

}  // namespace equipoise
