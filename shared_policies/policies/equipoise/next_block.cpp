// Chooses block sizes as a compromise between scatter (smaller blocks) and fixed costs (larger
// blocks).
#include "shared_policies/policies/equipoise/next_block.hpp"

#include <algorithm>

namespace equipoise {
namespace {

/// The least fixed cost assumed for a block, as a share of the run: saving less than this does not
/// shorten the run noticeably.
constexpr double negligible_share = 1e-4;
constexpr double overlap_slack = 0.5;
constexpr double overlap_growth = 5.0;
constexpr int most_halvings = 8;
constexpr double scatter_share = 0.3;  // a gain must exceed this share of the scatter

}  // namespace

NextBlock::NextBlock(const BlockSizing& sizing, double run_s, bool overlap)
    : sizing_(sizing), run_s_(run_s) {
  if (!overlap) return;
  sizing_.slack *= overlap_slack;
  sizing_.growth = std::min(sizing_.growth, overlap_growth);
}

double NextBlock::items(const RunningCost& cost, double left_s, double cap_items) const {
  const double limit = std::min(cap_items, sizing_.growth * cost.largest_items());
  if (left_s <= last_block_s(cost)) return cost.items_within(left_s, limit);
  const double safe_s = sizing_.slack * left_s / (1.0 + sizing_.cushion * cost.relative_sd());
  const double efficient_s = std::min(fixed_s(cost) / sizing_.overhead, 0.5 * left_s);
  return cheapest(cost, cost.items_within(std::max(safe_s, efficient_s), limit));
}

double NextBlock::last_block_s(const RunningCost& cost) const {
  return 2.0 * fixed_s(cost) / (sizing_.caution * cost.relative_sd());
}

double NextBlock::fixed_s(const RunningCost& cost) const {
  return std::max(cost.surely_fixed_s(), negligible_share * run_s_);
}

/// Starts with `items` and halves it repeatedly; returns the last size that was noticeably cheaper
/// per item than the best size before it.
double NextBlock::cheapest(const RunningCost& cost, double items) const {
  double best = items;
  double best_s = cost.seconds(items) / items;
  const double gain = sizing_.gain + scatter_share * cost.relative_sd();
  for (int halvings = 0; halvings < most_halvings && items > 1.0; ++halvings) {
    items *= 0.5;
    const double item_s = cost.seconds(items) / items;
    if (item_s < best_s * (1.0 - gain)) {
      best = items;
      best_s = item_s;
    }
  }
  return best;
}

}  // namespace equipoise
