// Starts the loads of a scenario on the units that are its targets.
#include "real/run_loads.hpp"

namespace equipoise {

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
