// What a block will cost a unit, learned from finished blocks: a line over its size, and that of a
// unit that may do several blocks as a pipeline.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "shared_policies/model/event.hpp"
#include "shared_policies/model/experience.hpp"

namespace equipoise {

/// The time of a block as a function of its size, learned from one measurement after another: the
/// line a + b x. Sums are kept for each octave of sizes (at most 64); a block takes O(octaves).
///
/// a, b >= 0 minimise the squared relative errors of the octaves' mean times t_k, weighted by their
/// counts, plus (sd a / (0.4 t_0))^2, where t_0 is the mean time of the smallest octave and sd the
/// relative scatter: a few scattered blocks do not prove a fixed part. An error is relative to t_k,
/// or to a third of the time that as many items take on average over all blocks, whichever is
/// larger: a small block of items that happened to be cheap does not prove that all items are.
///
/// Old measurements lose weight (factor 0.97 per block). A surprise is a block of a known size
/// whose time differs by a factor of two at least, and by more than three deviations of the
/// scatter. It does not count: it is an outlier, such as an interruption. If the next block is a
/// surprise in the same direction, the unit has changed, and all times are multiplied by the mean
/// ratio of both.
///
/// Where the items of larger blocks are dearer, as on a CPU whose cache holds only small blocks,
/// the line is that of the blocks up to the octave whose items are cheapest. An octave's time is
/// drawn towards the line through all octaves by its scatter, as if that line were right within 10
/// %, and at least two larger blocks must have been dearer by 2 %.
///
/// Source: ours. `seconds` is positive for items > 0 once a measurement was added.
class RunningCost {
 public:
  /// Starts from what earlier runs showed, whose times may be wrong by `uncertainty` (relatively)
  /// beside their `scatter`. It counts as the number of measurements that tell a mean that
  /// precisely, at most three. Does nothing without sizes. To be called before any measurement.
  void start_from(const std::vector<LearnedSize>& sizes, double scatter, double uncertainty);

  /// Whether the time of a block is farther than three standard deviations from the expected one.
  [[nodiscard]] bool is_far_from(double items, double seconds) const;

  /// Adds a measurement: a block of `items` > 0 took `seconds` >= 0. Returns the logarithm of the
  /// ratio of its time to the expected one, if blocks of about this size are known, two of them
  /// from this run.
  std::optional<double> add(double items, double seconds);

  /// Items differ, and took `mean_item_s` on average in blocks of `mean_items`, fixed costs
  /// included. From now on the line goes through this mean, with a fixed cost of at most the time
  /// of the shortest block: no size is preferred, as larger blocks were dearer because of their
  /// place, and no time surprises.
  void follow(double mean_item_s, double mean_items);

  [[nodiscard]] bool empty() const { return octaves_.empty(); }
  /// The expected time of a block; requires at least one measurement.
  [[nodiscard]] double seconds(double items) const;
  /// The size of the block that takes `seconds`, up to `limit_items`; 0 if all blocks take longer.
  [[nodiscard]] double items_within(double seconds, double limit_items) const;
  /// The fixed cost a of every block, independent of its size.
  [[nodiscard]] double fixed_s() const { return fixed_s_; }
  /// The time b of every further item.
  [[nodiscard]] double item_s() const { return item_s_; }
  /// The fixed cost minus its standard error; not negative.
  [[nodiscard]] double surely_fixed_s() const;
  /// The relative standard deviation of a block's time, including the uncertainty of the mean.
  [[nodiscard]] double relative_sd() const;
  /// The size of the largest block that was measured.
  [[nodiscard]] double largest_items() const { return largest_items_; }
  /// The size of the largest block to be handed out: `growth` times the largest that was measured,
  /// or the largest of the octave whose items are cheapest, if items of larger blocks are dearer.
  [[nodiscard]] double most_items(double growth) const;

 private:
  /// The measurements of blocks of [2^exponent, 2^(exponent+1)) items.
  struct Octave {
    int exponent = 0;
    double count = 0.0;
    double items = 0.0;    // sum
    double seconds = 0.0;  // sum
  };

  /// Relative errors of predictions; older ones count less.
  struct Errors {
    double count = 0.0;
    double squares = 0.0;  // sum

    void add(double error);
    void start_from(double deviation, double weight);
    [[nodiscard]] double deviation() const;
  };

  bool is_outlier(double log_ratio);
  void fit();
  void fit_line(std::span<const Octave> octaves);
  /// The weight of the measurements near `items`: full at this size, none two octaves away.
  [[nodiscard]] double weight_near(double items) const;

