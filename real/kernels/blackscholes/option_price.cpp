// The loop that prices options, written without calls and branches so that the compiler can
// vectorise it.
#include "real/kernels/blackscholes/option_price.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "real/kernels/vectors.hpp"

namespace equipoise {
namespace {

/// e^x for x in [-708, 0]: x = k ln 2 + r, with a Taylor polynomial of degree 12 in r.
[[gnu::always_inline]] inline double exponential(double x) {
  constexpr double shift = 0x1.8p52;  // adding it rounds to an integer in the lowest bits
  const double shifted = x * 0x1.71547652b82fep0 + shift;
  const double k = shifted - shift;
  const double r = (x - k * 0x1.62e42fefa0000p-1) - k * 0x1.cf79abc9e3b3ap-40;
  double sum = 1.0 / 479001600.0;
  sum = sum * r + 1.0 / 39916800.0;
  sum = sum * r + 1.0 / 3628800.0;
  sum = sum * r + 1.0 / 362880.0;
  sum = sum * r + 1.0 / 40320.0;
  sum = sum * r + 1.0 / 5040.0;
  sum = sum * r + 1.0 / 720.0;
  sum = sum * r + 1.0 / 120.0;
  sum = sum * r + 1.0 / 24.0;
  sum = sum * r + 1.0 / 6.0;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  return sum * std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
}

/// ln x for normal x > 0: x = 2^k m with m in [sqrt(1/2), sqrt(2)), and the artanh series for ln m.
[[gnu::always_inline]] inline double logarithm(double x) {
  constexpr std::uint64_t one = 0x3FF0000000000000ULL;
  constexpr std::uint64_t root_half = 0x3FE6A09E667F3BCDULL;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t k_biased = (bits + (one - root_half)) >> 52;
  const double k = std::bit_cast<double>(k_biased | 0x4330000000000000ULL) - (0x1p52 + 1023.0);
  const double m = std::bit_cast<double>(bits - ((k_biased - 1023) << 52));
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double sum = 1.0 / 19.0;
  sum = sum * s2 + 1.0 / 17.0;
  sum = sum * s2 + 1.0 / 15.0;
  sum = sum * s2 + 1.0 / 13.0;
  sum = sum * s2 + 1.0 / 11.0;
  sum = sum * s2 + 1.0 / 9.0;
  sum = sum * s2 + 1.0 / 7.0;
  sum = sum * s2 + 1.0 / 5.0;
  sum = sum * s2 + 1.0 / 3.0;
  return k * 0x1.62e42fefa39efp-1 + 2.0 * (s + s * s2 * sum);
}

/// The probability that a standard normal variable is below -|x|; 0 for |x| > 37.
[[gnu::always_inline]] inline double lower_tail(double x) {
  const double z = x < 0.0 ? -x : x;
  const double exponent = -0.5 * z * z;
  return exponential(exponent < -700.0 ? -700.0 : exponent) * tail_ratio(z);
}

/// The body of `price_options`.
[[gnu::always_inline]] inline void price_all(OptionColumns columns, std::size_t first,
                                             std::size_t count, double rate) {
  const double* const __restrict spot = columns.spot + first;
  const double* const __restrict strike = columns.strike + first;
  const double* const __restrict years = columns.years + first;
  const double* const __restrict volatility = columns.volatility + first;
  double* const __restrict call = columns.call + first;
  double* const __restrict put = columns.put + first;
  for (std::size_t i = 0; i < count; ++i) {
    const double s = spot[i];
    const double deviation = volatility[i] * std::sqrt(years[i]);
    const double drift = (rate + 0.5 * volatility[i] * volatility[i]) * years[i];
    const double d1 = (logarithm(s / strike[i]) + drift) / deviation;
    const double d2 = d1 - deviation;
    const double discounted = strike[i] * exponential(-rate * years[i]);
    const double tail1 = lower_tail(d1);
    const double tail2 = lower_tail(d2);
    const double below1 = d1 < 0.0 ? tail1 : 1.0 - tail1;
    const double below2 = d2 < 0.0 ? tail2 : 1.0 - tail2;
    const double beyond1 = d1 < 0.0 ? 1.0 - tail1 : tail1;
    const double beyond2 = d2 < 0.0 ? 1.0 - tail2 : tail2;
    call[i] = s * below1 - discounted * below2;
    put[i] = discounted * beyond2 - s * beyond1;
  }
}

}  // namespace

void price_options(const OptionColumns& columns, std::size_t first, std::size_t count,
                   double rate) {
  with_widest_vectors<price_all>(columns, first, count, rate);
}

}  // namespace equipoise
