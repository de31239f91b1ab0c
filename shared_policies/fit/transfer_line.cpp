// Fits straight lines, also with non-negative coefficients.
#include "shared_policies/fit/transfer_line.hpp"

#include <vector>

namespace equipoise {
namespace {

struct Sums {
  double w = 0.0, x = 0.0, t = 0.0, xx = 0.0, xt = 0.0;  // weighted
};

Sums sums_about(std::span<const CostSample> samples, double x0, double t0) {
  Sums sums;
  for (const CostSample& s : samples) {
    const double dx = s.items - x0;
    const double dt = s.seconds - t0;
    sums.w += s.weight;
    sums.x += s.weight * dx;
    sums.t += s.weight * dt;
    sums.xx += s.weight * dx * dx;
    sums.xt += s.weight * dx * dt;
  }
  return sums;
}

}  // namespace

StraightLine fit_straight_line(std::span<const CostSample> samples) {
  const Sums raw = sums_about(samples, 0.0, 0.0);
  const double mean_x = raw.x / raw.w;
  const double mean_t = raw.t / raw.w;
  const Sums centred = sums_about(samples, mean_x, mean_t);
  const double slope = centred.xt / centred.xx;
  return {slope, mean_t - slope * mean_x};
}

TransferLine fit_transfer_line(std::span<const CostSample> samples, bool adjusted_r2) {
  TransferLine line;
  if (samples.empty()) return line;
  const Sums raw = sums_about(samples, 0.0, 0.0);
  line.seconds_per_item = raw.xt / raw.xx;
  int terms = 1;
  if (samples.size() > 1) {
    const auto [slope, intercept] = fit_straight_line(samples);
    if (slope < 0.0) {
      line.seconds_per_item = 0.0;
      line.latency_s = raw.t / raw.w;
    } else if (intercept >= 0.0) {
      line.seconds_per_item = slope;
      line.latency_s = intercept;
      terms = 2;
    }
  }
  std::vector<double> predictions;
  predictions.reserve(samples.size());
  for (const CostSample& s : samples) {
    predictions.push_back(line.latency_s + line.seconds_per_item * s.items);
  }
  line.r2 = determination(samples, predictions, terms, adjusted_r2);
  return line;
}

}  // namespace equipoise
