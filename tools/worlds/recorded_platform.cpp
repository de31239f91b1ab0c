// Makes hosts and links from a recording.
#include "tools/worlds/recorded_platform.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "real/disturbances.hpp"

namespace equipoise {
namespace {

/// The first speed of the units of a device that is known; without one, its link costs nothing.
CopySpeed speed_of(const std::vector<RecordedUnit>& units, const std::string& link,
                   std::string (*link_of)(const Unit&), std::optional<CopySpeed> CopySpeeds::*way) {
  for (const RecordedUnit& unit : units) {
    if (link_of(unit.unit) == link && unit.copies.*way) return *(unit.copies.*way);
  }
  constexpr double costless_bytes_per_s = 1e15;
  return {Seconds{}, costless_bytes_per_s};
}

/// Adds a link for each copy direction of each device, which only its units use.
void add_links(PlatformDescription& platform, const std::vector<RecordedUnit>& units) {
  std::set<std::string> added;
  const auto add = [&](const std::string& id, const CopySpeed& copies) {
    if (!added.insert(id).second) return;
    platform.links.push_back({id, copies.bandwidth_bytes_per_s, copies.latency, true});
  };
  for (const RecordedUnit& unit : units) {
    const std::string in = in_link_of(unit.unit);
    const std::string out = out_link_of(unit.unit);
    add(in, speed_of(units, in, in_link_of, &CopySpeeds::in));
    add(out, speed_of(units, out, out_link_of, &CopySpeeds::out));
  }
}

/// `of_both` is the link that copies of its device in both directions cross; empty if there is none.
void add_unit(PlatformDescription& platform, const RecordedUnit& recorded,
              const std::string& of_both) {
  const std::string& name = recorded.unit.name;
  platform.hosts.push_back(describe_unit(recorded.unit, name));
  if (recorded.gpu) describe_gpu(platform.hosts.back(), *recorded.gpu);
  const auto route = [&](const std::string& from, const std::string& to, const std::string& link) {
    platform.routes.push_back({from, to, {link}});
    if (!of_both.empty()) platform.routes.back().links.push_back(of_both);
  };
  route("RAM", name, in_link_of(recorded.unit));
  route(name, "RAM", out_link_of(recorded.unit));
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
  std::map<std::string, std::string> of_both;
  for (const auto& [device, rates] : devices) {
    const std::optional<std::string> link = add_link_of_both(platform, device, rates);
    if (!link) continue;
    of_both.emplace(device, *link);
    platform.comment += fmt::format(
        "\nLink {}: what copies in both directions reach together, measured as blocks are copied.",
        *link);
  }
  for (const RecordedUnit& unit : units) add_unit(platform, unit, of_both[unit.unit.device]);
  add_links(platform, units);
  return platform;
}

}  // namespace equipoise
