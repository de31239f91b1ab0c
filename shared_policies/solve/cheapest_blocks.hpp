// The least that any way of cutting a share into blocks can take.
#pragma once

#include <span>
#include <vector>

namespace equipoise {

/// Something that a block of a given size takes: seconds or bytes.
struct BlockTake {
  double items = 0.0;
  double takes = 0.0;
};

/// C(x): a convex lower bound of the least sum of f(y_i) over all y_1 + ... + y_m = x, every y_i
/// between the first and the last of the sizes at which f is given; f is linear between them.
///
///     C(x) = h(x) for x <= y*,   x h(y*) / y* beyond,
///
/// h the lower convex hull of f and y* the size where h(y) / y is smallest: that is the least of
/// m h(x / m) over real m >= 1, attained wherever x is a multiple of y*.
class CheapestBlocks {
 public:
  /// `takes` ascending in items, at least one (a bug otherwise), items > 0, no take negative.
  explicit CheapestBlocks(std::span<const BlockTake> takes);

  /// The largest x with C(x) <= `limit`; 0 if even the cheapest block takes more; infinite where
  /// nothing is taken.
  [[nodiscard]] double within(double limit) const;
  /// h(y*) / y*: what an item takes at least.
  [[nodiscard]] double per_item() const;

 private:
  std::vector<BlockTake> hull_;  // up to y*
};

}  // namespace equipoise
