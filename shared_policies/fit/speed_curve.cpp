// Linear interpolation of measured speeds, and the least-squares line over ln x.
#include "shared_policies/fit/speed_curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

SpeedCurve::SpeedCurve(std::span<const CostSample> samples) {
  EQ_CHECK(!samples.empty(), "a speed curve needs a sample");
  for (const CostSample& s : samples) {
    EQ_CHECK(s.items > 0.0 && s.seconds > 0.0, "speeds are positive");
    points_.push_back({s.items, s.items / s.seconds});
  }
  // Between two points the speed is s = b + c x, so the time t = x / (b + c x) grows if and only if
  // b > 0.
  for (std::size_t k = 1; k < points_.size(); ++k) {
    const Point& low = points_[k - 1];
    const Point& high = points_[k];
    if (low.items_per_s * high.items <= high.items_per_s * low.items) non_decreasing_ = false;
  }
}

CostAt SpeedCurve::at(double items) const {
  const auto above = std::upper_bound(points_.begin(), points_.end(), items,
                                      [](double x, const Point& p) { return x < p.items; });
  if (above == points_.begin() || above == points_.end()) {
    const double speed = (above == points_.begin() ? points_.front() : points_.back()).items_per_s;
    return {items / speed, 1.0 / speed};
  }
  const Point& low = *(above - 1);
  const Point& high = *above;
  const double slope = (high.items_per_s - low.items_per_s) / (high.items - low.items);
  const double speed = low.items_per_s + slope * (items - low.items);
  return {items / speed, (speed - items * slope) / (speed * speed)};
}

double LogSpeed::at(double items) const { return alpha * std::log(items) + beta; }

LogSpeed fit_log_speed(std::span<const SpeedSample> samples) {
  double mean_log = 0.0;
  double mean_speed = 0.0;
  const auto n = static_cast<double>(samples.size());
  for (const SpeedSample& s : samples) {
    mean_log += std::log(s.items) / n;
    mean_speed += s.items_per_s / n;
  }
  double squares = 0.0;
  double products = 0.0;
  for (const SpeedSample& s : samples) {
    const double dx = std::log(s.items) - mean_log;
    squares += dx * dx;
    products += dx * (s.items_per_s - mean_speed);
  }
  if (!(squares > 1e-12) || products <= 0.0) return {0.0, mean_speed};
  const double alpha = products / squares;
  return {alpha, mean_speed - alpha * mean_log};
}

}  // namespace equipoise
