// Bootstraps the means of sizes that have samples, and draws those of summaries.
#include "shared_policies/machine/redrawn_trace.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/student_t.hpp"

namespace equipoise {
namespace {

constexpr double least_factor = 0.01;
constexpr double beyond = 64.0;

/// The times of one block size on one unit.
struct SizeTimes {
  std::vector<std::size_t> samples;  ///< positions in Trace::samples, without outliers
  double count = 0.0;                ///< times in all
  double mean_s = 0.0;
  double relative_sd = 0.0;  ///< of a single time (divided by n - 1); 0 if not known
  bool is_summary = false;   ///< at least one sample stands for several times
};

void summarise(SizeTimes& size, const Trace& trace) {
  double sum_s = 0.0;
  for (const std::size_t at : size.samples) {
    const TraceSample& sample = trace.samples[at];
    const auto count = static_cast<double>(sample.count);
    size.count += count;
    sum_s += count * sample.compute_mean_s;
    size.is_summary = size.is_summary || sample.is_summary || sample.count > 1;
  }
  size.mean_s = sum_s / size.count;
  double square = 0.0;  // relative to the mean: squares of the times may underflow
  for (const std::size_t at : size.samples) {
    const TraceSample& sample = trace.samples[at];
    const double apart = sample.compute_mean_s / size.mean_s - 1.0;
    const double sd = sample.compute_sd_s.value_or(0.0) / size.mean_s;
    const auto count = static_cast<double>(sample.count);
    square += count * apart * apart + (count - 1.0) * sd * sd;
  }
  if (size.count > 1.0) size.relative_sd = std::sqrt(square / (size.count - 1.0));
}

/// The sizes of a unit by their items, summarised.
std::map<double, SizeTimes> sizes_of(const Trace& trace, std::uint32_t unit) {
  std::map<double, SizeTimes> sizes;
  for (std::size_t i = 0; i < trace.samples.size(); ++i) {
    const TraceSample& sample = trace.samples[i];
    if (sample.unit == unit && !sample.is_outlier) sizes[sample.items].samples.push_back(i);
  }
  for (auto& [items, size] : sizes) summarise(size, trace);
  return sizes;
}

bool is_repeated(const SizeTimes& size) { return size.count > 1.0 && size.relative_sd > 0.0; }

/// The relative deviation of the nearest size, by the ratio of sizes, that has several times.
double deviation_near(const std::map<double, SizeTimes>& sizes, double items) {
  double nearest = 0.0;
  double deviation = 0.0;
  for (const auto& [other, size] : sizes) {
    if (!is_repeated(size)) continue;
    const double apart = std::abs(std::log(other / items));
    if (deviation > 0.0 && apart >= nearest) continue;
    nearest = apart;
    deviation = size.relative_sd;
  }
  return deviation;
}

/// The mean of a bootstrap of the samples over their mean. Takes the quantiles of `draw` from
/// `ordinal` on, and moves that behind them.
double bootstrapped(const SizeTimes& size, const Trace& trace, const Draw& draw,
                    std::uint64_t& ordinal) {
  double sum = 0.0;
  for (std::size_t i = 0; i < size.samples.size(); ++i) {
    const auto pick = static_cast<std::size_t>(draw.quantile(ordinal++) *
                                               static_cast<double>(size.samples.size()));
    sum += trace.samples[size.samples[std::min(pick, size.samples.size() - 1)]].compute_mean_s /
               size.mean_s -
           1.0;
  }
  return 1.0 + sum / size.count * std::sqrt(size.count / (size.count - 1.0));
}

/// Multiplies the waits of all samples of a unit by the sum of a bootstrap of them over their sum.
void redraw_waits(std::vector<TraceSample>& samples, std::uint32_t unit, const Draw& draw) {
  std::vector<std::size_t> measured;
  double sum_s = 0.0;
  for (std::size_t at = 0; at < samples.size(); ++at) {
    if (samples[at].unit != unit || !samples[at].waited_s) continue;
    measured.push_back(at);
    sum_s += *samples[at].waited_s;
  }
  if (!(sum_s > 0.0)) return;
  double drawn_s = 0.0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const auto pick =
        static_cast<std::size_t>(draw.quantile(i) * static_cast<double>(measured.size()));
    drawn_s += *samples[measured[std::min(pick, measured.size() - 1)]].waited_s;
  }
  for (const std::size_t at : measured) *samples[at].waited_s *= drawn_s / sum_s;
}

/// A size and its mean time.
struct Point {
  double items;
  double seconds;
};

double exponent_between(const Point& a, const Point& b) {
  return std::log(b.seconds / a.seconds) / std::log(b.items / a.items);
}

/// How uncertain the exponent of the time is beyond the first of `points` (from an end inwards).
double exponent_sd(const std::vector<Point>& points) {
  constexpr double least = 0.02;
  constexpr double unknown = 0.25;
  if (points.size() < 3) return unknown;
  return std::clamp(
      std::abs(exponent_between(points[0], points[1]) - exponent_between(points[1], points[2])),
      least, unknown);
}

TraceSample sample_at(std::uint32_t unit, double items, double seconds) {
  TraceSample sample;
  sample.unit = unit;
  sample.items = items;
  sample.compute_mean_s = seconds;
  return sample;
}

}  // namespace

