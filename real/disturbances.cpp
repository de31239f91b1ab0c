// Finds out when a scenario makes units leave and come back, and starts its loads.
#include "real/disturbances.hpp"

#include <algorithm>
#include <tuple>

namespace equipoise {

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

void RunLoads::start(const Scenario& scenario, const std::vector<UnitSpec>& units,
                     const std::vector<std::vector<int>>& cores, const Clock& clock) {
  for (const Disturbance& event : scenario.events) {
    if (event.kind != DisturbanceKind::compete || event.amount <= 0.0) continue;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      if (units[unit].unit.name != event.target) continue;
      auto load = units[unit].factory->make_load(clock, event, cores[unit]);
      if (load) loads_.emplace_back(&event, std::move(load));
    }
  }
}

void RunLoads::tell(Seconds now,
                    const std::function<void(const Disturbance&, double share)>& of) const {
  for (const auto& [event, load] : loads_) {
    if (event->at < now) of(*event, load->share());
  }
}

}  // namespace equipoise
