// Reads rates and changes off the scenario, and draws off the seed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <utility>

#include "shared_policies/machine/resident_data.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "sim/simulated_machine.hpp"

namespace equipoise {

namespace {

/// Of `links`, those that are not among `shared`.
std::vector<std::uint32_t> without(const std::vector<std::uint32_t>& links,
                                   const std::vector<std::uint32_t>& shared) {
  std::vector<std::uint32_t> rest;
  std::ranges::copy_if(links, std::back_inserter(rest),
                       [&](std::uint32_t link) { return std::ranges::count(shared, link) == 0; });
  return rest;
}

/// The links that the routes of all `units` have, in the order of the first.
std::vector<std::uint32_t> common_links(const Platform& platform, const std::vector<UnitId>& units,
                                        Route PlatformUnit::*way) {
  std::vector<std::uint32_t> common = (platform.units[units.front().index].*way).links;
  for (const UnitId unit : units) {
    const std::vector<std::uint32_t>& own = (platform.units[unit.index].*way).links;
    common = without(common, without(common, own));
  }
  return common;
}

/// The units of the platform, as policies know them.
std::vector<Unit> units_of(const Platform& platform) {
  std::vector<Unit> units;
  for (const PlatformUnit& unit : platform.units) units.push_back(unit.unit);
  return units;
}

/// The unit to which the fewest links lead.
UnitId nearest(const Platform& platform, const std::vector<UnitId>& units) {
  return *std::ranges::min_element(
      units, {}, [&](UnitId unit) { return platform.units[unit.index].in.links.size(); });
}

}  // namespace

SimSetup with_nodes(SimSetup setup) {
  Platform& platform = setup.platform;
  for (const NodeOfRun& node : setup.nodes) {
    const UnitId gate = nearest(platform, node.units);
    PlatformUnit as_unit{node.unit, platform.units[gate.index].trace_unit, {}, {}};
    as_unit.host = platform.units[gate.index].unit.name;
    if (node.unit.is_remote) {
      as_unit.in.links = common_links(platform, node.units, &PlatformUnit::in);
      as_unit.out.links = common_links(platform, node.units, &PlatformUnit::out);
    }
    const std::vector<Unit> units = node.units_of(units_of(platform));
    for (std::size_t i = 0; i < node.units.size(); ++i) {
      PlatformUnit& unit = platform.units[node.units[i].index];
      unit.unit = units[i];
      unit.is_in_node = node.unit.is_remote;
      if (!node.unit.is_remote) continue;
      unit.in.links = without(unit.in.links, as_unit.in.links);
      unit.out.links = without(unit.out.links, as_unit.out.links);
    }
    for (auto& timing : setup.timing) timing.push_back(timing[gate.index]);
    for (PhaseCosts& costs : setup.costs) {
      if (!costs.unit_dispatch.empty()) {
        costs.unit_dispatch.push_back(costs.unit_dispatch[gate.index]);
        if (node.unit.is_remote) {
          for (const UnitId unit : node.units) costs.unit_dispatch[unit.index] = costs.dispatch;
        }
      }
      if (!costs.unit_copies.empty()) costs.unit_copies.emplace_back();
    }
    platform.units.push_back(std::move(as_unit));
  }
  return setup;
}

std::vector<SimulatedUnit> simulated_units(const SimSetup& setup) {
  const DisturbedPlatform world(setup.platform, setup.scenario);
  std::vector<SimulatedUnit> units;
  for (const PlatformUnit& unit : setup.platform.units) {
    const std::string& name = unit.unit.name;
    SimulatedUnit& simulated = units.emplace_back();
    simulated.index = static_cast<std::uint32_t>(units.size() - 1);
    simulated.speed = setup.scenario.speed_of(name);
    simulated.in = world.copy_rate_of(unit, unit.in);
    simulated.out = world.copy_rate_of(unit, unit.out);
    simulated.is_present = setup.scenario.presence_of(name).at_start;
    for (const Workload& phase : setup.phases) {
      const DrawKey key{setup.seed, setup.repetition, name, phase.kernel};
      simulated.phases.push_back({DrawnTimes(key), items_in_memory(unit.unit, phase), {}, {}});
    }
  }
  for (std::size_t phase = 0; phase < setup.phases.size(); ++phase) {
    const auto streams = resident_streams(setup.platform, setup.phases[phase]);
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      if (!streams[unit]) continue;
      units[unit].phases[phase].stream = streams[unit];
      units[unit].phases[phase].stream_rate = world.rate_of(streams[unit]->bus);
    }
  }
  for (const RemoteNode& node : sharing_nodes(setup.platform)) {
    for (const UnitId unit : node.units) {
      units[unit.index].from_node = speed_from_node(setup.platform, node, unit);
    }
  }
  return units;
}

Seconds SimulatedUnit::stream_time(const PipelinedBlock& block, Seconds begin) const {
  const UnitOfPhase& phase = phases[static_cast<std::size_t>(block.block.phase)];
  if (!phase.stream) return {};
  return disturbed_copy(phase.stream->speed, 1, phase.stream_rate, begin, block.stream);
}

PipelinedBlock work_of(const Block& block, const HandedOut& how, const SimSetup& setup,
                       SimulatedUnit& unit) {
  const auto phase = static_cast<std::size_t>(block.phase);
  const Workload& workload = setup.phases[phase];
  const BlockTiming& timing = setup.timing[phase][unit.index];
  const PhaseCosts& costs = setup.costs[phase];
  const auto items = static_cast<double>(block.items);

  const Seconds under = under_way(costs.dispatch_of(unit.index), costs.controller);
  PipelinedBlock work{block, how.asked, how.at + under};
  work.room_items = unit.phases[phase].room_items;
  const std::optional<ResidentStream>& stream = unit.phases[phase].stream;
  if (stream) work.stream = stream->time(items);
  add_setup(work, how.data, costs.first_use, workload, unit.copies, stream);
  add_copies(work, timing, workload, unit.copies);
  if (!costs.unit_copies.empty()) {
    const CopyWork& copies = costs.unit_copies[unit.index];
    work.in_core = copies.of(work.in_bytes, work.alone.in);
    work.out_core = copies.of(work.out_bytes, work.alone.out);
  }
  const std::uint64_t ordinal = unit.ordinal++;
  const double cost = work_of(costs.items, block);
  work.alone.compute =
      setup.noise ? unit.phases[phase].draw.next(timing, cost, ordinal) : timing.mean(cost);
  return work;
}

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
