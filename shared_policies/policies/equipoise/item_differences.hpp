// Whether items cost more in some places than in others, as the times of blocks show.
#pragma once

#include <optional>

#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// Blocks that end one after the other lie near each other. Where items are alike, what one of them
/// took beyond the expected says nothing about the next one, on another unit: the products e e' of
/// their errors have mean 0, however much times scatter. If dear items lie together, both took too
/// long. An error is the logarithm of the ratio of a block's time to the expected one, at most 1
/// and at least -1. Items are said to differ once
///
///     sum(e e') > 3 sqrt(sum((e e')^2))   and   sum(e e') > 0.1^2 n
///
/// over n >= 8 pairs: beyond chance, and by a tenth of the time at least. It stays said. What slows
/// all units at once counts, too. Source: ours.
class ItemDifferences {
 public:
  /// To be called in the order in which blocks end, with those whose size is known.
  void add(UnitId unit, double log_ratio);

  [[nodiscard]] bool are_found() const { return are_found_; }

 private:
  struct Error {
    UnitId unit;
    double log_ratio = 0.0;
  };

  bool are_found_ = false;
  std::optional<Error> last_;
  double pairs_ = 0.0;
  double products_ = 0.0;  ///< sum of e e'
  double squares_ = 0.0;   ///< sum of (e e')^2
};

}  // namespace equipoise
