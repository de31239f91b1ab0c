// A cost learned block by block: a line.
#pragma once

#include <span>
#include <vector>

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
/// scatter. It does not count: it is an outlier, such as an interruption. If the next block is one
/// in the same direction, the unit has changed, and all times are multiplied by their mean ratio.
///
/// Where the items of larger blocks are dearer, as on a CPU whose cache holds only small blocks,
/// the line is that of the blocks up to the octave whose items are cheapest. An octave's time is
/// drawn towards the line through all octaves by its scatter, as if that line were right within 10
/// %, and at least two larger blocks must have been dearer by 2 %.
///
/// Source: ours. `seconds` is positive for items > 0 once a measurement was added.
class RunningCost {
 public:
  /// Starts from what earlier runs showed, whose times may be wrong by `doubt` (relatively) beside
  /// their `scatter`. It counts as the number of measurements that tell a mean that precisely, at
  /// most three. Nothing if there are no sizes. To be called before any measurement.
  void start_from(const std::vector<LearnedSize>& sizes, double scatter, double doubt);

  /// Whether a block differs from what is known by more than three deviations.
  [[nodiscard]] bool is_far_from(double items, double seconds) const;

  /// Adds a measurement: a block of `items` > 0 took `seconds` >= 0.
  void add(double items, double seconds);

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
};

}  // namespace equipoise
