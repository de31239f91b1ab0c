// Divides items into whole grains in proportion to weights, with an exact sum.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// The division problem: n units with weights and caps.
struct Apportionment {
  std::span<const double> weights;   ///< (n), positive
  std::span<const Items> cap_items;  ///< (n), each at least a grain
  Items items = 0;                   ///< number of items to divide, > 0
  Items grain_items = 1;
};

/// Returns blocks (n) of whole grains that add up to `items` (rounded down to grains, at least
/// one):
///
///     x_p = items w_p / sum w,   the largest remainders rounded up
///
/// What exceeds a cap goes to the other units by their weights. If the caps sum to less than
/// `items`, so do the blocks. Every unit gets at least one grain if there are enough, otherwise the
/// units with the largest weights do: a unit without a block would never report an event again. O(n
/// log n).
/// Source: method of largest remainders.
[[nodiscard]] std::vector<Items> apportion(const Apportionment& problem);

}  // namespace equipoise
