// The size of the first block, and shares rounded to whole grains.
#include "shared_policies/policies/block_sizes.hpp"

#include <algorithm>
#include <cstddef>

#include "shared_policies/solve/integer_rounding.hpp"

namespace equipoise {

Items initial_block(const View& view, std::optional<Items> given) {
  if (given) return *given;
  const Workload& workload = view.workload();
  const double share = 0.10 * static_cast<double>(workload.items) /
                       (15.0 * static_cast<double>(view.units().size()));
  const Items rounded =
      nearest_block(share, workload.grain_items, workload.items + workload.grain_items);
  return std::max(rounded, workload.grain_items);
}

std::vector<Items> whole_blocks(const View& view, std::span<const double> shares_items) {
  const Items grain = view.workload().grain_items;
  std::vector<Items> blocks;
  for (const UnitState& unit : view.units()) {
    blocks.push_back(nearest_block(shares_items[unit.id.index], grain, unit.cap_items));
  }
  const auto most = std::max_element(shares_items.begin(), shares_items.end());
  const auto none = [](Items items) { return items == 0; };
  if (*most > 0.0 && std::all_of(blocks.begin(), blocks.end(), none)) {
    blocks[static_cast<std::size_t>(most - shares_items.begin())] = grain;
  }
  return blocks;
}

}  // namespace equipoise
