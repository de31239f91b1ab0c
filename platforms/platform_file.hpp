// Platform files (SimGrid XML): what is checked before SimGrid sees one, what its host properties
// mean to us, and how one of our own is written (platforms/README.md has the properties).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/platform.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// A host as it stands in the file.
struct PlatformHost {
  std::string name;
  int line = 0;
};

/// What reading a platform file without SimGrid tells. Hosts that only exist once SimGrid has read
/// the file (those of a <cluster>, a <peer>, a <cabinet>) are not among `hosts`.
struct PlatformFileFacts {
  std::vector<PlatformHost> hosts;  ///< in the order of the file
  bool generates_hosts = false;     ///< there is a <cluster>, <cabinet> or <peer>
  std::string master;     ///< the host whose property `master` is true, else the first one
  PlatformSource source;  ///< what SimGrid is given
  std::vector<std::string>
      notices;  ///< "FILE:LINE: ..." what is simulated in another way than usual
};

/// Reads the file at `path`, once, and checks what SimGrid would die of, what could write files or
/// change unseen what is simulated, and the values of our own host properties. Throws InputError
/// with FILE:LINE for a file that is missing, empty, a named pipe or a device; for what is no XML or no
/// platform; for a version below 4 (naming SimGrid's converter), a file without hosts, two hosts of
/// one name, two masters, more than a million hosts, names that are not UTF-8; for settings of
/// SimGrid other than those of transfers (platforms/README.md), elements that are none of a platform
/// (actors, includes, storage), links of sharing policy WIFI, state files, profiles of hosts, and
/// profiles of links that SimGrid would die of; for unusable values of `kind`, `memory_bytes`,
/// `copy_engines`, `slots`, `master` and `wattage_per_state`.
[[nodiscard]] PlatformFileFacts check_platform_file(const std::string& path);

/// The unit that a host of these properties is. `kind` is cpu unless given, `node` the host's name,
/// `model` empty; `idle_w` and `busy_w` are the figures of `wattage_per_state` (of three,
/// idle:one core:all cores, the first and the last; of one, that one twice), of the first state.
/// `trace_unit` is the host's name unless given. Routes are left empty. Throws InputError, naming
/// the host and the property, for values that cannot be used.
[[nodiscard]] PlatformUnit unit_from_properties(
    const std::string& host, const std::map<std::string, std::string>& properties);

/// A host to be written.
struct HostDescription {
  std::string name;
  std::vector<std::pair<std::string, std::string>> properties;
};

/// A route to be written, one way. Links are named.
struct RouteDescription {
  std::string from;
  std::string to;
  std::vector<std::string> links;
};

/// A platform to be written: one zone with every route spelled out.
struct PlatformDescription {
  std::string comment;  ///< where it comes from, several lines allowed
  std::string zone = "machine";
  std::vector<HostDescription> hosts;
  std::vector<Link> links;  ///< not `shared`: written as FATPIPE
  std::vector<RouteDescription> routes;
};

/// The properties of `unit` as a host of a platform file carries them, `trace_unit` last.
[[nodiscard]] HostDescription describe_unit(const Unit& unit, const std::string& trace_unit);

/// The platform as XML that SimGrid from 3.32 on loads. Speeds are dummies of 1 Gflop/s: times come
/// from traces.
[[nodiscard]] std::string platform_xml(const PlatformDescription& platform);

}  // namespace equipoise
