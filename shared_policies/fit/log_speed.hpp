// Speed as a logarithmic function of block size.
#pragma once

#include <span>

namespace equipoise {

/// The measured speed of a block of `items`.
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

/// Fits the curve to `samples` (at least one) by ordinary least squares on (ln x, v). If the speed
/// falls with the size (a CPU's caches), or all samples have the same size, the speed is taken as
/// constant: alpha 0, beta the mean. Source: HDSS as PLB-HeC describes it ("logarithmic fits"); the
/// constant case is ours.
[[nodiscard]] LogSpeed fit_log_speed(std::span<const SpeedSample> samples);

}  // namespace equipoise
