// Lists the changes of each link and unit.
#include "sim/machine_changes.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "shared_policies/machine/disturbed_platform.hpp"

namespace equipoise {

std::vector<MachineChange> machine_changes(const Scenario& scenario, const Platform& platform) {
  std::vector<MachineChange> changes;
  const DisturbedPlatform world(platform, scenario);
  for (std::size_t link = 0; link < platform.links.size(); ++link) {
    const StepFunction& bandwidth = world.link_bytes_per_s[link];
    const auto index = static_cast<std::uint32_t>(link);
    if (bandwidth.at(Seconds{}) != platform.links[link].bandwidth_bytes_per_s) {
      changes.push_back({Seconds{}, ChangeKind::bandwidth, index, bandwidth.at(Seconds{})});
    }
    for (const Seconds at : bandwidth.changes()) {
      changes.push_back({at, ChangeKind::bandwidth, index, bandwidth.at(at)});
    }
  }
  for (std::size_t unit = 0; unit < platform.units.size(); ++unit) {
    const Presence presence = scenario.presence_of(platform.units[unit].unit.name);
    for (const PresenceChange& change : presence.changes) {
      const ChangeKind kind = change.present ? ChangeKind::join : ChangeKind::loss;
      changes.push_back({change.at, kind, static_cast<std::uint32_t>(unit), 0.0});
    }
  }
  std::sort(changes.begin(), changes.end(), [](const MachineChange& a, const MachineChange& b) {
    return std::tie(a.at, a.kind, a.index) < std::tie(b.at, b.kind, b.index);
  });
  return changes;
}

}  // namespace equipoise
