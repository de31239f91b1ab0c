// Converts shares to whole grains, and divides them into blocks that get smaller towards both ends.
#include "tools/search/schedule_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace equipoise {
namespace {

/// The sizes of a block after repeated halving: s/2^k, s/2^k, s/2^(k-1), ..., s/2.
std::vector<double> halves(double items, int halvings) {
  std::vector<double> sizes;
  for (int i = 0; i < halvings; ++i) {
    items *= 0.5;
    sizes.push_back(items);
  }
  sizes.push_back(items);
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

/// Rounds the shares to whole grains that add up to all items.
std::vector<Items> whole_shares(const Parts& parts, const Workload& workload) {
  const auto grain = static_cast<double>(workload.grain_items);
  const Items grains_in_all = (workload.items + workload.grain_items - 1) / workload.grain_items;
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0,
                                     [](double s, const Part& p) { return s + p.share_items; });
  std::vector<Items> grains;
  std::vector<std::pair<double, std::size_t>> rests;
  Items given = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const double exact =
        sum > 0.0 ? parts[p].share_items / sum * static_cast<double>(workload.items) / grain : 0.0;
    grains.push_back(static_cast<Items>(exact));
    given += grains.back();
    rests.emplace_back(std::floor(exact) - exact, p);
  }
  std::sort(rests.begin(), rests.end());
  for (std::size_t i = 0; given < grains_in_all; i = (i + 1) % rests.size(), ++given) {
    ++grains[rests[i].second];
  }
  return grains;
}

}  // namespace

BlockLists::value_type blocks_of(const Parts& parts, const Workload& workload,
                                 std::span<const Unit> units) {
  const std::vector<Items> grains = whole_shares(parts, workload);
  BlockLists::value_type blocks(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (grains[p] == 0) continue;
    const Part& part = parts[p];
    const auto share = static_cast<double>(grains[p]);
    const Items most = std::max<Items>(1, largest_block(units[p], workload) / workload.grain_items);
    const Items count = std::clamp<Items>(part.blocks, (grains[p] + most - 1) / most, grains[p]);
    std::vector<double> sizes(static_cast<std::size_t>(count), share / static_cast<double>(count));
    const std::vector<double> last = halves(sizes.back(), part.back);
    sizes.pop_back();
    sizes.insert(sizes.end(), last.rbegin(), last.rend());
    const std::vector<double> first = halves(sizes.front(), part.front);
    sizes.erase(sizes.begin());
    sizes.insert(sizes.begin(), first.begin(), first.end());
    double exact = 0.0;
    Items given = 0;
    for (const double size : sizes) {
      exact += size;
      const auto until = std::min(grains[p], static_cast<Items>(std::llround(exact)));
      if (until > given) blocks[p].push_back((until - given) * workload.grain_items);
      given = std::max(given, until);
    }
  }
  return blocks;
}

std::size_t evaluations_of(const Parts& parts, int iterations) {
  constexpr Items blocks_of_an_evaluation = 100'000;
  Items blocks = 0;
  for (const Part& part : parts) {
    if (part.share_items > 0.0) blocks += part.blocks;
  }
  return 1 + static_cast<std::size_t>(blocks * iterations / blocks_of_an_evaluation);
}

}  // namespace equipoise
