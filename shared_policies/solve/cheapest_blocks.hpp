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

/// C(x): a lower bound of the least sum of f(y_i) over all y_1 + ... + y_m = x, every y_i between
/// the first and the last of the sizes at which f is given; f is linear between them.
///
///     C(x) = x min{ f(y) / y : y <= x },   because no block of a share is larger than the share
///
/// That is f(x) itself as far as an item takes less the larger its block is, and it is attained
/// wherever x is a multiple of the size of which an item takes least.
class CheapestBlocks {
 public:
  /// `takes` ascending in items, at least one (a bug otherwise), items > 0, no take negative.
  explicit CheapestBlocks(std::span<const BlockTake> takes);

  /// The largest x with C(x) <= `limit`; 0 if even the smallest block takes more; infinite where
  /// nothing is taken.
  [[nodiscard]] double within(double limit) const;
  /// What an item takes at least.
  [[nodiscard]] double per_item() const { return kinks_.back().least_per_item; }

 private:
  struct Kink {
    double items;
    double takes;
    double least_per_item;  // of blocks up to this size
  };
  std::vector<Kink> kinks_;
};

}  // namespace equipoise
