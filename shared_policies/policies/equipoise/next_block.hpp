// How large the next block of a unit should be, by what its blocks have cost and the time left.
#pragma once

#include "shared_policies/policies/equipoise/running_cost.hpp"

namespace equipoise {

/// What the size of a block is weighed by; all without units of measure.
struct BlockSizing {
  double growth = 8.0;     ///< a block is at most this times the largest done before
  double slack = 0.5;      ///< share of the time left that a block of a sure unit takes
  double cushion = 2.5;    ///< standard deviations of a block that it is shortened by
  double overhead = 0.01;  ///< fixed costs are worth no more than this share of a block
  double gain = 0.02;      ///< by which a smaller block must be cheaper, an item
  double caution = 0.5;    ///< weight of scatter against fixed costs in the last block
};

/// Sizes blocks of `run_s` seconds long runs. Source: ours.
class NextBlock {
 public:
  /// `overlap`: the unit's blocks overlap. Then they are half as long and grow at most fivefold, so
  /// that the copies of one find room behind the block before it.
  NextBlock(const BlockSizing& sizing, double run_s, bool overlap);

  /// The items of the next block of a unit with `left_s` seconds of work to come; at most
  /// `cap_items`. May be less than one.
  ///
  /// If that is not more than `last_block_s`: all that fits into the time. Else a block of
  ///
  ///     max(slack * left / (1 + cushion * sd), min(fixed / overhead, left / 2))
  ///
  /// seconds, or its half, quarter, ..., where that is cheaper an item by `gain` and a third of the
  /// scatter sd.
  [[nodiscard]] double items(const RunningCost& cost, double left_s, double cap_items) const;

  /// The longest time that one last block may take: halving it would cost more in fixed costs than
  /// its scatter costs, 2 * fixed / (caution * sd).
  [[nodiscard]] double last_block_s(const RunningCost& cost) const;

 private:
  [[nodiscard]] double fixed_s(const RunningCost& cost) const;
  [[nodiscard]] double cheapest(const RunningCost& cost, double items) const;

  BlockSizing sizing_;
  double run_s_;
};

}  // namespace equipoise
