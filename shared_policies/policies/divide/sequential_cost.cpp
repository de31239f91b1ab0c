// Finds the cheapest block size.
#include "shared_policies/policies/divide/sequential_cost.hpp"

#include <algorithm>
#include <cmath>

namespace equipoise {
namespace {

constexpr int grid_points = 128;

double per_item(const CostModel& cost, double items) { return cost.at(items).seconds / items; }

/// Golden-section search between the two neighbours of the best grid point.
double refine(const CostModel& cost, double low, double high) {
  const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
  while (high - low > 1e-9 * high) {
    const double left = high - golden * (high - low);
    const double right = low + golden * (high - low);
    if (per_item(cost, left) <= per_item(cost, right)) {
      high = right;
    } else {
      low = left;
    }
  }
  return 0.5 * (low + high);
}

}  // namespace

double cheapest_block(const CostModel& cost, double low_items, double high_items) {
  if (!(low_items < high_items)) return high_items;
  const double ratio = std::pow(high_items / low_items, 1.0 / (grid_points - 1));
  const auto size = [&](int k) {
    return k + 1 >= grid_points ? high_items : low_items * std::pow(ratio, k);
  };
  int best = grid_points - 1;
  for (int k = grid_points - 2; k >= 0; --k) {
    // If costs are equal, the larger block is chosen: proportional costs are not cut into blocks.
    if (per_item(cost, size(k)) < per_item(cost, size(best)) * (1.0 - 1e-9)) best = k;
  }
  if (best == 0 || best == grid_points - 1) return size(best);
  const double refined = refine(cost, size(best - 1), size(best + 1));
  return per_item(cost, refined) < per_item(cost, size(best)) ? refined : size(best);
}

Items cheapest_count(const CostModel& cost, Items items, Items grain_items, Items cap_items) {
  const Items most = std::max<Items>(1, items / grain_items);
  const Items least = std::min(most, (items + cap_items - 1) / cap_items);
  const double block = cheapest_block(cost, static_cast<double>(grain_items),
                                      static_cast<double>(std::min(items, cap_items)));
  const double ideal = static_cast<double>(items) / block;
  Items best = least;
  const auto total_s = [&](Items count) {
    const double even = static_cast<double>(items) / static_cast<double>(count);
    return static_cast<double>(count) * cost.at(even).seconds;
  };
  for (const double near : {std::floor(ideal), std::ceil(ideal)}) {
    const Items count = std::clamp(static_cast<Items>(near), least, most);
    if (total_s(count) < total_s(best) * (1.0 - 1e-12)) best = count;
  }
  return best;
}

}  // namespace equipoise
