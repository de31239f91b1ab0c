// Finds hosts whose routes begin and end alike.
#include "platforms/host_groups.hpp"

#include <map>

namespace equipoise {
namespace {

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

/// By host; empty if a route does not begin or end at the master.
std::map<std::string, HostRoutes> routes_of_hosts(const PlatformDescription& platform) {
  std::map<std::string, HostRoutes> routes;
  const std::string& master = platform.hosts.front().name;
  for (const RouteDescription& route : platform.routes) {
    if (route.from == master) {
      routes[route.to].in = &route;
    } else if (route.to == master) {
      routes[route.from].out = &route;
    } else {
      return {};
    }
  }
  return routes;
}

}  // namespace

std::vector<HostGroup> host_groups(const PlatformDescription& platform,
                                   std::size_t most_ungrouped) {
  std::vector<HostGroup> groups;
  const std::size_t hosts = platform.hosts.size();
  if (hosts <= most_ungrouped) return groups;
  const std::map<std::string, HostRoutes> routes = routes_of_hosts(platform);
  for (std::size_t i = 1; i < hosts; ++i) {
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

}  // namespace equipoise
