// Straight lines over the size of a block; the time of its copies as one.
#pragma once

#include <span>

#include "shared_policies/fit/cost_samples.hpp"

namespace equipoise {

/// t(x) = slope x + intercept; either may be negative.
struct StraightLine {
  double slope = 0.0;
  double intercept = 0.0;
};

/// The line through `samples` of at least two sizes by weighted least squares.
[[nodiscard]] StraightLine fit_straight_line(std::span<const CostSample> samples);

/// G(x) = latency + seconds_per_item * x, both non-negative.
struct TransferLine {
  double seconds_per_item = 0.0;  ///< inverse bandwidth of network and bus together
  double latency_s = 0.0;
  double r2 = 1.0;
};

/// Fits the line to `samples` by weighted least squares. If a coefficient is negative, it is set to
/// 0 and the other one is fitted again. If all samples have the same size, the latency is 0. If
/// there are no samples, or all times are 0, both coefficients are 0. `adjusted_r2` as in
/// `determination`.
/// Source: PLB-HeC eq. 2 (a1 bandwidth, a2 latency); the clamping is ours (a bandwidth is not
/// negative).
[[nodiscard]] TransferLine fit_transfer_line(std::span<const CostSample> samples,
                                             bool adjusted_r2 = false);

}  // namespace equipoise
