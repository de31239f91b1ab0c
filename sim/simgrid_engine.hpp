// Starts SimGrid with our settings (silent, simple network model), loads platforms, reads their
// routes and changes their links.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "shared_policies/machine/copy_speed.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/platform.hpp"
#include "sim/simulated_machine.hpp"

namespace simgrid::s4u {
class Engine;
class Host;
class Link;
}  // namespace simgrid::s4u

namespace equipoise {

struct EngineEnd {
  void operator()(simgrid::s4u::Engine* engine) const;
};
/// SimGrid's engine; there is only one in each process.
using EnginePtr = std::unique_ptr<simgrid::s4u::Engine, EngineEnd>;

/// SimGrid treats its own events as simultaneous if they are closer than this. Small enough to
/// separate events that are 1 ns apart, large enough for the clock's last digit after 5 days.
constexpr Seconds simgrid_precision{1e-10};

/// Starts SimGrid. It prints only critical errors, one line each, without decoration, and gets no
/// command line. Its default network settings are those for which an undisturbed transfer takes
/// latency + bytes / bandwidth; the `<config>` of a platform file may override them.
[[nodiscard]] EnginePtr start_simgrid();

/// Loads `source` from memory and seals the platform, so that every route can be asked for. Makes
/// sure that the defaults above hold unless its `<config>` overrides them. Passes on SimGrid's
/// exceptions; SimGrid may also end the process.
void load_platform(simgrid::s4u::Engine& engine, const PlatformSource& source);

/// Gives SimGrid's links the figures of `platform` where these differ. To be called when the
/// platform is loaded, before anything is transferred. Throws BackendError if a link does not
/// exist.
void set_links(const Platform& platform);

/// Whether an undisturbed transfer on the platform just loaded from `source` takes exactly latency
/// + bytes / bandwidth: the platform does not override the network settings and has no profiles
/// that change links.
[[nodiscard]] bool transfers_add_up(const PlatformSource& source);

/// The route of a unit's data in one direction.
struct TransferRoute {
  simgrid::s4u::Host* from = nullptr;
  simgrid::s4u::Host* to = nullptr;
  Seconds latency;
  double bandwidth_bytes_per_s = 0.0;  ///< infinity if there is no link
  /// No other transfer can use the limiting links of this one: none over another copy engine. Then
  /// every transfer takes latency + bytes / bandwidth.
  bool is_private = false;
};

/// The routes of a unit in both directions.
struct UnitRoutes {
  TransferRoute in;
  TransferRoute out;
};

/// The speeds of copies over `routes` without contention; none where a route begins and ends at the
/// same host.
[[nodiscard]] CopySpeeds copy_speeds_of(const UnitRoutes& routes);

/// The routes (units) of the units of `platform`, on the platform that SimGrid has loaded. A link
/// is shared if two copy engines use it (of two devices, or of one that has two), unless it is a
/// FATPIPE and all their routes have the same latency. Throws BackendError if a host does not
/// exist.
[[nodiscard]] std::vector<UnitRoutes> find_routes(const Platform& platform);

/// Lets transfers under way become slower and faster with their links, when a scenario or a profile
/// of the platform file changes bandwidths. If both change a link, its bandwidth is that of the
/// profile times the scenario's factor.
///
/// SimGrid bounds a transfer by the least bandwidth of its route when it begins (3.32 only if the
/// route has no latency or network/TCP-gamma is above 0). So SimGrid is told the greatest bandwidth
/// that a link ever has, and asks for the present one whenever it shares the link among transfers,
/// by the callback of its sharing policy NONLINEAR, which otherwise shares like SHARED. A FATPIPE
/// link does not ask; there, a transfer may stay as slow as it began; therefore files that make one
/// faster are refused. With network/weight-S above 0, SimGrid weighs transfers over these links by
/// the greatest bandwidth, and from the event of a profile to the next transfer by the present one.
class ChangingLinks {
 public:
  /// Prepares the links of `platform` that `changes` name, and those with a profile in `source`.
  /// Throws BackendError if one does not exist. To be made when all routes have been looked at,
  /// because it changes the links. There is one in each process.
  ChangingLinks(const Platform& platform, const PlatformSource& source,
                const std::vector<MachineChange>& changes);
  ChangingLinks(const ChangingLinks&) = delete;
  ChangingLinks& operator=(const ChangingLinks&) = delete;

  /// The scenario gives the link at position `index` of the platform this bandwidth from now on.
  void set(std::uint32_t index, double bandwidth_bytes_per_s);

  /// To be called before each transfer: the event of a profile has told SimGrid the present
  /// bandwidth, which would bound the transfer.
  void before_transfer();

 private:
  struct State {
    simgrid::s4u::Link* link = nullptr;
    double first_bytes_per_s = 0.0;     ///< at the start
    double scenario_bytes_per_s = 0.0;  ///< by the scenario alone
    double profile_bytes_per_s = 0.0;   ///< by the profile alone
    double now_bytes_per_s = 0.0;
    double most_bytes_per_s = 0.0;
    bool asks = false;        ///< SimGrid asks for the present bandwidth
    bool is_to_tell = false;  ///< SimGrid has not been told the greatest bandwidth again
  };
  State& state_of(const Platform& platform, std::uint32_t index);
  void follow_profiles();
  static void update(State& state);
  void tell_simgrid(State& state);

  std::map<std::uint32_t, State> links_;  ///< by position in the platform
  std::map<const simgrid::s4u::Link*, State*> with_profile_;
  std::vector<State*> to_tell_;
  bool is_telling_ = false;  ///< we change a bandwidth, not a profile
};

}  // namespace equipoise
