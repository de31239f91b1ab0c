// The recording of one unit: which sizes it has, which block is next, and the times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "real/recording/recorder.hpp"
#include "shared_policies/machine/item_costs.hpp"
#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/run/pool.hpp"

namespace equipoise {

/// What a block waited for its unit's core while it was done.
struct BlockWaits {
  Seconds sum;
  std::int64_t times = 0;  ///< how often the core was taken away, as far as that is known
  Seconds dispatch{};      ///< between handing out and noticing the end, without the stages
};

/// Times without those in which something else had the core.
struct Undisturbed {
  Seconds mean;
  Seconds longest;
};

/// Leaves out the longest twentieth of `seconds` (at least one), and what took more than ten times
/// the median.
[[nodiscard]] Undisturbed undisturbed(std::vector<double> seconds);

/// Samples of one block size on one unit.
class BlockSamples {
 public:
  /// `times` do not contain `waited`.
  void add(const StageTimes& times, const BlockWaits& waited = {}) {
    times_.push_back(times);
    waited_.push_back(waited);
  }
  [[nodiscard]] const std::vector<StageTimes>& times() const { return times_; }
  /// Replaces what a sample computed.
  void set_compute(std::size_t sample, Seconds compute) { times_[sample].compute = compute; }
  /// (samples)
  [[nodiscard]] const std::vector<BlockWaits>& waited() const { return waited_; }
  [[nodiscard]] int count() const { return static_cast<int>(times_.size()); }

  /// (samples) Which samples were probably disturbed from outside. A sample is an outlier if its
  /// total time exceeds the median m of all samples by more than a quarter of m and by more than
  /// six standard deviations, estimated from the median absolute deviation:
  ///
  ///     t > m + max(m / 4, 6 * 1.4826 * median |t_i - m|)
  ///
  /// Returns no outliers if there are fewer than five samples. Returns none either if more than one
  /// sample and more than a tenth of all would be outliers: then the blocks themselves differ, as
  /// rows of a Mandelbrot set do.
  [[nodiscard]] std::vector<bool> outliers() const;

  /// The mean total time, excluding outliers.
  [[nodiscard]] Seconds mean() const;
  /// The mean total time of the samples [first, last) alone; 0 if all of them are outliers.
  [[nodiscard]] Seconds mean_between(int first, int last) const;
  /// Half the width of the 95 % confidence interval of that mean, relative to the mean (Student's
  /// t); 1 if it cannot be computed.
  [[nodiscard]] double uncertainty() const;

 private:
  /// The total times, excluding outliers.
  [[nodiscard]] std::vector<double> ordinary_s() const;

  std::vector<StageTimes> times_;
  std::vector<BlockWaits> waited_;
};

/// The median of `values` (at least one); for an even number of values, the upper of the two middle
/// ones.
[[nodiscard]] double median(std::vector<double> values);

/// Block sizes that cover the range that policies use: about 8 multiples of the grain with a
/// constant factor between them, from a 4,096th of the items (at least a grain) to `items_max` or
/// the largest block that fits the unit's memory. Ascending; at least one, but empty if not even a
/// grain fits.
[[nodiscard]] std::vector<Items> size_ladder(const Workload& workload, const Unit& unit,
                                             Items items_max);

/// The time of a block of one size.
struct SizeTime {
  Items items = 0;
  Seconds time;
  double uncertainty = 0.0;  ///< half the width of the confidence interval, relative to the time
};

/// Sizes to record in addition to `recorded` (ascending) where the time curve bends. A size is at a
/// bend if its time is off the line between its neighbours by more than the sum of `tolerance` and
/// its uncertainty, relative to its time. Returns the geometric means of this size and each
/// neighbour, as multiples of `grain_items`, if they are not in `recorded`. Ascending.
[[nodiscard]] std::vector<Items> sizes_at_bends(const std::vector<SizeTime>& recorded,
                                                Items grain_items, double tolerance);

/// One timed block.
struct TimedBlock {
  StageTimes times;  ///< without `waited`
  Seconds dispatch;  ///< from handing out to noticing the end, without the stages
  BlockWaits waited{};
  Seconds copying{};  ///< work of threads that copied for the unit
};

/// What copying threads have worked for blocks of different sizes.
class CopyWorkFit {
 public:
  /// A block whose `copies` copies moved `bytes` in all took `work`.
  void add(int copies, double bytes, Seconds work);
  /// The least squares of the blocks' relative differences, neither part below 0; nothing at all if
  /// no block had copies.
  [[nodiscard]] CopyWork fit() const;

 private:
  double copies_copies_ = 0.0;  ///< sums of products, each block divided by the square of its work
  double copies_bytes_ = 0.0;
  double bytes_bytes_ = 0.0;
  double copies_work_ = 0.0;
  double bytes_work_ = 0.0;
};

/// Goes through the sizes of one unit. The caller asks for blocks and returns their times one by
/// one.
class UnitRecorder {
 public:
  /// The unit goes through the items of `segment`.
  UnitRecorder(const RecordSetup& setup, std::size_t unit, ItemRange segment);

