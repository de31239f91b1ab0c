// Samples and curves of a trace in JSON.
#include "tools/page/timing_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// A curve has so many points besides the recorded sizes.
constexpr int curve_points = 80;
/// More samples of a unit than this are thinned out.
constexpr std::size_t most_samples = 400;

Json curve_json(const BlockTiming& timing) {
  const double low = timing.sizes().front() / 4.0;
  const double high = timing.sizes().back() * 4.0;
  std::vector<double> sizes = timing.sizes();
  for (int i = 0; i <= curve_points; ++i) {
    sizes.push_back(low * std::pow(high / low, static_cast<double>(i) / curve_points));
  }
  std::ranges::sort(sizes);
  Json points = Json::array();
  for (const double items : sizes) {
    points.push_back(Json::array({items, timing.mean(items).value}));
  }
  return points;
}

Json samples_json(const Trace& trace, std::uint32_t unit) {
  Json samples = Json::array();
  std::size_t count = 0;
  for (const TraceSample& s : trace.samples) count += s.unit == unit && !s.is_outlier ? 1 : 0;
  const std::size_t step = count / most_samples + 1;
  std::size_t at = 0;
  for (const TraceSample& s : trace.samples) {
    if (s.unit != unit || s.is_outlier || at++ % step != 0) continue;
    samples.push_back(Json::array({s.items, s.compute_mean_s, json_of(s.compute_sd_s), s.count}));
  }
  return samples;
}

}  // namespace

Json timing_data(const Trace& trace) {
  Json units = Json::array();
  for (std::uint32_t i = 0; i < trace.units.size(); ++i) {
    if (!has_samples(trace, i)) continue;
    const BlockTiming timing(trace, i);
    const std::vector<double>& sizes = timing.sizes();
    units.push_back({{"id", trace.units[i].name},
                     {"recorded", Json::array({sizes.front(), sizes.back()})},
                     {"samples", samples_json(trace, i)},
                     {"curve", curve_json(timing)}});
  }
  return {{"kernel", trace.kernel}, {"item", trace.item}, {"units", std::move(units)}};
}

}  // namespace equipoise
