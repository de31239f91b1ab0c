// Makes hosts and links from a recording.
#include "tools/worlds/recorded_platform.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>

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

void add_unit(PlatformDescription& platform, const Unit& unit) {
  platform.hosts.push_back(describe_unit(unit, unit.name));
  platform.routes.push_back({"RAM", unit.name, {in_link_of(unit)}});
  platform.routes.push_back({unit.name, "RAM", {out_link_of(unit)}});
}

}  // namespace

PlatformDescription recorded_platform(const std::vector<RecordedUnit>& units,
                                      const std::string& kernel, const std::string& trace_file) {
  PlatformDescription platform;
  platform.comment = fmt::format(
      "Matches {}, recorded with it: latency and bandwidth of the links are those of the copies of "
      "{}.",
      trace_file, kernel);
  platform.hosts.push_back({"RAM", {{"master", "true"}}});
  for (const RecordedUnit& unit : units) add_unit(platform, unit.unit);
  add_links(platform, units);
  return platform;
}

}  // namespace equipoise
