// The time of a block of a given size on one unit according to a trace: mean and quantiles, and
// which quantile a block of a run has.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared_policies/machine/interruptions.hpp"
#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

class Draw;

/// The recorded compute times of one unit and kernel as a function of the block size. Between
/// recorded sizes, times are interpolated linearly, quantile by quantile. Above the largest size,
/// the speed of the largest size is used. Below the smallest size, times lie on the line through
/// the two smallest sizes if its fixed cost is not negative; otherwise they are proportional to the
/// size (traces/README.md). Copies of a BlockTiming share the recorded data: a thousand hosts that
/// use the times of one trace unit need no more memory than one host.
///
/// Above the largest size L, a block is like several of that size one after another, whose
/// deviations partly cancel. A block of s items has the relative deviation
///
///     rel(s) = rel(L) (L / s)^b,   b = 1/2 for independent items.
///
/// b = 1/2 unless repetitions at several sizes say otherwise. Of the recorded sizes s_i with n_i >
/// 1 times and a deviation, the slope of ln rel(s_i) over ln s_i with weights w_i = 2 (n_i - 1),
/// which are the inverse variances of ln rel(s_i) if times are about normal, is -b', and its
/// standard error is e = (sum_i w_i (ln s_i - mean)^2)^(-1/2). If b' + 2 e < 1/2, deviations shrink
/// less than chance explains (what slows a block down lasts longer than an item), and b = max(0,
/// b'). Below the smallest size the relative deviation is that of the smallest size: fewer items
/// would vary more, but a small block consists mostly of its fixed cost, of which nothing is known.
/// Source: ours.
class BlockTiming {
 public:
  /// The timing of `trace.units[unit]`. It must have at least one sample that is not an outlier;
  /// otherwise it is a bug (see `has_samples`).
  ///
  /// Samples and summaries of the same size are pooled. If there are only samples, they are kept as
  /// they are. If there is at least one summary, all are replaced by the mean and the standard
  /// deviation of the whole:
  ///
  ///     m = sum(n_i m_i) / sum(n_i),   sd^2 = sum(n_i (sd_i^2 + (m_i - m)^2)) / sum(n_i)
  ///
  /// The times of samples marked as outliers are left out; what they took longer counts as waits
  /// (`Interruptions`).
  BlockTiming(const Trace& trace, std::uint32_t unit);

  /// The expected time of a block of `items` > 0, with its waits for cores (`Interruptions`):
  /// interpolated like times without waits, and below the smallest size with its share of waits.
  [[nodiscard]] Seconds mean(double items) const;
  /// The same without waits.
  [[nodiscard]] Seconds mean_computing(double items) const;
  /// Interruptions::between for a block of `items`, times a factor with which the mean over draws
  /// is that of `mean`.
  [[nodiscard]] Seconds waits(Seconds begin, Seconds end, double items, const Draw& draw) const;

  /// The u-quantile, u in (0, 1), of the time of a block of `items` without waits: a step function
  /// of the samples, or a log-normal distribution if only mean and deviation are known. Outside the
  /// recorded sizes it is the extrapolated mean times the relative quantile of the nearest size;
  /// above the largest, with the deviation rel(s): the samples' distances from their mean are
  /// multiplied by rel(s) / rel(L), a log-normal distribution gets this deviation. Its average over
  /// u is `mean_computing(items)`.
  [[nodiscard]] Seconds quantile(double items, double u) const;

  /// The recorded bytes of a block of `items`, interpolated like the times. Nothing if the trace
  /// has none for this unit.
  [[nodiscard]] std::optional<double> in_bytes(double items) const;
  [[nodiscard]] std::optional<double> out_bytes(double items) const;

  /// The recorded sizes, ascending.
  [[nodiscard]] const std::vector<double>& sizes() const { return times_->sizes; }

 private:
  /// A value recorded at one block size.
  struct Point {
    double items = 0.0;
    double value = 0.0;
  };
  /// The distribution of the times at one block size.
  struct Spread {
    double log_mu = 0.0;           ///< of the log-normal distribution, used if `sorted_s` is empty
    double log_sigma = 0.0;        ///< 0: no deviation is known
    double repetitions = 0.0;      ///< how many times were recorded
    std::vector<double> sorted_s;  ///< the samples; empty if there is a summary of this size

    [[nodiscard]] double quantile_s(double u, double z) const;
    /// The quantile over `mean_s` if the deviation is only this part, at most 1, of what it is.
    [[nodiscard]] double relative_quantile(double u, double z, double mean_s, double part) const;
    /// The square of the relative deviation.
    [[nodiscard]] double relative_variance() const;
  };

  /// All recorded data. Immutable after construction.
  struct Times {
    std::vector<double> sizes;  ///< ascending
    std::vector<Point> mean_s;  ///< at these sizes
    std::vector<Point> mean_with_waits_s;
    std::vector<Spread> spread;  ///< at these sizes
    std::vector<Point> in_bytes;
    std::vector<Point> out_bytes;
    Interruptions interruptions;
    bool any_log_normal = false;
    double shrinking = 0.5;  ///< b: how the relative deviation shrinks above the largest size

    void find_shrinking();
    void add_size(double items, std::span<const TraceSample* const> samples);
  };

  static double interpolate(const std::vector<Point>& points, double items);

  std::shared_ptr<const Times> times_;
};

/// Whether `trace` has a sample of `trace.units[unit]` that is not an outlier.
[[nodiscard]] bool has_samples(const Trace& trace, std::uint32_t unit);

/// The place of a unit's times for one kernel.
struct TimingPlace {
  const Trace* trace = nullptr;
  std::uint32_t unit = 0;
};

/// The trace with samples of `kernel` on the unit called `unit`; nullopt if none.
[[nodiscard]] std::optional<TimingPlace> find_timing(const std::vector<Trace>& traces,
                                                     const std::string& kernel,
                                                     const std::string& unit);

/// The u-quantile of the standard normal distribution, u in (0, 1), with a relative error of 1e-9
/// (Wichura 1988, algorithm AS 241, PPND16).
[[nodiscard]] double normal_quantile(double u);

/// The key of one unit's random numbers in one run. Equal keys give equal numbers.
struct DrawKey {
  std::uint64_t seed = 0;
  std::uint64_t repetition = 0;
  std::string_view unit;
  std::string_view kernel;
};

/// The random numbers of one unit: a quantile for each of its blocks 0, 1, 2, ...
class Draw {
 public:
  explicit Draw(const DrawKey& key);

  /// The quantile in (0, 1) of the unit's block number `ordinal`; lost blocks count. Equal keys
  /// give equal quantiles on every machine. Quantiles of different ordinals are independent.
  [[nodiscard]] double quantile(std::uint64_t ordinal) const;

 private:
  std::uint64_t state_;
};

/// The compute times of one unit's blocks of one kernel in one run, drawn one after another.
class DrawnTimes {
 public:
  explicit DrawnTimes(const DrawKey& key);

  /// The time, with waits, of the unit's next block, which has `items`. `ordinal`: how many blocks
  /// of any kernel the unit had before.
  [[nodiscard]] Seconds next(const BlockTiming& timing, double items, std::uint64_t ordinal);

 private:
  Draw of_blocks_;
  Draw of_waits_;
  Seconds computed_;  ///< by the blocks so far
};

}  // namespace equipoise
