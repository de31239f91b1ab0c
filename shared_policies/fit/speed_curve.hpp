// The functional performance model: speed as a piecewise-linear function of block size.
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

}  // namespace equipoise
