// Separates the scatter of items from that of whole blocks.
#include "shared_policies/policies/loop/item_variance.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "shared_policies/fit/cost_samples.hpp"
#include "shared_policies/fit/transfer_line.hpp"

namespace equipoise {
namespace {

/// The e^2 of one block and the sum(w_i^2 c_i) in it, both over sum(w_i^2 g_i^2).
struct Deviation {
  double squared = 0.0;
  double of_items = 0.0;
};

/// The line through the times, each of which counts in proportion to its size.
TransferLine line_through(std::span<const TimedBlock> blocks) {
  std::vector<CostSample> samples;
  for (const TimedBlock& block : blocks) {
    add_sample(samples, block.items, block.seconds, 1.0 / (block.items * block.items));
  }
  return fit_transfer_line(samples);
}

Deviation deviation(std::span<const TimedBlock, 3> three, const TransferLine& line) {
  const double range = three[2].items - three[0].items;
  const double w3 = range > 0.0 ? (three[1].items - three[0].items) / range : 0.5;
  const std::array<double, 3> w = {w3 - 1.0, 1.0, -w3};
  double e = 0.0;
  double items = 0.0;
  double square = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double expected_s = line.latency_s + line.seconds_per_item * three[i].items;
    e += w[i] * three[i].seconds;
    items += w[i] * w[i] * three[i].items;
    square += w[i] * w[i] * expected_s * expected_s;
  }
  return {e * e / square, items / square};
}

/// The slope of the line through all (of_items, squared), if neither slope nor intercept may be
/// negative.
double non_negative_slope(std::span<const Deviation> deviations) {
  const auto n = static_cast<double>(deviations.size());
  double x = 0.0;
  double y = 0.0;
  double xx = 0.0;
  double xy = 0.0;
  for (const Deviation& one : deviations) {
    x += one.of_items / n;
    y += one.squared / n;
    xx += one.of_items * one.of_items / n;
    xy += one.of_items * one.squared / n;
  }
  constexpr double same_size = 1e-9;
  const double through_origin = xy / xx;
  if (xx - x * x <= same_size * xx) return through_origin;
  const double slope = (xy - x * y) / (xx - x * x);
  return y - slope * x < 0.0 ? through_origin : std::max(0.0, slope);
}

}  // namespace

double item_variance_s2(std::span<const TimedBlock> blocks) {
  if (blocks.size() < 3) return 0.0;
  std::vector<TimedBlock> by_size(blocks.begin(), blocks.end());
  std::stable_sort(by_size.begin(), by_size.end(),
                   [](const TimedBlock& a, const TimedBlock& b) { return a.items < b.items; });
  const TransferLine line = line_through(by_size);
  std::vector<Deviation> deviations;
  for (std::size_t i = 0; i + 3 <= by_size.size(); ++i) {
    deviations.push_back(deviation(std::span(by_size).subspan(i).first<3>(), line));
  }
  return non_negative_slope(deviations);
}

}  // namespace equipoise
