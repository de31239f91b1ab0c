// Makes hosts and links from a recording.
#include "tools/worlds/recorded_platform.hpp"

#include <fmt/format.h>

#include "real/disturbances.hpp"

namespace equipoise {
namespace {

/// Adds one link for each copy direction of the unit; a direction without copies gets a link
/// without cost. No other unit uses these links.
void add_unit(PlatformDescription& platform, const RecordedUnit& recorded) {
  const std::string& name = recorded.unit.name;
  platform.hosts.push_back(describe_unit(recorded.unit, name));
  constexpr double costless_bytes_per_s = 1e15;
  const auto link = [&](const std::string& from, const std::string& to, const std::string& id,
                        const std::optional<CopySpeed>& speed) {
    const CopySpeed copies = speed.value_or(CopySpeed{Seconds{}, costless_bytes_per_s});
    platform.links.push_back({id, copies.bandwidth_bytes_per_s, copies.latency, true});
    platform.routes.push_back({from, to, {id}});
  };
  link("RAM", name, in_link_of(recorded.unit), recorded.copies.in);
  link(name, "RAM", out_link_of(recorded.unit), recorded.copies.out);
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
  for (const RecordedUnit& unit : units) add_unit(platform, unit);
  return platform;
}

}  // namespace equipoise
