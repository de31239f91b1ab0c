// What `auto` learns of a loop from its finished blocks: what blocks cost on each unit, what its
// items cost, and how long the master takes to hand out a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "shared_policies/model/event.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// What a block of x items is expected to cost on one unit, for items of mean cost:
///
///     latency + fixed + item x   seconds from its hand-out to an empty unit to its end.
struct UnitPace {
  double latency_s = 0.0;  ///< from the hand-out until the block begins
  double fixed_s = 0.0;    ///< of every block, whatever its size
  double item_s = 0.0;     ///< of an item; > 0
  double slowness = 1.0;   ///< item_s relative to that of a unit of mean speed
  double computing = 1.0;  ///< the share of the rest that is computing; the others are copies

  [[nodiscard]] double busy_s(double items) const { return fixed_s + item_s * items; }
};

/// What is known of a loop at one time.
struct LoopModel {
  std::vector<UnitPace> paces;  ///< (n); those of units without a finished block are assumed
  double master_s = 0.0;        ///< the master's time for handing out a block
  double item_s = 0.0;          ///< of an item of mean cost on a unit of mean speed
};

/// What the items ahead cost on a unit of mean speed: pieces of equal length, in each of which all
/// items cost the same.
class CostsAhead {
 public:
  /// `item_s`: of the items of each piece, of which there is at least one. The first `skipped`
  /// items are not ahead.
  CostsAhead(double piece_items, const std::vector<double>& item_s, double skipped);

  /// The seconds of `items` items from number `first` on, counted from the first one ahead. O(1).
  [[nodiscard]] double between(double first, double items) const {
    return up_to(first + items) - up_to(first);
  }

 private:
  [[nodiscard]] double up_to(double items) const;

  double piece_items_;
  double skipped_;
  std::vector<double> before_;  ///< (pieces + 1), s: of all pieces before
};

/// Learns one loop: a kernel. What it keeps grows with the number of units only.
///
/// Costs of a unit follow from its latest blocks, of x_k items and t_k seconds without setup: the
/// line a + b x that minimises
///
///     sum_k (t_k - a - b x_k)^2 / x_k,
///
/// because the times of x independent items have x times the variance of one. A fixed cost a
/// counts as far as it exceeds its standard error, in which s^2, the residual variance of an item
/// relative to b^2, is that of all units together; then b = sum(t_k - a) / sum(x_k). Latencies are
/// measured: how long blocks that met an empty unit took to begin.
///
/// The master's time for a block is the mean time between two hand-outs of which the second's unit
/// was waiting when the first was made.
///
/// Source: ours.
class LearnedLoop {
 public:
  /// A phase with this kernel begins.
  void begin_phase(const View& view);
  /// An iteration begins at `at`.
  void begin_iteration(Seconds at);
  /// A block of this loop has finished at `at`.
  void add(const BlockFinished& finished, Seconds at);
  /// A unit's block has ended otherwise.
  void ended(UnitId unit, Seconds at);
  /// `unit` was handed a block, the last of its outstanding ones.
  void handed_out(const View& view, UnitId unit);

  /// Units may have waited for something else than the master: for work, or to join.
  void interrupted() { last_hand_out_.reset(); }

  /// The number of blocks that `unit` has finished.
  [[nodiscard]] std::uint64_t blocks(UnitId unit) const { return units_[unit.index].blocks; }
  /// Whether any unit has finished one.
  [[nodiscard]] bool is_known() const;
  /// When the latest block of `unit` ended.
  [[nodiscard]] Seconds last_end(UnitId unit) const { return units_[unit.index].last_end; }
  /// The latest blocks of all units, as they ended: for policies that learn. O(blocks log blocks).
  [[nodiscard]] std::vector<Event> latest_blocks() const;

  /// The model of now; some unit has finished a block. From then on, costs of items are learned by
  /// their position.
  [[nodiscard]] const LoopModel& fit();
  /// What the remaining items may cost, in `count` ways. In an iteration after the first: what the
  /// items at these positions cost in the one before, in one way. Otherwise: pieces of it cost what
  /// latest blocks drawn at random did, each of whose items is as probable to be drawn (a block
  /// bootstrap; the same `seed` draws the same). `fit` was called, and not all blocks since.
  [[nodiscard]] std::vector<CostsAhead> costs_ahead(const View& view, std::size_t count,
                                                    std::uint64_t seed) const;

 private:
  /// A finished block, the seconds that its unit was busy with it without setup, and how long it
  /// took to begin if it met an empty unit.
  struct PastBlock {
    BlockFinished finished;
    Seconds end;
    double items = 0.0;
    double busy_s = 0.0;
    std::optional<double> latency_s{};
  };
  struct OfUnit {
    std::deque<PastBlock> latest;
    std::uint64_t blocks = 0;
    Seconds last_end;
    Seconds waits_since;
  };
  /// Items and their seconds on a unit of mean speed, by position in the loop.
  struct Positions {
    std::vector<double> items;    ///< (pieces)
    std::vector<double> seconds;  ///< (pieces)
  };

  void end_iteration();
  void fit_lines();
  void assume_unknown();
  void add_at_position(const PastBlock& block);
  [[nodiscard]] double piece_items() const;
  /// The seconds of an item of `block` on a unit of mean speed.
  [[nodiscard]] double item_cost_s(const PastBlock& block) const;
  [[nodiscard]] CostsAhead drawn(double remaining, std::uint64_t seed) const;

  Items items_ = 0;  ///< of the loop
  std::vector<OfUnit> units_;
  LoopModel model_;
  std::optional<Seconds> last_hand_out_;
  double hand_outs_s_ = 0.0;  ///< sum of the times between hand-outs
  double hand_outs_ = 0.0;
  Positions now_;                     ///< of this iteration
  std::vector<double> last_costs_s_;  ///< (pieces) of an item, in the iteration before; or empty
};

}  // namespace equipoise