  /// How items differ, from now on and for the samples so far: these get the times of blocks whose
  /// items have mean cost.
  void know(const ItemCostsPtr& costs);
  /// What a block computes however little its work is, as far as that is certain: the slope of time
  /// over work by the inverse of the work, by least squares over sizes with the medians of both,
  /// less two standard errors; at least 0 and at most the shortest time. 0 for less than three
  /// sizes. Blocks with less than a quarter of the work of mean items do not count.
  [[nodiscard]] Seconds fixed_cost() const;
  /// The items through which the unit goes.
  [[nodiscard]] ItemRange part() const { return segment_; }
  /// Lets it go through others, from the first on.
  void move_to(ItemRange segment);

  /// True if all sizes are known precisely enough for this pass, or the pass's time is spent.
  [[nodiscard]] bool is_done() const { return at_ == sizes_.size(); }
  /// Starts another pass through all sizes at time 0.
  void begin_pass();
  /// The next block to be timed; if the pass is done, one of the largest size, which only keeps the
  /// unit busy.
  [[nodiscard]] Block next_block(std::uint64_t id);
  /// Takes the times of the block that was given last, at the time `now` since the recording of
  /// this unit's group began. Returns false if the block does not count, because it was the first
  /// of its size or came after the pass was done.
  bool take(const TimedBlock& block, Seconds now);

  /// The largest size of which a block does not take long, or else the first.
  [[nodiscard]] Items usual_items() const;
  /// How fast it does blocks of that size; 0 if none was timed.
  [[nodiscard]] double items_per_s() const;
  [[nodiscard]] bool computes() const { return setup_.units[unit_].computes(); }
  /// The progress of this recording.
  [[nodiscard]] RecordProgress progress() const;
  /// The setup of the unit's first block: first use and the copy of resident data. Nullopt until
  /// that block is back.
  [[nodiscard]] std::optional<Seconds> first_setup() const { return first_setup_; }
  [[nodiscard]] const std::vector<double>& dispatch_s() const { return dispatch_s_; }
  /// What is usual of these, of which there is at least one.
  [[nodiscard]] Undisturbed usual_dispatch() const { return undisturbed(dispatch_s_); }
  /// What copies to and from the unit make threads of the host work.
  [[nodiscard]] CopyWork copy_work() const { return copy_work_.fit(); }

  /// (passes) The mean time of a block in each pass relative to that in all passes, as a logarithm:
  /// the mean over the sizes that were timed in every pass. Empty if there is none.
  [[nodiscard]] std::vector<double> pass_levels() const;

  /// All samples, with outliers marked.
  [[nodiscard]] std::vector<TraceSample> samples() const;
  /// The samples of completed sizes that were not taken yet, with outliers among the samples so
  /// far.
  [[nodiscard]] std::vector<TraceSample> take_ended();
  /// The samples that were not taken yet. To be called when no more blocks come.
  [[nodiscard]] std::vector<TraceSample> take_rest();
  /// Appends the means that are not known precisely enough, and doubtful results.
  void add_remarks(Recording& recording) const;

 private:
  /// How often a size is timed: with a first block that does not count and as many samples as it
  /// needs, by its first block alone in each pass, or not at all.
  enum class Often : std::uint8_t { enough, few, never };
  /// The first item of a block, and how long it computed, whatever its items cost.
  struct Computed {
    Items first = 0;
    Seconds time;
  };
  struct Size {
    Items items = 0;
    Often often = Often::enough;
    BlockSamples samples{};
    std::vector<Computed> computed{};  ///< (samples)
    int before = 0;                    ///< samples of earlier passes
    std::vector<int> ends{};  ///< (earlier passes since it was added) samples at the end of each
    std::size_t taken = 0;    ///< samples that were taken
  };

  void begin_size(Seconds now);
  void end_size(Seconds now);
  void pass_over_little_work(Items items);
  [[nodiscard]] Seconds at_mean_cost(Computed computed, Items items) const;
  void take_to_mean_cost();
  [[nodiscard]] bool is_known(Seconds spent) const;
  [[nodiscard]] Seconds most_of_a_size() const;
  [[nodiscard]] bool is_wanted(Size& size) const;
  [[nodiscard]] Often how_often(Seconds block) const;
  [[nodiscard]] Seconds expected(const Size& size) const;
  [[nodiscard]] bool refine();
  [[nodiscard]] std::vector<TraceSample> take_until(std::size_t end);
  [[nodiscard]] std::vector<TraceSample> samples_of(const Size& size) const;
  [[nodiscard]] Seconds pass_budget() const { return (1.0 / setup_.passes) * setup_.budget; }
  [[nodiscard]] TraceSample sample_of(const Size& size, std::size_t index) const;
  [[nodiscard]] std::vector<SizeTime> curve() const;
  [[nodiscard]] const std::string& name() const { return setup_.units[unit_].unit.name; }

  const RecordSetup& setup_;
  std::size_t unit_;
  ItemRange segment_;
  std::vector<Size> sizes_;  ///< in the order of recording
  std::size_t at_ = 0;
  int passes_begun_ = 0;
  Items position_ = 0;  ///< within the segment
  Items first_ = 0;     ///< of the block that was given last
  ItemCostsPtr costs_;
  Seconds fixed_;  ///< with which samples were taken to mean cost
  bool is_warm_ = false;
  Seconds size_began_;
  Seconds size_budget_;
  std::optional<Seconds> first_setup_;
  std::vector<double> dispatch_s_;
  CopyWorkFit copy_work_;
};

}  // namespace equipoise
