// Pools measurements by block size and computes how well a fit explains them.
#include "shared_policies/fit/cost_samples.hpp"

#include <algorithm>
#include <cstddef>

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

}  // namespace equipoise
