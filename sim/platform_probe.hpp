// Reads a platform with SimGrid in a child process, because SimGrid may crash on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "shared_policies/model/platform.hpp"

namespace equipoise {

/// A host as SimGrid reports it.
struct ProbedHost {
  std::string name;
  int cores = 1;
  std::map<std::string, std::string> properties;
  bool has_routes = false;    ///< its routes were asked for and exist
  bool lacks_routes = false;  ///< its routes were asked for and one does not exist
  Route in;                   ///< positions in ProbedPlatform::links
  Route out;
};

/// A platform as SimGrid reports it.
struct ProbedPlatform {
  /// Whether an undisturbed transfer takes latency + bytes / bandwidth with the numbers in `links`:
  /// the file has no profiles that change links, and no network settings that make transfers faster
  /// or slower.
  bool transfers_add_up = true;
  std::string master;
  std::vector<ProbedHost> hosts;  ///< in the order of the file, the master included
  std::vector<Link>
      links;  ///< those on some route; the two directions of a split-duplex link are two
};

/// What to do with a host that lacks a route that was asked for.
enum class MissingRoutes : std::uint8_t {
  refuse,  ///< throw InputError that names the two hosts
  note,    ///< set ProbedHost::lacks_routes
};

/// Called at least ten times a second during a probe with the number of hosts done and of all
/// hosts; both are 0 while SimGrid reads the file. An exception that it throws ends the probe and
/// is passed on to the caller.
using ProbeWatch = std::function<void(std::size_t done, std::size_t hosts)>;

/// Loads `source` with SimGrid in a child process. Returns all hosts, and the routes between the
/// master and those hosts for which `wants_routes` is true (it is called in the child). The master
/// is the host whose property `master` is true, or the first host of the file if there is none. The
/// routes of the master to itself are empty. With many hosts this may take long if SimGrid computes
/// routes one by one (Dijkstra) or prepares them (Floyd). Throws InputError with the reason, and
/// with the line if SimGrid tells it, if SimGrid refuses the file, crashes on it or has not enough
/// memory for it, and, naming the two hosts, if a route is missing. Throws BackendError if the
/// program has no SimGrid.
[[nodiscard]] ProbedPlatform probe_platform(
    const PlatformSource& source, const std::function<bool(const ProbedHost&)>& wants_routes,
    MissingRoutes missing = MissingRoutes::refuse, const ProbeWatch& watch = {});

}  // namespace equipoise
