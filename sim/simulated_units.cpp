// Reads rates off the scenario and draws off the seed.
#include "sim/simulated_units.hpp"

#include <utility>

#include "shared_policies/machine/disturbed_platform.hpp"

namespace equipoise {

std::vector<SimulatedUnit> simulated_units(const SimSetup& setup) {
  const DisturbedPlatform world(setup.platform, setup.scenario);
  std::vector<SimulatedUnit> units;
  for (const PlatformUnit& unit : setup.platform.units) {
    const std::string& name = unit.unit.name;
    SimulatedUnit simulated{setup.scenario.speed_of(name),
                            world.copy_rate_of(unit, unit.in),
                            world.copy_rate_of(unit, unit.out),
                            setup.scenario.presence_of(name).at_start,
                            0,
                            {}};
    for (const Workload& phase : setup.phases) {
      const DrawKey key{setup.seed, setup.repetition, name, phase.kernel};
      simulated.phases.push_back({Draw(key), items_in_memory(unit.unit, phase)});
    }
    units.push_back(std::move(simulated));
  }
  return units;
}

}  // namespace equipoise
