// What was measured: the times of blocks, pooled by block size, for fits.
#pragma once

#include <span>
#include <vector>

namespace equipoise {

/// All measurements of one quantity at one block size.
struct CostSample {
  double items = 0.0;
  double seconds = 0.0;  ///< weighted mean
  double weight = 1.0;   ///< sum of the weights; the number of measurements where none is weighted
  double spread_s2 = 0.0;  ///< weighted sum of squared deviations from the mean
};

/// Adds the measurement (items, seconds) to `samples`, which stay ordered by size. Measurements of
/// one size are pooled, which changes no least-squares fit and no R^2, and keeps memory in
/// proportion to the number of different sizes. O(log n) to find the size, O(n) to insert a new
/// one.
void add_sample(std::vector<CostSample>& samples, double items, double seconds,
                double weight = 1.0);

/// The coefficient of determination of predictions f_k for samples of n measurements in all:
///
///     R^2 = 1 - SSE / SST,   SST about the weighted mean
///
/// Centred although no model here has a free intercept in the papers: the uncentred form would pass
/// every threshold. 1 where the measurements do not vary (SST <= 1e-12 mean^2). With `adjusted`,
/// the sums are divided by their degrees of freedom, n - terms and n - 1; 0 where n <= terms, as an
/// interpolation says nothing.
/// Source: PLB-HeC section III.
[[nodiscard]] double determination(std::span<const CostSample> samples,
                                   std::span<const double> predictions, int terms, bool adjusted);

}  // namespace equipoise
