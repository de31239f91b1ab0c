// The machines of a run: its units, and the links between them and the master, which holds the
// input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// A network or bus link, as the simulator models it.
struct Link {
  std::string name;
  double bandwidth_bytes_per_s = 0.0;
  Seconds latency;
  bool shared = true;  ///< false: every transfer gets the full bandwidth (SimGrid's FATPIPE)
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
};

/// The name that stands in PlatformSource::xml for its profile `i`.
[[nodiscard]] std::string profile_name(std::size_t i);

/// The sum of the latencies of the links of `route`, which are positions in `links`.
[[nodiscard]] Seconds latency_of(const std::vector<Link>& links, const Route& route);
/// The smallest bandwidth on `route`, in bytes/s; infinite for an empty one.
[[nodiscard]] double bandwidth_of(const std::vector<Link>& links, const Route& route);

/// The time to transfer `bytes` over `route` without contention: the sum of the latencies plus
/// bytes over the smallest bandwidth. 0 if the route is empty or `bytes` <= 0.
[[nodiscard]] Seconds transfer_time(const Platform& platform, const Route& route, double bytes);

}  // namespace equipoise
