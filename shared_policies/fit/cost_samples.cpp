// Pools measurements by block size, computes how well a fit explains them, and fits straight lines,
// also with non-negative coefficients.
#include "shared_policies/fit/cost_samples.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace equipoise {

void add_sample(std::vector<CostSample>& samples, double items, double seconds, double weight) {
  const auto at = std::lower_bound(samples.begin(), samples.end(), items,
                                   [](const CostSample& s, double x) { return s.items < x; });
  if (at == samples.end() || at->items != items) {
    samples.insert(at, CostSample{items, seconds, weight, 0.0});
    return;
  }
  const double total = at->weight + weight;
  const double delta = seconds - at->seconds;
  at->spread_s2 += delta * delta * at->weight * weight / total;
  at->seconds += delta * weight / total;
  at->weight = total;
}

double determination(std::span<const CostSample> samples, std::span<const double> predictions,
                     int terms, bool adjusted) {
  double weight = 0.0;
  double mean = 0.0;
  for (const CostSample& s : samples) {
    weight += s.weight;
    mean += s.weight * s.seconds;
  }
  mean /= weight;
  double sse = 0.0;
  double sst = 0.0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const CostSample& s = samples[k];
    const double error = s.seconds - predictions[k];
    const double deviation = s.seconds - mean;
    sse += s.weight * error * error + s.spread_s2;
    sst += s.weight * deviation * deviation + s.spread_s2;
  }
  if (sst <= 1e-12 * mean * mean) return 1.0;
  if (!adjusted) return 1.0 - sse / sst;
  if (weight <= terms) return 0.0;
  return 1.0 - (sse / (weight - terms)) / (sst / (weight - 1.0));
}

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
