// The times of blocks of one size: their mean, how precisely the mean is known, and which times are
// outliers.
#pragma once

#include <vector>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Samples of one block size on one unit.
class BlockSamples {
 public:
  void add(const StageTimes& times) { times_.push_back(times); }
  [[nodiscard]] const std::vector<StageTimes>& times() const { return times_; }
  [[nodiscard]] int count() const { return static_cast<int>(times_.size()); }

  /// (samples) Which samples were probably disturbed from outside. A sample is an outlier if its
  /// total time exceeds the median m of all samples by more than a quarter of m and by more than
  /// six standard deviations, estimated from the median absolute deviation:
  ///
  ///     t > m + max(m / 4, 6 * 1.4826 * median |t_i - m|)
  ///
  /// Returns no outliers if there are fewer than five samples. Returns none either if more than one
  /// sample and more than a tenth of all would be outliers: then the blocks themselves differ, as
  /// rows of a Mandelbrot set do.
  [[nodiscard]] std::vector<bool> outliers() const;

  /// The mean total time, excluding outliers.
  [[nodiscard]] Seconds mean() const;
  /// Half the width of the 95 % confidence interval of that mean, relative to the mean (Student's
  /// t); 1 if it cannot be computed.
  [[nodiscard]] double uncertainty() const;

 private:
  /// The total times, excluding outliers.
  [[nodiscard]] std::vector<double> ordinary_s() const;

  std::vector<StageTimes> times_;
};

/// The median of `values` (at least one); for an even number of values, the upper of the two middle
/// ones.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace equipoise
