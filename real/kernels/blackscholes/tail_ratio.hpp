// The tails of the normal distribution, for programs on CPUs and on other devices.
#pragma once

namespace equipoise {

/// A quotient that is still to be divided.
struct Fraction {
  double above;
  double below;
};

/// The probability that a standard normal variable is above `z` >= 0, divided by e^(-z^2 / 2). The
/// probability has an absolute error of 1e-14. Source: Hart et al. (1968), algorithm 5666, as West
/// (2005) gives it for double precision.
[[gnu::always_inline]] constexpr Fraction tail_fraction(double z) {
  double above = 3.52624965998911e-02;
  above = above * z + 0.700383064443688;
  above = above * z + 6.37396220353165;
  above = above * z + 33.912866078383;
  above = above * z + 112.079291497871;
  above = above * z + 221.213596169931;
  above = above * z + 220.206867912376;
  double below = 8.83883476483184e-02;
  below = below * z + 1.75566716318264;
  below = below * z + 16.064177579207;
  below = below * z + 86.7807322029461;
  below = below * z + 296.564248779674;
  below = below * z + 637.333633378831;
  below = below * z + 793.826512519948;
  below = below * z + 440.413735824752;
  return {above, below};
}

/// `tail_fraction` divided.
[[gnu::always_inline]] constexpr double tail_ratio(double z) {
  const Fraction fraction = tail_fraction(z);
  return fraction.above / fraction.below;
}

}  // namespace equipoise
