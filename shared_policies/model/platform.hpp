// The machines of a run: its units, and the links between them and the master, which holds the
// input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// A network or bus link, as the simulator models it.
struct Link {
  std::string name;
  double bandwidth_bytes_per_s = 0.0;
  Seconds latency{};
  bool shared = true;  ///< false: transfers do not divide the bandwidth (SimGrid's FATPIPE)
};

/// The links between the master and a unit, in one direction: positions in `Platform::links`. Empty
/// if the unit is on the master.
struct Route {
  std::vector<std::uint32_t> links;
};

/// A unit and its place in the platform.
struct PlatformUnit {
  Unit unit;
  std::string trace_unit;  ///< the unit of the trace that provides its times
  Route in;                ///< master to unit
  Route out;               ///< unit to master
  std::string host{};      ///< where it is in the platform, if not the host of its name
  /// The routes are those between the unit and the agent of its node (run/two_levels.hpp), of which
  /// the platform knows nothing.
  bool is_in_node = false;
};

/// The machines of a run.
struct Platform {
  std::string master;  ///< the host that holds the input
  std::vector<PlatformUnit> units;
  std::vector<Link> links;
};

/// A platform file after reading and checking, to be loaded by SimGrid.
struct PlatformSource {
  std::string file;  ///< the file's name, for messages
  std::string xml;   ///< the text for SimGrid; each element is on the same line as in the file
  /// The texts of the files with profiles of links. `xml` has `profile_name(i)` as the file's name.
  std::vector<std::string> profiles{};
  /// The greatest value of each profile of a bandwidth, in bytes/s, by the link's name in the file.
  std::map<std::string, double> greatest_bandwidths{};
};

/// The name that stands in PlatformSource::xml for its profile `i`.
[[nodiscard]] inline std::string profile_name(std::size_t i) {
  return "profile:" + std::to_string(i);
}

/// The speed of copies over a route that nothing else uses: a copy takes latency + bytes /
/// bandwidth; a copy of 0 bytes takes no time.
struct CopySpeed {
  Seconds latency;
  double bandwidth_bytes_per_s = std::numeric_limits<double>::infinity();

  [[nodiscard]] Seconds time(double bytes) const {
    return bytes <= 0.0 ? Seconds{} : message_time(bytes);
  }
  /// The same, but a copy of 0 bytes is made, too, and takes the latency.
  [[nodiscard]] Seconds message_time(double bytes) const {
    return latency + Seconds{bytes / bandwidth_bytes_per_s};
  }
};

/// The sum of the latencies and the smallest bandwidth of the links of `route`, which are positions
/// in `links`. An empty route takes no time.
[[nodiscard]] inline CopySpeed copy_speed_of(const std::vector<Link>& links, const Route& route) {
  CopySpeed speed;
  for (const std::uint32_t link : route.links) {
    speed.latency += links[link].latency;
    speed.bandwidth_bytes_per_s =
        std::min(speed.bandwidth_bytes_per_s, links[link].bandwidth_bytes_per_s);
  }
  return speed;
}

}  // namespace equipoise
