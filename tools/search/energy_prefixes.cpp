// Orders groups of units by dynamic energy per item.
#include "tools/search/energy_prefixes.hpp"

#include <algorithm>

namespace equipoise {

std::vector<std::vector<double>> energy_prefixes(
    const SimWorld& world, const std::vector<std::vector<std::size_t>>& groups) {
  const KnownCosts known = known_costs(world, world.inputs->traces);
  const Workload& workload = world.setup.phases.back();
  const std::size_t n = world.units.size();
  const double even = std::max(1.0, static_cast<double>(workload.items) / static_cast<double>(n));
  std::vector<double> items_per_s(n);
  std::vector<double> per_item_j(n);
  for (std::size_t p = 0; p < n; ++p) {
    const Unit& unit = world.units[p];
    const CostModel& cost = *known.phases[world.setup.phases.size() - 1][p];
    items_per_s[p] = even / cost.at(even).seconds;
    per_item_j[p] = (*unit.busy_w - *unit.idle_w) * cost.computing_s(even) / even;
  }
  std::vector<std::vector<std::size_t>> order = groups;
  std::ranges::stable_sort(
      order, {}, [&](const std::vector<std::size_t>& group) { return per_item_j[group.front()]; });
  std::vector<std::vector<double>> prefixes;
  std::vector<double> shares(n, 0.0);
  const std::size_t count = std::min(order.size(), most_prefixes);
  for (std::size_t g = 0; g < order.size(); ++g) {
    for (const std::size_t p : order[g]) shares[p] = items_per_s[p];
    if ((g + 1) * count / order.size() > prefixes.size()) prefixes.push_back(shares);
  }
  return prefixes;
}

}  // namespace equipoise