Trace with_other_ends(const Trace& trace, std::uint64_t seed, std::uint64_t redrawing) {
  constexpr double least_items = 0.01;
  Trace redrawn = trace;
  for (std::uint32_t unit = 0; unit < trace.units.size(); ++unit) {
    if (!has_samples(trace, unit)) continue;
    const Draw draw({seed, redrawing, trace.units[unit].name + "\nends", trace.kernel});
    const BlockTiming timing(trace, unit);
    std::vector<Point> points;
    for (const double items : timing.sizes()) {
      points.push_back({items, timing.mean_computing(items).value});
    }
    std::uint64_t ordinal = 0;
    const auto add = [&](double items) {
      const double factor =
          std::pow(beyond, exponent_sd(points) * normal_quantile(draw.quantile(ordinal++)));
      redrawn.samples.push_back(
          sample_at(unit, items, timing.mean_computing(items).value * factor));
    };
    if (points.front().items > beyond * least_items) add(points.front().items / beyond);
    std::ranges::reverse(points);
    add(points.front().items * beyond);
  }
  return redrawn;
}

Trace redrawn(const Trace& trace, std::uint64_t seed, std::uint64_t redrawing) {
  Trace redrawn = trace;
  for (std::uint32_t unit = 0; unit < trace.units.size(); ++unit) {
    // No name has a line break, so these draws have nothing in common with those of blocks.
    const Draw draw({seed, redrawing, trace.units[unit].name + "\nmeans", trace.kernel});
    std::uint64_t ordinal = 0;
    const std::map<double, SizeTimes> sizes = sizes_of(trace, unit);
    for (const auto& [items, size] : sizes) {
      double factor = 1.0;
      if (!size.is_summary && size.count > 1.0) {
        factor = bootstrapped(size, trace, draw, ordinal);
      } else {
        const double deviation =
            is_repeated(size) ? size.relative_sd : deviation_near(sizes, items);
        const double u = draw.quantile(ordinal++);
        const double t =
            size.count > 1.0 ? student_t_quantile(size.count - 1.0, u) : normal_quantile(u);
        factor += t * deviation / std::sqrt(size.count);
      }
      factor = std::max(factor, least_factor);
      for (const std::size_t at : size.samples) {
        multiply_compute_times(redrawn.samples[at], factor);
      }
    }
    redraw_waits(redrawn.samples, unit,
                 Draw({seed, redrawing, trace.units[unit].name + "\nsum of waits", trace.kernel}));
  }
  return redrawn;
}

}  // namespace equipoise
