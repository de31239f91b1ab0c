// Apportionment by largest remainders: quotas, rounded down, then the remaining grains.
#include "shared_policies/solve/apportion.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "shared_policies/solve/line_finish.hpp"

namespace equipoise {
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
