// SimGrid as Equipoise wants it: silent, with a network that adds up, and its routes looked at.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/platform.hpp"

namespace simgrid::s4u {
class Engine;
class Host;
class Link;
}  // namespace simgrid::s4u

namespace equipoise {

struct EngineEnd {
  void operator()(simgrid::s4u::Engine* engine) const;
};
/// SimGrid's engine, of which there is one a process.
using EnginePtr = std::unique_ptr<simgrid::s4u::Engine, EngineEnd>;

/// Events of SimGrid's own that are closer than this are one event to it. Fine enough to keep what
/// is 1 ns apart, coarse enough for the clock's last digit after 5 days.
constexpr Seconds simgrid_precision{1e-10};

/// Starts SimGrid: it prints nothing (critical errors excepted, one line each, without decoration),
/// sees no command line, and has as defaults, which the `<config>` of a platform file may override,
/// the network settings with which an undisturbed transfer takes latency + bytes / bandwidth.
[[nodiscard]] EnginePtr start_simgrid();

/// Where SimGrid finds a platform that is in memory only; a number follows.
constexpr const char* platform_in_memory = "/proc/self/fd/";

/// Loads what `source` holds, from memory, completes it, so that every route can be asked for, and
/// sees to it that the defaults above hold where its `<config>` does not say otherwise. Throws what
/// SimGrid throws; it may also end the process.
void load_platform(simgrid::s4u::Engine& engine, const PlatformSource& source);

/// Whether an undisturbed transfer on the platform that was just loaded from `source` takes exactly
/// latency + bytes / bandwidth: it has neither overridden that nor given profiles by which links
/// change.
[[nodiscard]] bool transfers_add_up(const PlatformSource& source);

/// The way that a unit's data take in one direction.
struct Way {
  simgrid::s4u::Host* from = nullptr;
  simgrid::s4u::Host* to = nullptr;
  Seconds latency;
  double bandwidth_bytes_per_s = 0.0;  ///< infinity where there is nothing to cross
  /// No other transfer can use what limits this one, neither another unit's nor, on a unit with two
  /// copy engines, the other way's: every transfer takes latency + bytes / bandwidth.
  bool is_private = false;
};

/// Both ways of a unit.
struct UnitWays {
  Way in;
  Way out;
};

/// The ways of the units of `platform`, (units), on the platform that SimGrid has loaded. A link is
/// shared when the routes of two units use it, or both ways of a unit with two copy engines, unless
/// it is a FATPIPE. Throws BackendError for a host that is not there.
[[nodiscard]] std::vector<UnitWays> find_ways(const Platform& platform);

/// The links of `platform`, (links), on the platform that SimGrid has loaded. Throws BackendError
/// for one that is not there.
[[nodiscard]] std::vector<simgrid::s4u::Link*> find_links(const Platform& platform);

}  // namespace equipoise
