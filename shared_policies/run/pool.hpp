// The items that are not handed out, and the proof that every item was done exactly once.
#pragma once

#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Items [first, first + items).
struct ItemRange {
  Items first = 0;
  Items items = 0;
};

/// The items of one iteration that are not handed out, as few contiguous ranges.
class Pool {
 public:
  /// Holds nothing.
  Pool() = default;
  /// All of `items` from 0 on; blocks are cut in multiples of `grain`.
  Pool(Items items, Items grain);

  [[nodiscard]] Items remaining() const { return remaining_; }

  /// Cuts a block from the first range: `want` > 0 rounded to the nearest multiple of the grain (at
  /// least one grain), at most `cap` (at least a grain), at most the range. A rest smaller than a
  /// grain goes with the block when it fits under `cap`. Nothing may be left to cut: a bug.
  [[nodiscard]] ItemRange cut(Items want, Items cap);

  /// Takes back a range that was cut and lost.
  void put_back(ItemRange range);

 private:
  Items grain_ = 1;
  Items remaining_ = 0;
  std::vector<ItemRange> ranges_;  ///< disjoint, descending: the first range is at the back
};

/// The items that were accepted, as few contiguous ranges; independent of the pool.
class Coverage {
 public:
  /// Adds an accepted block. An item that was accepted before is a bug.
  void add(ItemRange range);

  /// Whether the accepted items are 0 .. items-1, each once.
  [[nodiscard]] bool covers(Items items) const;

 private:
  std::vector<ItemRange> ranges_;  ///< disjoint, ascending, never touching
};

}  // namespace equipoise
