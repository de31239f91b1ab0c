// Measured block times, pooled by block size, as input for fits; how well a fit explains them; and
// fits of straight lines.
#pragma once

#include <span>
#include <vector>

namespace equipoise {

/// All measurements of one quantity at one block size.
struct CostSample {
  double items = 0.0;
  double seconds = 0.0;    ///< weighted mean
  double weight = 1.0;     ///< sum of the weights; without weights, the number of measurements
  double spread_s2 = 0.0;  ///< weighted sum of squared deviations from the mean
};

/// Adds the measurement (items, seconds) to `samples`, which stay ordered by size. Measurements of
/// the same size are pooled. This does not change any least-squares fit or R^2, and memory grows
/// only with the number of different sizes. O(log n) to find the size, O(n) to insert a new one.
void add_sample(std::vector<CostSample>& samples, double items, double seconds,
                double weight = 1.0);

/// The coefficient of determination of predictions f_k for samples with n measurements in total:
///
///     R^2 = 1 - SSE / SST,   SST about the weighted mean
///
/// SST is centred although the papers' models have no free intercept: the uncentred form would pass
/// every threshold. Returns 1 if the measurements do not vary (SST <= 1e-12 mean^2). If `adjusted`,
/// the sums are divided by their degrees of freedom, n - terms and n - 1; returns 0 if n <= terms,
/// because an interpolation proves nothing.
/// Source: PLB-HeC section III.
[[nodiscard]] double determination(std::span<const CostSample> samples,
                                   std::span<const double> predictions, int terms, bool adjusted);

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
