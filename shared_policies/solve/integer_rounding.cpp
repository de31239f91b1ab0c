// Rounds shares to whole grains with an exact sum.
#include "shared_policies/solve/integer_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <queue>
#include <utility>

namespace equipoise {

std::vector<Items> round_to_sum(const RoundingProblem& problem) {
  const Items grain = problem.grain_items;
  const std::size_t n = problem.costs.size();
  std::vector<Items> blocks(n, 0);
  Items left = problem.items;
  for (std::size_t p = 0; p < n; ++p) {
    const double share = std::min(problem.shares_items[p],
                                  static_cast<double>(std::min(problem.cap_items[p], left)));
    blocks[p] = static_cast<Items>(std::floor(share / static_cast<double>(grain))) * grain;
    left -= blocks[p];
  }
  using Next = std::pair<double, std::size_t>;  // cost with one more grain, unit
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
  const auto offer = [&](std::size_t p) {
    const Items more = blocks[p] + std::min(grain, left);
    if (more <= problem.cap_items[p]) {
      queue.emplace(problem.costs[p]->at(static_cast<double>(more)).seconds, p);
    }
  };
  for (std::size_t p = 0; p < n && left > 0; ++p) offer(p);
  while (left > 0 && !queue.empty()) {
    const std::size_t p = queue.top().second;
    queue.pop();
    const Items more = std::min(grain, left);
    blocks[p] += more;
    left -= more;
    offer(p);
  }
  return blocks;
}

Items nearest_block(double share_items, Items grain_items, Items cap_items) {
  const double grains = std::floor(share_items / static_cast<double>(grain_items) + 0.5);
  const Items most = cap_items / grain_items;
  return grains >= static_cast<double>(most) ? most * grain_items
                                             : static_cast<Items>(grains) * grain_items;
}

}  // namespace equipoise
