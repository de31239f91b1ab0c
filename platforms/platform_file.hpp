// Platform files (SimGrid XML): checks before SimGrid reads one, the meaning of our host
// properties, and writing of generated platforms (platforms/README.md describes the properties).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/platform.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// The host that holds the input, named as in StarPU: the memory of the machine.
constexpr const char* master_host = "RAM";
/// The link to units that compute in that memory; transfers over it cost nothing.
constexpr const char* free_link = "memory";

/// A host of the file and its line.
struct PlatformHost {
  std::string name;
  int line = 0;
};

/// What is known of a platform file before SimGrid reads it. Hosts that SimGrid generates while it
/// reads the file (those of a <cluster>, a <peer>, a <cabinet>) are not in `hosts`.
struct PlatformFileFacts {
  std::vector<PlatformHost> hosts;  ///< in the order of the file
  bool generates_hosts = false;     ///< the file has a <cluster>, <cabinet> or <peer>
  std::string master;     ///< the host whose property `master` is true, or else the first one
  PlatformSource source;  ///< the text given to SimGrid
  std::vector<std::string>
      notices;  ///< "FILE:LINE: ...", each about a simulation setting that differs from the default
};

/// Reads the file at `path` once. Checks for everything that would make SimGrid abort, that could
/// write files or silently change what is simulated, and checks the values of our host properties.
/// Throws InputError with FILE:LINE for: a file that is missing, empty, a named pipe or a device;
/// invalid XML, or XML that is not a platform; a version below 4 (naming SimGrid's converter); a
/// file without hosts, two hosts with the same name, two masters, more than a million hosts; a zone
/// whose routes need more memory than this machine has free; names
/// and values that are not UTF-8 or have control characters; traces, or properties of one element,
/// with the same name; settings of SimGrid other than those of transfers (platforms/README.md);
/// elements that do not belong in a platform (actors, includes, storage); links with sharing policy
/// WIFI; state files; profiles of hosts; profiles of links that would make SimGrid abort, or of the
/// bandwidth of FATPIPE links; unusable values of `kind`, `memory_bytes`, `copy_engines`, `slots`,
/// `master` and `wattage_per_state`; units of one device with different `copy_engines`.
[[nodiscard]] PlatformFileFacts check_platform_file(const std::string& path);

/// The unit described by the properties of a host. Defaults: `kind` is cpu, `node` and `trace_unit`
/// are the host's name, `model` is empty. `idle_w` and `busy_w` come from the first state of
/// `wattage_per_state`: of three numbers (idle:one core:all cores) the first and the last, of a
/// single number that number for both. Routes are left empty. Throws InputError, naming the host
/// and the property, if a value cannot be used.
[[nodiscard]] PlatformUnit unit_from_properties(
    const std::string& host, const std::map<std::string, std::string>& properties);

/// A host to write.
struct HostDescription {
  std::string name;
  std::vector<std::pair<std::string, std::string>> properties;
};

/// A route to write, in one direction, with the names of its links.
struct RouteDescription {
  std::string from;
  std::string to;
  std::vector<std::string> links;
};

/// A platform to write, with all routes listed. The first host is the master; all routes begin or
/// end there.
struct PlatformDescription {
  std::string comment;  ///< its origin; may have several lines
  std::string zone = "machine";
  std::vector<HostDescription> hosts;
  std::vector<Link> links;  ///< written as FATPIPE if not `shared`
  std::vector<RouteDescription> routes;
};

/// The properties of `unit` as written in a platform file, `trace_unit` last.
[[nodiscard]] HostDescription describe_unit(const Unit& unit, const std::string& trace_unit);

/// A platform whose `units` all belong to one machine: a host `RAM`, which is the master, and
/// routes over one FATPIPE link of `copy_bytes_per_s` (every unit copies by itself). The times of
/// each unit are those of the trace unit with the same name.
[[nodiscard]] PlatformDescription local_platform(const std::vector<Unit>& units,
                                                 double copy_bytes_per_s,
                                                 const std::string& comment);

/// The platform as XML that SimGrid loads (3.32 or later). Host speeds are dummies of 1 Gflop/s,
/// because times come from traces. One zone, or from a thousand hosts on a zone of zones in which
/// routes do not cost memory for every pair of hosts.
[[nodiscard]] std::string platform_xml(const PlatformDescription& platform);

}  // namespace equipoise
