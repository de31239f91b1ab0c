// List scheduling of equal grains.
#include "shared_policies/policies/equipoise/list_scheduling.hpp"

namespace equipoise {

std::vector<Items> list_schedule(std::span<const GrainCost> units, Items grains) {
  std::vector<Items> given(units.size());
  std::vector<double> end_s;
  for (const GrainCost& unit : units) end_s.push_back(unit.first_end_s);
  for (; grains > 0; --grains) {
    std::size_t first = units.size();
    for (std::size_t p = 0; p < units.size(); ++p) {
      if (!units[p].takes_part) continue;
      if (first == units.size() || end_s[p] < end_s[first]) first = p;
    }
    if (first == units.size()) return given;
    ++given[first];
    end_s[first] += units[first].more_s;
  }
  return given;
}

}  // namespace equipoise
