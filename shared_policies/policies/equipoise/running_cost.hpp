// A cost learned block by block: a line, corrected where blocks of that size say otherwise.
#pragma once

#include <vector>

#include "shared_policies/fit/cost_model.hpp"

namespace equipoise {

/// The time of a block as a function of its size, learned from one measurement after another in
/// O(sizes) each, where sizes are kept by octaves (at most 64).
///
///     t(x) = (a + b x) c(x)
///
/// a, b >= 0 minimise the squared relative errors of the octaves' means t_k (weighted by their
/// counts) and (sd a / (0.4 t_0))^2, t_0 the mean time of the smallest octave and sd the relative
/// scatter: few blocks that scatter are no proof of a fixed part. An error is relative to t_k, or
/// to a third of what so many items take in the mean of all blocks where that is more: a small
/// block of items that happened to be cheap is no proof that all are; c(x) is the mean relative
/// error of the measurements within two octaves of x, nearer ones counting more, shrunk towards 1
/// as a measurement's scatter demands:
///
///     c(x) = 1 + sum_k n_k h_k (t_k / (a + b x_k) - 1) / (sum_k n_k h_k + sd^2 / sd_line^2)
///
/// Old measurements weigh less (0.99 a block). When two blocks in a row take another time than this
/// by more than the scatter explains, the unit has changed: all times are multiplied by what these
/// blocks say, and weigh as three measurements from then on. One block that is off by far is
/// believed at once, but only until the next one: if that is as blocks were before, the one was an
/// accident and is forgotten.
///
/// Source: ours. `seconds` is positive for items > 0 once anything was added.
class RunningCost {
 public:
  /// A block of `items` > 0 took `seconds` >= 0.
  void add(double items, double seconds);

  [[nodiscard]] bool empty() const { return octaves_.empty(); }
  /// The expected time of a block; there must be a measurement.
  [[nodiscard]] double seconds(double items) const;
  /// The size of the block that takes `seconds`, at most `limit_items`; 0 if none is so short.
  [[nodiscard]] double items_within(double seconds, double limit_items) const;
  /// What every block takes, whatever its size (a).
  [[nodiscard]] double fixed_s() const { return fixed_s_; }
  /// The same, less its standard error; not negative.
  [[nodiscard]] double surely_fixed_s() const;
  /// The relative standard deviation of a block's time, what is not known of the mean included.
  [[nodiscard]] double relative_sd() const;
  /// The largest block that was measured.
  [[nodiscard]] double largest_items() const { return largest_items_; }

 private:
  /// What was measured of blocks in [2^exponent, 2^(exponent+1)) items.
  struct Octave {
    int exponent = 0;
    double count = 0.0;
    double items = 0.0;    // sum
    double seconds = 0.0;  // sum
  };

  /// Relative errors of predictions, old ones weighing less.
  struct Errors {
    double count = 0.0;
    double squares = 0.0;  // sum

    void add(double error);
    [[nodiscard]] double deviation() const;
  };

  void note_change(double items, double seconds);
  void doubt_change(double items, double seconds);
  void rescale(double ratio);
  void fit_line();
  [[nodiscard]] double line_s(double items) const { return fixed_s_ + items * item_s_; }
  /// The weight of measurements near `items` and, through `error`, their weighted relative error.
  [[nodiscard]] double weight_near(double items, double& error) const;

  std::vector<Octave> octaves_;  // ascending
  std::vector<Octave> before_;   // a change that one block alone told of; empty: none
  double fixed_s_ = 0.0;
  double item_s_ = 0.0;
  double fixed_error_ = 0.0;  // standard error of fixed_s_, for a scatter of 1
  double largest_items_ = 0.0;
  Errors surprise_;          // of all predictions
  Errors scatter_;           // of predictions for sizes that are known
  int surprises_ = 0;        // in a row, in one direction
  double surprise_log_ = 0;  // sum of the logarithms of their ratios
};

}  // namespace equipoise
