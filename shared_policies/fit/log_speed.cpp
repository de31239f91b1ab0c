// Least-squares fit of a straight line over ln x.
#include "shared_policies/fit/log_speed.hpp"

#include <cmath>

namespace equipoise {

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