  std::vector<Octave> octaves_;  // ascending
  std::size_t worthwhile_ = 0;   // octaves up to the one whose items are cheapest
  double fixed_s_ = 0.0;
  double item_s_ = 0.0;
  double fixed_error_ = 0.0;  // standard error of fixed_s_, for a scatter of 1
  double largest_items_ = 0.0;
  Errors all_errors_;           // of all predictions
  Errors known_size_errors_;    // of predictions for sizes that count as known
  bool is_experience_ = false;  // all that is known is of earlier runs
  double surprise_ = 0.0;       // logarithm of the ratio of a surprise just before; 0: none
  bool items_differ_ = false;
  int measured_ = 0;  // blocks of this run
  double shortest_s_ = std::numeric_limits<double>::infinity();
};

/// What is learned of one unit and kernel from finished blocks. Two kinds of blocks are kept apart:
///
/// - A block that met an empty unit (`alone`) takes the time from its hand-out to its end.
/// - A block that was queued behind another (`queued`) costs a unit that overlaps its longest
///   stage; the other stages are hidden behind those of its neighbours. This is multiplied by how
///   much waiting there was between queued blocks so far: the sum of their times from one end to
///   the next, divided by the sum of their longest stages. (One time between two ends would mislead
///   where sizes differ: it may contain waiting for the other block.) On a unit that does not
///   overlap, it is the time between the two ends.
///
/// Source: ours.
class PipelineCost {
 public:
  /// `overlaps`: the unit copies one block while it computes another. Otherwise (`copy_engines` 0)
  /// only the latency to and from the controller can be hidden, and the three stages count as one.
  explicit PipelineCost(bool overlaps = true) : overlaps_(overlaps) {}

  /// Starts from what earlier runs showed. To be called before any block.
  void start_from(const LearnedCost& learned);

  /// Forgets everything but that items differ, if they do.
  void forget();

  /// Adds a finished block, without its setup. It ended at `at`, the unit's block before it at
  /// `last_end`.
  ///
  /// `is_first`: the unit's first block in a phase, which is not warm yet. It counts only if
  /// nothing else is known, and on a unit that does not overlap only its computing time does.
  /// `heard`: how long the controller took to hear of `last_end`, if it answered with this block;
  /// else 0.
  ///
  /// Returns whether the block contradicts what earlier runs showed, which is then forgotten. Only
  /// a block that met an empty unit can do so, and only until one was not mostly fixed cost.
  bool add(const BlockFinished& finished, Seconds at, Seconds last_end, bool is_first,
           Seconds heard = {});
  /// Whether no block of this run has shown yet what items cost, only earlier runs have.
  [[nodiscard]] bool is_unconfirmed() const { return is_unconfirmed_; }
  /// The logarithm of the ratio of the last block's time to the expected one, if it is known.
  [[nodiscard]] std::optional<double> last_error() const { return last_error_; }
  /// Items cost more in some places than in others: from now on only the means over all blocks
  /// count.
  void items_differ();

  [[nodiscard]] bool is_known() const { return !alone_.empty() || !queued_.empty(); }
  /// The cost of a block on an empty unit; that of a queued one as long as none met an empty unit.
  [[nodiscard]] const RunningCost& alone() const { return alone_.empty() ? queued_ : alone_; }
  /// The cost of a block queued behind another; that on an empty unit as long as none was queued.
  [[nodiscard]] const RunningCost& queued() const { return queued_.empty() ? alone_ : queued_; }

  /// How many blocks the unit should have outstanding, so that it waits neither for a copy nor for
  /// its next block, by Little's law: the time of a block on an empty unit divided by its longest
  /// stage, rounded up. Waiting for 5 % of a block is not worth another one. At most 4.
  [[nodiscard]] std::size_t depth() const;
  /// How many blocks, at most `engines` + 1, are to share a memory that holds `items`, so that an
  /// item is cheapest; three rather than two also if items are up to 5 % dearer then. Each of n
  /// blocks costs an n-th of its time on an empty unit or, if that is longer, its longest stage.
  [[nodiscard]] int blocks_in_memory(double items, int engines) const;
  /// Whether queued blocks hide copies, not only the latency of the controller.
  [[nodiscard]] bool hides_copies() const;
  /// The longest time that the next block of a unit should take, which will be busy for `busy_s`
  /// and has `left_s` seconds of work to come, so that the block's copy in costs little. A block
  /// takes a fixed time a and y seconds beyond it, of which the share c is its copy in. If the copy
  /// is longer than `busy_s`, the unit waits for up to c y seconds, once; with smaller blocks,
  /// fixed times cost a left / y in all. Their sum is least for y = sqrt(a left / c). So
  ///
  ///     a + max(busy, sqrt(a left c)) / c
  ///
  /// Infinite if queued blocks hide no copies, or as long as this run has shown no copy in.
  [[nodiscard]] double longest_hidden_s(double busy_s, double left_s) const;

 private:
  static constexpr double tolerance = 0.05;   ///< waiting of a block that is not worth another one
  static constexpr double most_queued = 4.0;  ///< blocks

  bool overlaps_;
  bool is_unconfirmed_ = false;
  std::optional<double> last_error_;
  RunningCost alone_;
  RunningCost queued_;
  // Sums over the blocks that met an empty unit, and over all of a unit that does not overlap:
  double latency_s_ = 0.0;  // from hand-out until the controller hears of the end
  double stage_s_ = 0.0;    // the longest stage
  double copies_s_ = 0.0;   // the other stages, where they can be hidden
  // The same of this run alone:
  double in_s_ = 0.0;        // copies in
  double in_stage_s_ = 0.0;  // the longest stage
  // Sums over queued blocks:
  double spans_s_ = 0.0;          // from the end of the block before to the own end
  double queued_stages_s_ = 0.0;  // the longest stage
  // Over all blocks but first ones; old ones lose weight slowly:
  double blocks_ = 0.0;
  double items_ = 0.0;
  double stages_s_ = 0.0;  // the longest stage
  bool items_differ_ = false;
};

}  // namespace equipoise
