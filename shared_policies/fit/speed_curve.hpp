// Speeds as functions of block size: piecewise linear (the functional performance model), and
// logarithmic.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/fit/cost_samples.hpp"

namespace equipoise {

/// t(x) = x / s(x), where s(x_k) = x_k / t_k at the samples, linear between them and constant
/// outside. The time may fall between two samples; then `non_decreasing` is false. Source:
/// hierarchical divisible load scheduling (2012), eqs 1 and 2.
class SpeedCurve final : public CostModel {
 public:
  /// `samples` are in ascending order, each with a positive size and a positive time. At least one
  /// is required; otherwise it is a bug.
  explicit SpeedCurve(std::span<const CostSample> samples);

  [[nodiscard]] CostAt at(double items) const override;
  [[nodiscard]] bool non_decreasing() const override { return non_decreasing_; }

 private:
  struct Point {
    double items = 0.0;
    double items_per_s = 0.0;
  };
  std::vector<Point> points_;
  bool non_decreasing_ = true;
};

/// E(x) = latency + seconds_per_item x: the cost model that the closed forms of the papers assume.
class AffineCurve final : public CostModel {
 public:
  AffineCurve(double latency_s, double seconds_per_item)
      : latency_s_(latency_s), seconds_per_item_(seconds_per_item) {}

  [[nodiscard]] CostAt at(double items) const override {
    return {latency_s_ + seconds_per_item_ * items, seconds_per_item_};
  }
  [[nodiscard]] bool non_decreasing() const override { return seconds_per_item_ >= 0.0; }

 private:
  double latency_s_;
  double seconds_per_item_;
};

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
