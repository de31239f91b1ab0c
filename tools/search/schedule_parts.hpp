// A compact description of a schedule for one iteration, and the blocks that it describes.
#pragma once

#include <compare>
#include <cstddef>
#include <span>
#include <vector>

#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/policies/catalog.hpp"

namespace equipoise {

/// The work of one unit in an iteration.
struct Part {
  double share_items = 0.0;
  Items blocks = 1;  ///< number of equal blocks
  int front = 0;     ///< how often the first block is halved: s/4, s/4, s/2 for 2
  int back = 0;      ///< how often the last block is halved, in the reverse order
  auto operator<=>(const Part&) const = default;
};

using Parts = std::vector<Part>;  // (n)

/// The blocks of every unit (n), in order. The shares are rounded to whole grains that add up to
/// all items, and are cut into blocks that fit the unit's memory. A share of less than a grain may
/// get no block.
[[nodiscard]] BlockLists::value_type blocks_of(const Parts& parts, const Workload& workload,
                                               std::span<const Unit> units);

/// As how many evaluations simulating an iteration of these parts `iterations` times counts: one
/// for every hundred thousand blocks that are begun.
[[nodiscard]] std::size_t evaluations_of(const Parts& parts, int iterations);

}  // namespace equipoise
