// Writes platform files.
#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "platforms/platform_file.hpp"
#include "shared_policies/text/printable_text.hpp"

namespace equipoise {
namespace {

/// Hosts that follow one another and get a zone of their own, with the rest of their routes.
struct HostGroup {
  std::size_t begin = 0;  ///< positions in PlatformDescription::hosts
  std::size_t end = 0;
  std::string first_in;  ///< the first link of all their routes from the master
  std::string last_out;  ///< the last link of all their routes to the master
};

constexpr std::size_t most_in_group = 400;

/// The routes of a host from and to the master.
struct HostRoutes {
  const RouteDescription* in = nullptr;
  const RouteDescription* out = nullptr;

  /// Whether both have links beyond those that groups have in common.
  [[nodiscard]] bool can_be_grouped() const {
    return in != nullptr && out != nullptr && in->links.size() > 1 && out->links.size() > 1;
  }
};

using RoutesOfHosts = std::map<std::string, HostRoutes>;

RoutesOfHosts routes_of_hosts(const PlatformDescription& platform) {
  RoutesOfHosts routes;
  const std::string& master = platform.hosts.front().name;
  for (const RouteDescription& route : platform.routes) {
    (route.from == master ? routes[route.to].in : routes[route.from].out) = &route;
  }
  return routes;
}

/// The groups of a platform; none if its hosts' order would change. Hosts before the first group
/// stay with the master: those in its machine, which are not reached over a network. A group has
/// 400 hosts at most: larger ones take more memory, and with many small ones SimGrid loads slowly,
/// because for each zone it lists the hosts of all.
std::vector<HostGroup> host_groups(const PlatformDescription& platform,
                                   const RoutesOfHosts& routes) {
  std::vector<HostGroup> groups;
  for (std::size_t i = 1; i < platform.hosts.size(); ++i) {
    const auto found = routes.find(platform.hosts[i].name);
    if (found == routes.end() || !found->second.can_be_grouped()) {
      if (!groups.empty()) return {};
      continue;
    }
    const std::string& first_in = found->second.in->links.front();
    const std::string& last_out = found->second.out->links.back();
    const bool fits = !groups.empty() && groups.back().end - groups.back().begin < most_in_group &&
                      groups.back().first_in == first_in && groups.back().last_out == last_out;
    if (!fits) groups.push_back({i, i, first_in, last_out});
    groups.back().end = i + 1;
  }
  return groups;
}

/// Separates double hyphens, which are not allowed in an XML comment.
std::string comment(std::string text) {
  for (std::size_t i = text.find("--"); i != std::string::npos; i = text.find("--", i)) {
    text.replace(i, 2, "- -");
  }
  return text;
}

/// Formats bytes and bytes/s without an exponent.
std::string whole(double value) { return fmt::format("{:.0f}", value); }

/// More hosts are divided among zones: with these, routes take 8 MB in SimGrid.
constexpr std::size_t most_hosts_of_one_zone = 1000;

void append_host(std::string& xml, const HostDescription& host) {
  xml += fmt::format("    <host id=\"{}\" speed=\"1Gf\"", markup_escaped(host.name));
  if (host.properties.empty()) {
    xml += "/>\n";
    return;
  }
  xml += ">\n";
  for (const auto& [name, value] : host.properties) {
    xml += fmt::format("      <prop id=\"{}\" value=\"{}\"/>\n", markup_escaped(name),
                       markup_escaped(value));
  }
  xml += "    </host>\n";
}

void append_link(std::string& xml, const Link& link) {
  xml += fmt::format("    <link id=\"{}\" bandwidth=\"{}Bps\" latency=\"{}s\"{}/>\n",
                     markup_escaped(link.name), whole(link.bandwidth_bytes_per_s),
                     link.latency.value, link.shared ? "" : " sharing_policy=\"FATPIPE\"");
}

void append_route(std::string& xml, const std::string& from, const std::string& to,
                  std::span<const std::string> links) {
  xml += fmt::format("    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">", markup_escaped(from),
                     markup_escaped(to));
  for (const std::string& link : links) {
    xml += fmt::format("<link_ctn id=\"{}\"/>", markup_escaped(link));
  }
  xml += "</route>\n";
}

std::string zone_start(const std::string& zone) {
  return fmt::format("  <zone id=\"{}\" routing=\"Full\">\n", markup_escaped(zone));
}

/// All hosts, links and routes in one zone.
void append_flat(std::string& xml, const PlatformDescription& platform) {
  xml += zone_start(platform.zone);
  for (const HostDescription& host : platform.hosts) append_host(xml, host);
  for (const Link& link : platform.links) append_link(xml, link);
  for (const RouteDescription& route : platform.routes) {
    append_route(xml, route.from, route.to, route.links);
  }
}

/// Writes a platform as a zone of zones: one of the master and what it reaches without a network,
/// and one for each group, with a router at its edge. The routes of hosts have the same links in
/// the same order as in one zone. No name of a unit has a slash.
class GroupWriter {
 public:
  GroupWriter(std::string& xml, const PlatformDescription& platform, const RoutesOfHosts& routes,
              const std::vector<HostGroup>& groups)
      : xml_(xml), platform_(platform), routes_(routes), groups_(groups) {}

