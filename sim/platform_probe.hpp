// Asks SimGrid what a platform file means, in a child process, because SimGrid may crash on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/platform.hpp"

namespace equipoise {

/// A host as SimGrid sees it.
struct ProbedHost {
  std::string name;
  int cores = 1;
  std::map<std::string, std::string> properties;
  bool has_routes = false;    ///< they were asked for, and are there
  bool lacks_routes = false;  ///< they were asked for, and one of them is not there
  Route in;                   ///< positions in ProbedPlatform::links
  Route out;
};

/// A platform as SimGrid sees it.
struct ProbedPlatform {
  /// Whether an undisturbed transfer takes latency + bytes / bandwidth, as `links` say: the file
  /// has no profiles by which links change and no network settings that make them faster or slower.
  bool transfers_add_up = true;
  std::string master;
  std::vector<ProbedHost> hosts;  ///< in the order of the file, the master included
  std::vector<Link>
      links;  ///< those on some route; the two directions of a split-duplex link are two
};

/// What becomes of a host whose routes are asked for and not there.
enum class MissingRoutes : std::uint8_t {
  refuse,  ///< InputError, which two hosts
  note,    ///< ProbedHost::lacks_routes
};

/// How a probe is watched: told how many hosts are done, of how many, at least ten times a second, 0
/// of 0 as long as SimGrid reads. What it throws ends the probe and goes on to the caller.
using ProbeWatch = std::function<void(std::size_t done, std::size_t hosts)>;

/// Loads `source` with SimGrid in a child process and tells of all hosts, and of the routes
/// between the master and those hosts for which `wants_routes` is true (it is called in the child).
/// The master is the host whose property `master` is true; without one, the first host of the file.
/// Its own routes are empty. Routes that SimGrid computes one by one may take it long where there are
/// many hosts (Dijkstra), and so may their preparation (Floyd). Throws InputError when SimGrid refuses
/// the file, says why (with the line, where SimGrid knows it), dies of it or has no memory for it,
/// and for two hosts without a route: which two. Throws
/// BackendError where the program has no SimGrid.
[[nodiscard]] ProbedPlatform probe_platform(
    const PlatformSource& source, const std::function<bool(const ProbedHost&)>& wants_routes,
    MissingRoutes missing = MissingRoutes::refuse, const ProbeWatch& watch = {});

}  // namespace equipoise
