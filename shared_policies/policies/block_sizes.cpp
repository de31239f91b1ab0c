// First blocks, shares rounded to whole grains, equal blocks, and shares that take equal times.
#include "shared_policies/policies/block_sizes.hpp"

#include <algorithm>
#include <cstddef>

#include "shared_policies/solve/equal_finish.hpp"
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

std::vector<Items> equal_blocks(Items items, Items blocks, Items grain_items) {
  std::vector<Items> sizes;
  for (; blocks > 0 && items > 0; --blocks) {
    const Items even = (items + blocks - 1) / blocks;
    sizes.push_back(std::min(items, (even + grain_items - 1) / grain_items * grain_items));
    items -= sizes.back();
  }
  return sizes;
}

std::vector<Items> equal_time_shares(std::span<const CostModel* const> costs, Items items,
                                     Items grain_items, std::span<const Items> cap_items) {
  std::vector<Items> caps(cap_items.begin(), cap_items.end());
  std::vector<double> limits(cap_items.begin(), cap_items.end());
  if (cap_items.empty()) {
    caps.assign(costs.size(), items);
    limits.assign(costs.size(), 2.0 * static_cast<double>(items));
  }
  const Split split = solve_equal_finish({costs, limits, static_cast<double>(items)});
  return round_to_sum({costs, split.items, caps, items, grain_items});
}

}  // namespace equipoise
