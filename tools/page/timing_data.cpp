// Samples and curves of a trace in JSON.
#include "tools/page/timing_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "tools/report/json_text.hpp"

namespace equipoise {
namespace {

/// A curve has so many points besides the recorded sizes.
constexpr int curve_points = 80;
/// More samples of a unit than this are thinned out.
constexpr std::size_t most_samples = 400;

std::string point(double items, Seconds time) {
  return json_list({json_number(items), json_number(time.value)});
}

std::string curve_json(const BlockTiming& timing) {
  const double low = timing.sizes().front() / 4.0;
  const double high = timing.sizes().back() * 4.0;
  std::vector<double> sizes = timing.sizes();
  for (int i = 0; i <= curve_points; ++i) {
    sizes.push_back(low * std::pow(high / low, static_cast<double>(i) / curve_points));
  }
  std::ranges::sort(sizes);
  std::vector<std::string> points;
  for (const double items : sizes) points.push_back(point(items, timing.mean(items)));
  return json_list(points);
}

std::string samples_json(const Trace& trace, std::uint32_t unit) {
  std::vector<std::string> samples;
  std::size_t count = 0;
  for (const TraceSample& s : trace.samples) count += s.unit == unit && !s.is_outlier ? 1 : 0;
  const std::size_t step = count / most_samples + 1;
  std::size_t at = 0;
  for (const TraceSample& s : trace.samples) {
    if (s.unit != unit || s.is_outlier || at++ % step != 0) continue;
    samples.push_back(json_list({json_number(s.items), json_number(s.compute_mean_s),
                                 s.compute_sd_s ? json_number(*s.compute_sd_s) : "null",
                                 std::to_string(s.count)}));
  }
  return json_list(samples);
}

}  // namespace

std::string timing_data(const Trace& trace) {
  std::vector<std::string> units;
  for (std::uint32_t i = 0; i < trace.units.size(); ++i) {
    if (!has_samples(trace, i)) continue;
    const BlockTiming timing(trace, i);
    const std::vector<double>& sizes = timing.sizes();
    units.push_back(json_object(
        {{"id", json_string(trace.units[i].name)},
         {"recorded", json_list({json_number(sizes.front()), json_number(sizes.back())})},
         {"samples", samples_json(trace, i)},
         {"curve", curve_json(timing)}}));
  }
  return json_object({{"kernel", json_string(trace.kernel)},
                      {"item", json_string(trace.item)},
                      {"units", json_list(units)}});
}

}  // namespace equipoise
