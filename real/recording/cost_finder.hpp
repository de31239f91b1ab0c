// Finds out, from the times of blocks at many places, whether the items of a workload differ, and
// how: which block is timed next, and what the times say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shared_policies/machine/item_costs.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/run/pool.hpp"

namespace equipoise {

/// Asks for blocks on one unit and takes their times one by one.
///
/// The items are divided into up to 16 ranges of about the same size. In the middle of each lies a
/// place, a block of as many items everywhere. Rounds through all places make the block longer
/// until it takes a 256th of the budget, but no more than 10 ms, or fills its range; three rounds
/// with this block, in different orders, decide. Of p places with mean times x_i and the mean x of
/// all, analysis of variance compares
///
///     between = 3 sum (x_i - x)^2 / (p - 1),   within = sum (x_ij - x_i)^2 / (2 p).
///
/// Items differ if between >= 10 within, and if the deviation of places that chance does not
/// explain, sqrt((between - within) / 3), is at least a twentieth of x. (Blocks of less than 20 us
/// say nothing, and their items count as alike.) With alike items and normal noise the ratio is
/// that large in one of 230 recordings of 4 places, and of 16 places less often than once in a
/// million.
///
/// Then ranges are halved, and a block in each half is timed twice, where costs change: where the
/// cost of a range is off that of a neighbour by more than three times the usual difference of
/// repetitions, largest error first (the difference times the items), until every error is below a
/// 5,000th of all work, ranges are too short to be timed (0.1 ms), there are 4,096 of them, or the
/// budget is spent. The shortest time of a place counts, because disturbances only lengthen times.
/// What lies beside the blocks in a range is taken to cost as much.
/// Source: analysis of variance of one factor (Fisher 1925); limits and halving are ours.
class CostFinder {
 public:
  /// Blocks of `workload` have at most `block_max` items, at least a grain. Fewer grains than four:
  /// there is nothing to do.
  CostFinder(const Workload& workload, Items block_max, Seconds budget);

  [[nodiscard]] bool is_done() const { return stage_ == Stage::done; }
  /// The block to be timed. Only while this is not done.
  [[nodiscard]] ItemRange next_block() const { return block_of(places_[order_[at_]]); }
  /// Takes the time that it computed; `spent` is what blocks have taken so far.
  void take(Seconds computed, Seconds spent);
  /// Ends with what is known, because other time than that of blocks is spent.
  void end();

  /// Whether items were found to differ.
  [[nodiscard]] bool differ() const { return differ_; }
  /// Whether the budget was spent before that could be said.
  [[nodiscard]] bool gave_up() const { return gave_up_; }
  /// The costs of all items, if they differ, with mean 1 and four decimals: in proportion to what
  /// blocks computed beyond the `fixed` cost of a block.
  [[nodiscard]] CostsRecord costs(Seconds fixed = {}) const;

 private:
  enum class Stage : std::uint8_t { growing, repeating, refining, done };
  /// A range and the block in it whose time stands for it.
  struct Place {
    ItemRange range;
    ItemRange block;
    std::vector<double> seconds{};  ///< of the block; of a half at first that of the whole
    bool is_inherited = false;      ///< they are of the block of the whole range

    [[nodiscard]] double least_s() const;
    [[nodiscard]] double item_s() const { return least_s() / static_cast<double>(block.items); }
  };

  void set_blocks(Items items);
  void end_round();
  void end_growing();
  void judge();
  void refine();
  void order(bool is_backward);
  [[nodiscard]] Items room(ItemRange range) const;
  [[nodiscard]] ItemRange block_of(const Place& place) const;
  [[nodiscard]] ItemRange block_in(ItemRange range, Items items) const;
  [[nodiscard]] double mean_s() const;
  [[nodiscard]] double mean_item_s() const;
  [[nodiscard]] double usual_difference() const;
  [[nodiscard]] std::vector<double> errors() const;
  [[nodiscard]] std::vector<std::size_t> to_halve() const;
  [[nodiscard]] std::vector<Place> halves(const Place& place) const;

  Items items_;
  Items grain_;
  Items block_max_;
  Seconds budget_;
  Seconds spent_;
  Stage stage_ = Stage::growing;
  std::vector<Place> places_;       ///< ascending
  std::vector<std::size_t> order_;  ///< those of this round
  std::size_t at_ = 0;              ///< in `order_`
  Items block_items_ = 0;
  int round_ = 0;  ///< of the stage
  double noise_ = 0.0;
  bool differ_ = false;
  bool gave_up_ = false;
};

}  // namespace equipoise
