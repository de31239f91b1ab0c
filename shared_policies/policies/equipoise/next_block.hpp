// Chooses the size of a unit's next block from the costs of its earlier blocks and the time left.
#pragma once

#include "shared_policies/policies/equipoise/running_cost.hpp"

namespace equipoise {

/// Parameters of the block size; none has a unit of measure.
struct BlockSizing {
  double first = 0.0005;            ///< of all items: first blocks of all units, if all are CPUs
  double first_accelerator = 0.02;  ///< the same if none is a CPU
  double growth = 8.0;              ///< a block is at most this many times the largest before it
  double slack = 0.5;               ///< a block's share of the time left if times do not scatter
  double overlap = 0.7;             ///< factor on `slack` where blocks hide copies
  double cushion = 2.5;             ///< standard deviations by which a block is shortened
  double overhead = 0.01;  ///< blocks are enlarged until fixed costs are at most this share
  double caution = 0.5;    ///< weight of scatter relative to fixed costs in the last block
};

/// Chooses block sizes for a run of `run_s` seconds. Source: ours.
class NextBlock {
 public:
  /// `overlap`: blocks hide copies, and are shorter, so that less is queued when the run ends.
  NextBlock(const BlockSizing& sizing, double run_s, bool overlap);

  /// The size in items of the next block of a unit that has `left_s` seconds of work to come; at
  /// most `cap_items`. May be less than one.
  ///
  /// If `left_s` is at most `last_block_s`: all items that fit into `left_s`. Otherwise a block of
  ///
  ///     max(min(slack * left / (1 + cushion * sd), hidden), min(fixed / overhead, left / 2))
  ///
  /// seconds, where sd is the scatter and `hidden_s` is the time of the longest block whose copy in
  /// is hidden (PipelineCost::longest_hidden_s).
  [[nodiscard]] double items(const RunningCost& cost, double left_s, double cap_items,
                             double hidden_s) const;

  /// The longest time that a single last block may take: for a longer one, its scatter costs more
  /// than the fixed costs that halving it would add. 2 * fixed / (caution * sd).
  [[nodiscard]] double last_block_s(const RunningCost& cost) const;

 private:
  /// The least fixed cost assumed, as a share of the run: saving less is hardly noticed.
  static constexpr double negligible_share = 1e-4;

  [[nodiscard]] double fixed_s(const RunningCost& cost) const;

  BlockSizing sizing_;
  double run_s_;
};

}  // namespace equipoise
