// Speed as a logarithmic function of block size.
#pragma once

#include <span>

namespace equipoise {

/// A block of `items` was done at `items_per_s`.
struct SpeedSample {
  double items = 0.0;
  double items_per_s = 0.0;
};

/// v(x) = alpha ln x + beta, in items per second.
struct LogSpeed {
  double alpha = 0.0;  ///< not negative
  double beta = 0.0;

  [[nodiscard]] double at(double items) const;
};

/// The curve through `samples` (at least one) by ordinary least squares on (ln x, v). A speed that
/// falls with size (a CPU's caches) and samples of one size are taken as constant: alpha 0, beta
/// the mean. Source: HDSS as PLB-HeC describes it ("logarithmic fits"); the constant is ours.
[[nodiscard]] LogSpeed fit_log_speed(std::span<const SpeedSample> samples);

}  // namespace equipoise
