// Divides the hosts of a large platform among zones: in a zone that lists its routes, SimGrid keeps
// 8 bytes for every pair of hosts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platforms/platform_file.hpp"

namespace equipoise {

/// Hosts that follow one another and get a zone of their own, with the rest of their routes.
struct HostGroup {
  std::size_t begin = 0;  ///< positions in PlatformDescription::hosts
  std::size_t end = 0;
  std::string first_in;  ///< the first link of all their routes from the master
  std::string last_out;  ///< the last link of all their routes to the master
};

/// The groups of a platform of more than `most_ungrouped` hosts; none if it has fewer, or if its
/// hosts' order would change. Hosts before the first group stay with the master: those in its
/// machine, which are not reached over a network. A group has 400 hosts at most: larger ones take
/// more memory, and with many small ones SimGrid loads slowly, because for each zone it lists the
/// hosts of all.
[[nodiscard]] std::vector<HostGroup> host_groups(const PlatformDescription& platform,
                                                 std::size_t most_ungrouped);

}  // namespace equipoise
