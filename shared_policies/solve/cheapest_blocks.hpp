// A lower bound on the cost of a share, over all ways of cutting it into blocks.
#pragma once

#include <span>
#include <vector>

namespace equipoise {

/// An amount that a block of a given size takes: seconds or bytes.
struct BlockTake {
  double items = 0.0;
  double takes = 0.0;
};

/// A lower bound C(x) on the sum of f(y_i) over all divisions y_1 + ... + y_m = x, where every y_i
/// lies between the first and the last of the sizes at which f is given. f is linear between these
/// sizes.
///
///     C(x) = x min{ f(y) / y : y <= x },   because no block of a share is larger than the share
///
/// C(x) = f(x) as long as f(y) / y falls with y. C(x) is attained if x is a multiple of the size
/// with the smallest f(y) / y.
class CheapestBlocks {
 public:
  /// `takes`: ascending in items, at least one entry (otherwise a bug), items > 0, takes >= 0.
  explicit CheapestBlocks(std::span<const BlockTake> takes);

  /// The largest x with C(x) <= `limit`. 0 if even the smallest block takes more; infinite if
  /// nothing is taken at any size.
  [[nodiscard]] double within(double limit) const;
  /// The smallest f(y) / y over all sizes.
  [[nodiscard]] double per_item() const { return kinks_.back().least_per_item; }

 private:
  struct Kink {
    double items;
    double takes;
    double least_per_item;  // in blocks of up to this size
  };
  std::vector<Kink> kinks_;
};

}  // namespace equipoise
