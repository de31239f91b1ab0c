// Finds out when a scenario makes units leave and come back.
#include "real/disturbances.hpp"

#include <algorithm>
#include <tuple>

namespace equipoise {

UnitRates rates_of(const UnitSpec& spec, const Scenario& scenario) {
  return spec.factory->rates(spec.unit, spec.slowdown, scenario);
}

std::vector<UnitChange> unit_changes(std::span<const UnitSpec> units, const Scenario& scenario) {
  std::vector<UnitChange> changes;
  for (std::uint32_t i = 0; i < units.size(); ++i) {
    for (const PresenceChange& change : scenario.presence_of(units[i].unit.name).changes) {
      changes.push_back({change.at, UnitId{i}, change.present});
    }
  }
  std::ranges::sort(changes, [](const UnitChange& a, const UnitChange& b) {
    return std::tie(a.at, a.present, a.unit) < std::tie(b.at, b.present, b.unit);
  });
  return changes;
}

}  // namespace equipoise
