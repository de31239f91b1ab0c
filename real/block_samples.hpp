// The times of blocks of one size: their mean, how well it is known, and which of them are
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

  /// (samples) Which of them something else disturbed: those of at least five whose whole time is
  /// above the median m of all by more than a quarter of it and by more than six standard
  /// deviations, as the median absolute deviation gives them.
  ///
  ///     t > m + max(m / 4, 6 * 1.4826 * median |t_i - m|)
  ///
  /// None where these are several and more than a tenth of all: blocks differ by themselves then,
  /// as rows of a Mandelbrot set do.
  [[nodiscard]] std::vector<bool> outliers() const;

  /// The mean whole time of those that are no outliers.
  [[nodiscard]] Seconds mean() const;
  /// Half the width of the 95 % confidence interval of that mean, relative to it (Student's t); 1
  /// where that is not known.
  [[nodiscard]] double uncertainty() const;

 private:
  /// The whole times of those that are no outliers.
  [[nodiscard]] std::vector<double> ordinary_s() const;

  std::vector<StageTimes> times_;
};

/// The middle of `values` (at least one); of an even number, the upper one of the two.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace equipoise
