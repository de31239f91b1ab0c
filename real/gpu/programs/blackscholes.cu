// Black-Scholes prices: bound by the 48 bytes that an option moves, with nearly as much arithmetic.
// A thread prices one option; neighbours read and write neighbouring numbers.
#include "real/gpu/programs/blackscholes.hpp"

#include <cmath>
#include <cstddef>

#include "real/gpu/device_code.hpp"
#include "real/gpu/programs/grid.hpp"
#include "real/kernels/blackscholes/tail_ratio.hpp"

namespace equipoise {
namespace {

constexpr unsigned block_threads = 256;

__global__ void price_option(OptionColumns options, std::size_t count, double rate) {
  const std::size_t i = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  if (i >= count) return;
  const double spot = options.spot[i];
  const double strike = options.strike[i];
  const double years = options.years[i];
  const double variance = options.volatility[i] * options.volatility[i] * years;
  const double per_deviation = rsqrt(variance);
  const double d1 = (std::log(spot / strike) + (rate * years + 0.5 * variance)) * per_deviation;
  const double d2 = d1 - variance * per_deviation;
  const double discounted = strike * std::exp(-rate * years);
  // S e^(-d1^2 / 2) = K e^(-rT) e^(-d2^2 / 2), so both tails have one exponential.
  const double density = spot * std::exp(-0.5 * d1 * d1);
  const double tail1 = density * tail_ratio(std::abs(d1));
  const double tail2 = density * tail_ratio(std::abs(d2));
  const double rest1 = spot - tail1;
  const double rest2 = discounted - tail2;
  options.call[i] = (d1 < 0.0 ? tail1 : rest1) - (d2 < 0.0 ? tail2 : rest2);
  options.put[i] = (d2 < 0.0 ? rest2 : tail2) - (d1 < 0.0 ? rest1 : tail1);
}

}  // namespace

void launch_blackscholes(const Stream& stream, const OptionColumns& options, std::size_t count,
                         double rate) {
  launch(price_option, {blocks_for(count, block_threads)}, {block_threads}, 0, stream, options,
         count, rate);
}

}  // namespace equipoise
