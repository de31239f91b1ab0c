// The machines: units and the links between them and the master that holds the input.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// A network or bus link as the simulator shares it.
struct Link {
  std::string name;
  double bandwidth_bytes_per_s = 0.0;
  Seconds latency;
  bool shared = true;  ///< false: every transfer gets the whole bandwidth (SimGrid's FATPIPE)
};

/// The way from the master to a unit or back: positions in `Platform::links`, none when the unit is
/// on the master itself.
struct Route {
  std::vector<std::uint32_t> links;
};

/// A unit and where it sits.
struct PlatformUnit {
  Unit unit;
  std::string trace_unit;  ///< which unit of the trace times it
  Route in;                ///< master to unit
  Route out;               ///< unit to master
};

/// The machines of a run.
struct Platform {
  std::string master;  ///< the host that holds the input
  std::vector<PlatformUnit> units;
  std::vector<Link> links;
};

/// A platform file as it was read and checked, for SimGrid to load.
struct PlatformSource {
  std::string file;  ///< its name, for messages
  std::string xml;   ///< what SimGrid reads, each element on its line of the file
};

/// The sum of the latencies of the links of `route`, which are positions in `links`.
[[nodiscard]] Seconds latency_of(const std::vector<Link>& links, const Route& route);
/// The smallest bandwidth on `route`, in bytes/s; infinite for an empty one.
[[nodiscard]] double bandwidth_of(const std::vector<Link>& links, const Route& route);

/// The time that `bytes` take over `route` when nobody else uses it: the sum of the latencies plus
/// bytes over the smallest bandwidth; 0 over an empty route or for no bytes.
[[nodiscard]] Seconds transfer_time(const Platform& platform, const Route& route, double bytes);

}  // namespace equipoise
