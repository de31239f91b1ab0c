// List scheduling of equal grains.
#include "shared_policies/policies/equipoise/list_scheduling.hpp"

#include <functional>
#include <queue>
#include <utility>

namespace equipoise {

std::vector<Items> list_schedule(std::span<const GrainCost> units, Items grains) {
  using End = std::pair<double, std::size_t>;  // when the unit would end with one more grain
  std::vector<Items> given(units.size());
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  for (std::size_t p = 0; p < units.size(); ++p) {
    if (units[p].takes_part) ends.emplace(units[p].first_end_s, p);
  }
  for (; grains > 0 && !ends.empty(); --grains) {
    const auto [end_s, first] = ends.top();
    ends.pop();
    ++given[first];
    ends.emplace(end_s + units[first].more_s, first);
  }
  return given;
}

}  // namespace equipoise
