// Rounds shares to whole grains with an exact sum: by costs, or by largest remainders.
#include "shared_policies/solve/integer_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "shared_policies/solve/equal_finish.hpp"

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

namespace {

/// Real-valued quotas in grains, min(cap_p, max(1, lambda w_p)), that add up to `grains` >= n. Each
/// unit has its first grain; the rest is divided along cost lines.
std::vector<double> quotas(std::span<const double> weights, const std::vector<Items>& caps,
                           Items grains) {
  const std::size_t n = weights.size();
  std::vector<CostLine> lines;
  for (std::size_t p = 0; p < n; ++p) {
    lines.push_back({1.0 / weights[p], -1.0 / weights[p], static_cast<double>(caps[p] - 1)});
  }
  std::vector<double> list =
      divide_by_lines(lines, static_cast<double>(grains) - static_cast<double>(n));
  for (double& quota : list) quota += 1.0;
  return list;
}

/// The units in descending order of `key`.
std::vector<std::size_t> descending(std::span<const double> key) {
  std::vector<std::size_t> order(key.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key[a] > key[b]; });
  return order;
}

}  // namespace

std::vector<Items> apportion(const Apportionment& problem) {
  const std::size_t n = problem.weights.size();
  std::vector<Items> caps;
  for (const Items cap : problem.cap_items) caps.push_back(cap / problem.grain_items);
  Items left = std::min(std::max<Items>(1, problem.items / problem.grain_items),
                        std::reduce(caps.begin(), caps.end()));
  std::vector<Items> blocks(n, 0);
  std::vector<double> remainders(problem.weights.begin(), problem.weights.end());
  if (left >= static_cast<Items>(n)) {
    remainders = quotas(problem.weights, caps, left);
    for (std::size_t p = 0; p < n; ++p) {
      blocks[p] = std::min(static_cast<Items>(remainders[p] * (1.0 + 1e-12)), caps[p]);
      remainders[p] -= static_cast<double>(blocks[p]);
      left -= blocks[p];
    }
  }
  const std::vector<std::size_t> order = descending(remainders);
  for (std::size_t i = 0; left > 0; i = (i + 1) % n) {
    if (blocks[order[i]] < caps[order[i]]) {
      ++blocks[order[i]];
      --left;
    }
  }
  for (Items& block : blocks) block *= problem.grain_items;
  return blocks;
}

}  // namespace equipoise
