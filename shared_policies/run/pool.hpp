// The items that are not handed out, and the proof that every item was done exactly once.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Items [first, first + items).
struct ItemRange {
  Items first = 0;
  Items items = 0;
};

/// The ranges of a pool, which has them in descending order, in ascending order.
class AscendingRanges {
 public:
  explicit AscendingRanges(std::span<const ItemRange> descending) : descending_(descending) {}
  [[nodiscard]] auto begin() const { return descending_.rbegin(); }
  [[nodiscard]] auto end() const { return descending_.rend(); }

 private:
  std::span<const ItemRange> descending_;
};

/// The items of one iteration that are not handed out, as few contiguous ranges.
class Pool {
 public:
  /// An empty pool.
  Pool() = default;
  /// A pool with the items of `range`; blocks are cut in multiples of `grain`.
  Pool(ItemRange range, Items grain);
  /// One with the items 0 .. items-1.
  Pool(Items items, Items grain) : Pool(ItemRange{0, items}, grain) {}

  [[nodiscard]] Items remaining() const { return remaining_; }
  /// Descending: blocks are cut from the front of the last range.
  [[nodiscard]] std::span<const ItemRange> ranges() const { return ranges_; }

  /// Cuts a block from the first range: `want` > 0 rounded to the nearest multiple of the grain (at
  /// least one grain), at most `cap` (at least a grain), at most the range. If the rest of the
  /// range is smaller than a grain, it is added to the block where `cap` allows. Calling this on an
  /// empty pool is a bug.
  [[nodiscard]] ItemRange cut(Items want, Items cap);

  /// Takes out a range that was cut from a pool like this one; it lies in one range of the pool.
  void take(ItemRange range);

  /// Takes back a range that was cut and then lost.
  void put_back(ItemRange range);

 private:
  Items grain_ = 1;
  Items remaining_ = 0;
  std::vector<ItemRange> ranges_;  ///< disjoint, descending: the first range is at the back
};

/// The items that were accepted, as few contiguous ranges. Independent of the pool.
class Coverage {
 public:
  /// Adds an accepted block. Accepting an item twice is a bug.
  void add(ItemRange range);

  /// Whether the accepted items are those of `range`, each once.
  [[nodiscard]] bool covers(ItemRange range) const;

 private:
  std::vector<ItemRange> ranges_;  ///< disjoint, ascending; adjacent ranges are merged
};

}  // namespace equipoise
