// Fits lines to copy times and computes the time that copies take beyond these lines.
#include "shared_policies/fit/copy_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// One direction of a block's copies: the corresponding members of samples and workloads.
struct CopyDirection {
  OptionalOfSample bytes;
  OptionalOfSample time_s;
  decltype(&Workload::in_bytes_per_item) bytes_per_item;

  [[nodiscard]] double bytes_of(const TraceSample& sample, const Workload& workload) const {
    return (sample.*bytes).value_or(workload.*bytes_per_item * sample.items);
  }
};

constexpr CopyDirection copies_in = {&TraceSample::in_bytes, &TraceSample::in_s,
                                     &Workload::in_bytes_per_item};
constexpr CopyDirection copies_out = {&TraceSample::out_bytes, &TraceSample::out_s,
                                      &Workload::out_bytes_per_item};

std::optional<CopySpeed> speed_of(const Trace& trace, std::uint32_t unit, const Workload& workload,
                                  const CopyDirection& direction) {
  std::vector<double> all_bytes;
  std::vector<double> all_times_s;
  for (const TraceSample& sample : trace.samples) {
    if (sample.is_outlier || sample.unit != unit) continue;
    const double bytes = direction.bytes_of(sample, workload);
    const double time_s = (sample.*direction.time_s).value_or(0.0);
    if (bytes <= 0.0 || time_s <= 0.0) continue;
    all_bytes.push_back(bytes);
    all_times_s.push_back(time_s);
  }
  if (all_bytes.empty()) return std::nullopt;
  return fit_copy_speed(all_bytes, all_times_s);
}

/// The copy time beyond the line `speed`; 0 if the copy was not timed.
double beyond_line_s(const TraceSample& sample, const Workload& workload,
                     const CopyDirection& direction, const std::optional<CopySpeed>& speed) {
  if (!(sample.*direction.time_s)) return 0.0;
  const double on_line_s = speed ? speed->time(direction.bytes_of(sample, workload)).value : 0.0;
  return *(sample.*direction.time_s) - on_line_s;
}

/// Residuals up to this, relative to the time, count by their squares, larger ones by their size.
constexpr double on_the_line = 0.01;
/// Rounds of reweighting.
constexpr int rounds = 30;

/// The sums of a weighted least-squares fit.
class WeightedSums {
 public:
  WeightedSums(const std::vector<double>& bytes, const std::vector<double>& times_s,
               const std::vector<double>& weights) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      w_ += weights[i];
      wb_ += weights[i] * bytes[i];
      wbb_ += weights[i] * bytes[i] * bytes[i];
      wt_ += weights[i] * times_s[i];
      wtb_ += weights[i] * times_s[i] * bytes[i];
    }
  }

  /// nullopt if all copies have the same size or the latency would be negative.
  [[nodiscard]] std::optional<CopySpeed> line() const {
    const double determinant = w_ * wbb_ - wb_ * wb_;
    if (determinant <= 1e-9 * w_ * wbb_) return std::nullopt;
    const double slope = (w_ * wtb_ - wb_ * wt_) / determinant;
    const double latency = (wt_ - slope * wb_) / w_;
    if (latency < 0.0 || slope <= 0.0) return std::nullopt;
    return CopySpeed{Seconds{latency}, 1.0 / slope};
  }

  [[nodiscard]] CopySpeed through_origin() const { return {Seconds{}, wbb_ / wtb_}; }

 private:
  double w_ = 0.0;
  double wb_ = 0.0;   ///< of weight * bytes
  double wbb_ = 0.0;  ///< of weight * bytes^2
  double wt_ = 0.0;   ///< of weight * time
  double wtb_ = 0.0;  ///< of weight * time * bytes
};

}  // namespace

CopySpeed fit_copy_speed(const std::vector<double>& bytes, const std::vector<double>& times_s) {
  EQ_CHECK(!bytes.empty() && bytes.size() == times_s.size(), "every copy has its time");
  std::map<double, double> copies_of_size;
  for (const double size : bytes) copies_of_size[size] += 1.0;
  std::vector<double> base;  // weights with which every size counts equally
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    base.push_back(1.0 / (times_s[i] * times_s[i] * copies_of_size[bytes[i]]));
  }
  const WeightedSums all(bytes, times_s, base);
  std::optional<CopySpeed> line = all.line();
  std::vector<double> weights = base;
  for (int round = 0; round < rounds && line; ++round) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const double residual = std::abs(line->time(bytes[i]).value / times_s[i] - 1.0);
      weights[i] = base[i] / std::max(residual, on_the_line);
    }
    line = WeightedSums(bytes, times_s, weights).line();
  }
  return line.value_or(all.through_origin());
}

CopySpeeds copy_speeds_of(const Trace& trace, std::uint32_t unit, const Workload& workload) {
  return {speed_of(trace, unit, workload, copies_in), speed_of(trace, unit, workload, copies_out)};
}

BlockTiming block_timing_of(const Trace& trace, std::uint32_t unit, const Workload& workload,
                            int copy_engines) {
  if (copy_engines > 0) return BlockTiming(trace, unit);
  const CopySpeeds speeds = copy_speeds_of(trace, unit, workload);
  Trace own;
  own.units = trace.units;
  for (TraceSample sample : trace.samples) {
    if (sample.unit != unit) continue;
    const double beyond_s = beyond_line_s(sample, workload, copies_in, speeds.in) +
                            beyond_line_s(sample, workload, copies_out, speeds.out);
    sample.compute_mean_s = std::max(sample.compute_mean_s + beyond_s, 0.1 * sample.compute_mean_s);
    own.samples.push_back(sample);
  }
  return BlockTiming(own, unit);
}

}  // namespace equipoise
