// A schedule of one iteration in few numbers a unit, and the blocks that they stand for.
#pragma once

#include <compare>
#include <span>
#include <vector>

#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/policies/catalog.hpp"

namespace equipoise {

/// What one unit does in an iteration.
struct Part {
  double share_items = 0.0;
  Items blocks = 1;  ///< equal ones
  int front = 0;     ///< the first is halved this often: s/4, s/4, s/2 for 2
  int back = 0;      ///< the last as well, the other way round
  auto operator<=>(const Part&) const = default;
};

using Parts = std::vector<Part>;  // (n)

/// The blocks of every unit (n), in order: shares in whole grains that add up to all items, cut
/// into blocks that memory holds; a share of less than a grain may get none.
[[nodiscard]] BlockLists::value_type blocks_of(const Parts& parts, const Workload& workload,
                                               std::span<const Unit> units);

}  // namespace equipoise
