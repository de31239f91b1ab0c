// How long a block of a given size takes on one unit, as a trace has it: mean and quantiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// The recorded compute times of one unit and kernel as a function of block size. Between recorded
/// sizes times are interpolated linearly, quantile by quantile; above the largest they go on at the
/// largest's speed; below the smallest they lie on the line through the two smallest sizes if its
/// fixed cost is not negative, else in proportion (traces/README.md). Copies share what was recorded:
/// a thousand hosts that one unit of a trace times cost no more memory than one.
class BlockTiming {
 public:
  /// The timing of `trace.units[unit]`, which has at least one sample that is no outlier (a bug
  /// otherwise; see `has_samples`).
  ///
  /// Samples and summaries of one size are pooled: samples alone are kept as they are; as soon as a
  /// summary is among them, all together have the mean and the deviation of the whole,
  ///
  ///     m = sum(n_i m_i) / sum(n_i),   sd^2 = sum(n_i (sd_i^2 + (m_i - m)^2)) / sum(n_i)
  ///
  /// Samples that are marked as outliers are left out.
  BlockTiming(const Trace& trace, std::uint32_t unit);

  /// The expected time of a block of `items` > 0.
  [[nodiscard]] Seconds mean(double items) const;

  /// The u-quantile, u in (0, 1), of the time of a block of `items`: a step function of the
  /// samples, log-normal where only mean and deviation are known. Outside the recorded sizes it is
  /// the mean's extrapolation times the relative quantile of the nearest size. Its average over u
  /// is `mean(items)`.
  [[nodiscard]] Seconds quantile(double items, double u) const;

  /// Whether a block of `items` is smaller or larger than anything that was recorded.
  [[nodiscard]] bool extrapolates(double items) const;

  /// The recorded bytes of a block of `items`, interpolated like the times; nothing where the trace
  /// has none for this unit.
  [[nodiscard]] std::optional<double> in_bytes(double items) const;
  [[nodiscard]] std::optional<double> out_bytes(double items) const;

  /// The recorded sizes, ascending.
  [[nodiscard]] const std::vector<double>& sizes() const { return times_->sizes; }

 private:
  /// A value that was recorded at one size.
  struct Point {
    double items = 0.0;
    double value = 0.0;
  };
  /// How the times of one size scatter.
  struct Spread {
    double log_mu = 0.0;           ///< of the log-normal, where there are no samples
    double log_sigma = 0.0;        ///< 0: no deviation known
    std::vector<double> sorted_s;  ///< the samples, where no summary is among them

    [[nodiscard]] double quantile_s(double u, double z) const;
  };

  /// All that was recorded, never changed once it is made.
  struct Times {
    std::vector<double> sizes;   ///< ascending
    std::vector<Point> mean_s;   ///< at these sizes
    std::vector<Spread> spread;  ///< at these sizes
    std::vector<Point> in_bytes;
    std::vector<Point> out_bytes;
    bool any_log_normal = false;

    void add_size(const TraceSample* const* first, const TraceSample* const* last);
  };

  static double interpolate(const std::vector<Point>& points, double items);
  static std::optional<double> recorded(const std::vector<Point>& points, double items);

  std::shared_ptr<const Times> times_;
};

/// Whether `trace` has a sample of `trace.units[unit]` that is no outlier.
[[nodiscard]] bool has_samples(const Trace& trace, std::uint32_t unit);

/// The u-quantile of the standard normal distribution, u in (0, 1), to 1e-9 relative (Wichura 1988,
/// algorithm AS 241, PPND16).
[[nodiscard]] double normal_quantile(double u);

}  // namespace equipoise
