// Block sizes: a compromise between scatter (smaller blocks) and fixed costs (larger blocks).
#include "shared_policies/policies/equipoise/next_block.hpp"

#include <algorithm>

namespace equipoise {

NextBlock::NextBlock(const BlockSizing& sizing, double run_s, bool overlap)
    : sizing_(sizing), run_s_(run_s) {
  if (overlap) sizing_.slack *= sizing_.overlap;
}

double NextBlock::items(const RunningCost& cost, double left_s, double cap_items,
                        double hidden_s) const {
  const double limit = std::min(cap_items, cost.most_items(sizing_.growth));
  if (left_s <= last_block_s(cost)) return cost.items_within(left_s, limit);
  const double safe_s = sizing_.slack * left_s / (1.0 + sizing_.cushion * cost.relative_sd());
  const double efficient_s = std::min(fixed_s(cost) / sizing_.overhead, 0.5 * left_s);
  return cost.items_within(std::max(std::min(safe_s, hidden_s), efficient_s), limit);
}

double NextBlock::last_block_s(const RunningCost& cost) const {
  return 2.0 * fixed_s(cost) / (sizing_.caution * cost.relative_sd());
}

double NextBlock::fixed_s(const RunningCost& cost) const {
  return std::max(cost.surely_fixed_s(), negligible_share * run_s_);
}

}  // namespace equipoise
