// Whole grains in proportion to weights, with an exact sum.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Divides items in proportion to weights.
struct Apportionment {
  std::span<const double> weights;   ///< (n), positive
  std::span<const Items> cap_items;  ///< (n), each at least a grain
  Items items = 0;                   ///< to be divided, > 0
  Items grain_items = 1;
};

/// Blocks (n) of whole grains that add up to `items` (rounded down to grains, at least one):
///
///     x_p = items w_p / sum w,   the largest remainders rounded up
///
/// What exceeds a cap goes to the others by their weights; where the caps hold less than `items`,
/// so does the sum. Everybody gets a grain while there are enough, the heaviest first where not:
/// who got nothing would never be heard of again. O(n log n).
/// Source: method of largest remainders.
[[nodiscard]] std::vector<Items> apportion(const Apportionment& problem);

}  // namespace equipoise
