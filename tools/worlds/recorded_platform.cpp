// Makes hosts and links from a recording.
#include "tools/worlds/recorded_platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "real/disturbances.hpp"

namespace equipoise {
namespace {

/// A link without recorded copies costs nothing.
constexpr CopySpeed costless{Seconds{}, 1e15};

/// The devices whose units copy by themselves and share nothing but its bus: those that were
/// measured and have several units.
std::set<std::string> devices_with_a_bus(const std::vector<RecordedUnit>& units,
                                         const DeviceLinks& devices) {
  std::set<std::string> with_a_bus;
  const auto device_of = [](const RecordedUnit& unit) { return unit.unit.device; };
  for (const auto& [device, rates] : devices) {
    if (std::ranges::count(units, device, device_of) > 1) with_a_bus.insert(device);
  }
  return with_a_bus;
}

/// `unit` as if it were alone on its device: its links have its own name.
Unit alone(Unit unit) {
  unit.device.clear();
  return unit;
}

/// The first speed of the units of a device that is known.
CopySpeed speed_of(const std::vector<RecordedUnit>& units, const std::string& link,
                   std::string (*link_of)(const Unit&), std::optional<CopySpeed> CopySpeeds::*way) {
  for (const RecordedUnit& unit : units) {
    if (link_of(unit.unit) == link && unit.copies.*way) return *(unit.copies.*way);
  }
  return costless;
}

/// Adds a link for each copy direction of each device, which only its units use; and, for a device
/// with a bus, of each of its units.
void add_links(PlatformDescription& platform, const std::vector<RecordedUnit>& units,
               const DeviceLinks& devices, const std::set<std::string>& with_a_bus) {
  std::set<std::string> added;
  const auto add = [&](const std::string& id, const CopySpeed& copies) {
    if (!added.insert(id).second) return;
    platform.links.push_back({id, copies.bandwidth_bytes_per_s, copies.latency, true});
  };
  for (const RecordedUnit& unit : units) {
    const std::string in = in_link_of(unit.unit);
    const std::string out = out_link_of(unit.unit);
    if (with_a_bus.contains(unit.unit.device)) {
      const LinkRates& bus = devices.at(unit.unit.device);
      add(in, {Seconds{}, bus.in.bandwidth_bytes_per_s});
      add(out, {Seconds{}, bus.out.bandwidth_bytes_per_s});
      add(in_link_of(alone(unit.unit)), unit.copies.in.value_or(costless));
      add(out_link_of(alone(unit.unit)), unit.copies.out.value_or(costless));
      continue;
    }
    add(in, speed_of(units, in, in_link_of, &CopySpeeds::in));
    add(out, speed_of(units, out, out_link_of, &CopySpeeds::out));
  }
}

/// `of_both` is the link that copies of its device in both directions cross; empty if there is
/// none.
void add_unit(PlatformDescription& platform, const RecordedUnit& recorded,
              const std::string& of_both, bool has_bus) {
  const std::string& name = recorded.unit.name;
  const Unit own = alone(recorded.unit);
  platform.hosts.push_back(describe_unit(has_bus ? own : recorded.unit, name));
  if (recorded.gpu) describe_gpu(platform.hosts.back(), *recorded.gpu);
  const auto route = [&](const std::string& from, const std::string& to,
                         std::string (*link_of)(const Unit&)) {
    platform.routes.push_back({from, to, {}});
    std::vector<std::string>& links = platform.routes.back().links;
    if (has_bus) links.push_back(link_of(own));
    links.push_back(link_of(recorded.unit));
    if (!of_both.empty()) links.push_back(of_both);
  };
  route("RAM", name, in_link_of);
  route(name, "RAM", out_link_of);
}

}  // namespace

PlatformDescription recorded_platform(const std::vector<RecordedUnit>& units,
                                      const DeviceLinks& devices, const std::string& kernel,
                                      const std::string& trace_file) {
  PlatformDescription platform;
  platform.comment = fmt::format(
      "Matches {}, recorded with it: latency and bandwidth of the links are those of the copies of "
      "{}.",
      trace_file, kernel);
  platform.hosts.push_back({"RAM", {{"master", "true"}}});
  const std::set<std::string> with_a_bus = devices_with_a_bus(units, devices);
  for (const std::string& device : with_a_bus) {
    platform.comment += fmt::format(
        "\nThe units of {} share nothing but its bus, measured with pinned memory.", device);
  }
  std::map<std::string, std::string> of_both;
  for (const auto& [device, rates] : devices) {
    const std::optional<std::string> link = add_link_of_both(platform, device, rates);
    if (!link) continue;
    of_both.emplace(device, *link);
    platform.comment +=
        fmt::format("\nLink {}: what copies in both directions reach together, measured {}.", *link,
                    with_a_bus.contains(device) ? "with pinned memory" : "as blocks are copied");
  }
  for (const RecordedUnit& unit : units) {
    const std::string& device = unit.unit.device;
    add_unit(platform, unit, of_both[device], with_a_bus.contains(device));
  }
  add_links(platform, units, devices, with_a_bus);
  return platform;
}

}  // namespace equipoise