  void append() {
    xml_ += zone_start(platform_.zone) + zone_start(zone_of(0));
    for (std::size_t i = 0; i < groups_.front().begin; ++i) append_host(xml_, platform_.hosts[i]);
    for (const Link& link : platform_.links) append_link(xml_, link);
    for (std::size_t i = 1; i < groups_.front().begin; ++i) append_routes(i, master(), 0);
    xml_ += "  </zone>\n";
    for (std::size_t group = 1; group <= groups_.size(); ++group) append_group(group);
    for (std::size_t group = 1; group <= groups_.size(); ++group) append_ways(group);
  }

 private:
  [[nodiscard]] const std::string& master() const { return platform_.hosts.front().name; }
  [[nodiscard]] std::string zone_of(std::size_t group) const {
    return fmt::format("{}/{}", platform_.zone, group);
  }
  [[nodiscard]] std::string router_of(std::size_t group) const { return zone_of(group) + "/edge"; }

  /// The routes of a host between it and `edge`, without the `common` links next to the master.
  void append_routes(std::size_t host, const std::string& edge, std::size_t common) {
    const std::string& name = platform_.hosts[host].name;
    const std::span<const std::string> in = routes_.at(name).in->links;
    const std::span<const std::string> out = routes_.at(name).out->links;
    append_route(xml_, edge, name, in.subspan(common));
    append_route(xml_, name, edge, out.first(out.size() - common));
  }

  void append_group(std::size_t group) {
    const HostGroup& hosts = groups_[group - 1];
    xml_ += zone_start(zone_of(group));
    for (std::size_t i = hosts.begin; i < hosts.end; ++i) append_host(xml_, platform_.hosts[i]);
    xml_ += fmt::format("    <router id=\"{}\"/>\n", markup_escaped(router_of(group)));
    for (std::size_t i = hosts.begin; i < hosts.end; ++i) append_routes(i, router_of(group), 1);
    xml_ += "  </zone>\n";
  }

  void append_ways(std::size_t group) {
    const HostGroup& hosts = groups_[group - 1];
    append_way(0, group, master(), router_of(group), hosts.first_in);
    append_way(group, 0, router_of(group), master(), hosts.last_out);
  }

  void append_way(std::size_t from, std::size_t to, const std::string& out_of,
                  const std::string& into, const std::string& link) {
    xml_ += fmt::format(
        "    <zoneRoute src=\"{}\" dst=\"{}\" gw_src=\"{}\" gw_dst=\"{}\" symmetrical=\"NO\">"
        "<link_ctn id=\"{}\"/></zoneRoute>\n",
        markup_escaped(zone_of(from)), markup_escaped(zone_of(to)), markup_escaped(out_of),
        markup_escaped(into), markup_escaped(link));
  }

  std::string& xml_;
  const PlatformDescription& platform_;
  const RoutesOfHosts& routes_;
  const std::vector<HostGroup>& groups_;
};

}  // namespace

HostDescription describe_unit(const Unit& unit, const std::string& trace_unit) {
  HostDescription host{.name = unit.name, .properties = {}};
  const auto add = [&host](const char* name, std::string value) {
    host.properties.emplace_back(name, std::move(value));
  };
  add("kind", to_string(unit.kind));
  if (!unit.node.empty()) add("node", unit.node);
  if (!unit.model.empty()) add("model", unit.model);
  if (!unit.device.empty()) add("device", unit.device);
  if (unit.memory_bytes) add("memory_bytes", whole(*unit.memory_bytes));
  if (unit.copy_engines != 1) add("copy_engines", std::to_string(unit.copy_engines));
  if (unit.slots != 1) add("slots", std::to_string(unit.slots));
  if (unit.idle_w && unit.busy_w) {
    add("wattage_per_state", fmt::format("{}:{}", *unit.idle_w, *unit.busy_w));
  }
  if (!trace_unit.empty() && trace_unit != unit.name) add("trace_unit", trace_unit);
  return host;
}

PlatformDescription local_platform(const std::vector<Unit>& units, double copy_bytes_per_s,
                                   const std::string& comment) {
  PlatformDescription platform;
  platform.comment = comment;
  platform.hosts.push_back({.name = master_host, .properties = {{"master", "true"}}});
  platform.links.push_back({.name = free_link,
                            .bandwidth_bytes_per_s = copy_bytes_per_s,
                            .latency = Seconds{},
                            .shared = false});
  for (const Unit& unit : units) {
    platform.hosts.push_back(describe_unit(unit, unit.name));
    platform.routes.push_back({.from = master_host, .to = unit.name, .links = {free_link}});
    platform.routes.push_back({.from = unit.name, .to = master_host, .links = {free_link}});
  }
  return platform;
}

std::string platform_xml(const PlatformDescription& platform) {
  std::string xml =
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n";
  if (!platform.comment.empty()) xml += "<!--\n" + comment(platform.comment) + "\n-->\n";
  xml += "<platform version=\"4.1\">\n";
  std::vector<HostGroup> groups;
  const RoutesOfHosts routes = routes_of_hosts(platform);
  if (platform.hosts.size() > most_hosts_of_one_zone) groups = host_groups(platform, routes);
  if (groups.empty()) {
    append_flat(xml, platform);
  } else {
    GroupWriter(xml, platform, routes, groups).append();
  }
  return xml + "  </zone>\n</platform>\n";
}

}  // namespace equipoise
