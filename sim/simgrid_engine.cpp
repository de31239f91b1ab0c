// SimGrid's settings, platform loading, routes and links that change.
#include "sim/simgrid_engine.hpp"

#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/Link.hpp>
#include <xbt/config.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "sim/memory_file.hpp"

namespace equipoise {
namespace {

namespace config = simgrid::config;
using simgrid::s4u::Engine;
using simgrid::s4u::Host;
using SimLink = simgrid::s4u::Link;

/// Sets the default of the first option in `names` that exists (an option may be renamed between
/// versions).
template <class T>
void set_default(std::initializer_list<const char*> names, const T& value) {
  for (const char* name : names) {
    try {
      config::set_default<T>(name, value);
      return;
    } catch (const std::exception&) {  // no such option in this version
    }
  }
}

/// A relative name of `file` that works from every folder: SimGrid does not accept absolute ones.
std::string from_any_folder(const MemoryFile& file) {
  std::string name;
  for (int up = 0; up < 64; ++up) name += "../";
  return name + file.path().substr(1);
}

/// The XML in which the name of every profile is that of a file; `files` gets these files.
std::string with_profiles(const PlatformSource& source, std::deque<MemoryFile>& files) {
  std::string xml = source.xml;
  for (std::size_t i = 0; i < source.profiles.size(); ++i) {
    const std::string attribute = "file=\"" + profile_name(i) + '"';
    const std::size_t at = xml.find(attribute);
    if (at == std::string::npos) continue;
    const MemoryFile& file = files.emplace_back(source.profiles[i]);
    xml.replace(at, attribute.size(), "file=\"" + from_any_folder(file) + '"');
  }
  return xml;
}

/// Whether the platform has profiles that change links over time.
bool has_profiles(const PlatformSource& source) {
  return std::ranges::any_of(
      std::array{"bandwidth_file=", "latency_file=", "<trace_connect"},
      [&](const char* word) { return source.xml.find(word) != std::string::npos; });
}

/// The greatest bandwidth that a profile gives the link; 0 if there is none. Of a split-duplex
/// link, SimGrid makes two.
double greatest_of_profile(const PlatformSource& source, std::string_view link) {
  for (const std::string_view end : {"", "_UP", "_DOWN"}) {
    if (!link.ends_with(end)) continue;
    const auto found =
        source.greatest_bandwidths.find(std::string(link.substr(0, link.size() - end.size())));
    if (found != source.greatest_bandwidths.end()) return found->second;
  }
  return 0.0;
}

Host* host_called(const std::string& name) {
  Host* host = Host::by_name_or_null(name);
  if (host == nullptr) throw BackendError("the simulated platform has no host called " + name);
  return host;
}

SimLink* link_called(const std::string& name) {
  SimLink* const link = SimLink::by_name_or_null(name);
  if (link == nullptr) throw BackendError("the simulated platform has no link called " + name);
  return link;
}

struct Crossing {
  std::vector<SimLink*> links;
  double latency = 0.0;
};

/// The use of a link: the first copy engine that uses it and the latency of its route, and whether
/// another engine does, too, and over a route of another latency.
struct LinkUse {
  std::size_t engine = 0;
  double latency = 0.0;
  bool by_others = false;
  bool by_nearer_or_farther = false;
};
using LinkUses = std::map<const SimLink*, LinkUse>;

/// Asks SimGrid only for routes that are known to exist; it may crash on others.
Crossing crossing(const Host* from, const Host* to, const Route& route) {
  Crossing crossing;
  if (!route.links.empty()) from->route_to(to, crossing.links, &crossing.latency);
  return crossing;
}

bool are_equal(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(a, b); }

void note_use(LinkUses& uses, const Crossing& crossing, std::size_t engine) {
  for (const SimLink* link : crossing.links) {
    const auto [use, is_new] = uses.try_emplace(link, LinkUse{engine, crossing.latency});
    if (is_new || use->second.engine == engine) continue;
    use->second.by_others = true;
    if (!are_equal(use->second.latency, crossing.latency)) use->second.by_nearer_or_farther = true;
  }
}

/// Whether SimGrid gives each transfer over a FATPIPE link what it gives one alone. SimGrid weighs
/// transfers there like those over other links, by 1/latency: the link's full bandwidth goes to the
/// heaviest, and to the others in proportion. network/weight-S adds to the weights.
bool ignores_others(const LinkUse& use) {
  return !use.by_others ||
         (!use.by_nearer_or_farther && config::get_value<double>("network/weight-S") == 0.0);
}

bool is_private(const Crossing& crossing, const LinkUses& uses) {
  double latency = 0.0;
  for (const SimLink* link : crossing.links) {
    latency += link->get_latency();
    const SimLink::SharingPolicy policy = link->get_sharing_policy();
    const LinkUse& use = uses.at(link);
    if (policy == SimLink::SharingPolicy::FATPIPE) {
      if (!ignores_others(use)) return false;
      continue;
    }
    const bool is_once = std::ranges::count(crossing.links, link) == 1;
    const bool is_plain = policy == SimLink::SharingPolicy::SHARED && is_once;
    if (!is_plain || use.by_others) return false;
  }
  // Some zones (Vivaldi) add a latency that is in no link; then a transfer's time may not depend on
  // its bytes.
  return std::abs(latency - crossing.latency) <= 1e-12 * latency;
}

TransferRoute transfer_route(Host* from, Host* to, const Crossing& crossing, const LinkUses& uses) {
  double bandwidth = std::numeric_limits<double>::infinity();
  for (const SimLink* link : crossing.links) bandwidth = std::min(bandwidth, link->get_bandwidth());
  return {from, to, Seconds{crossing.latency}, bandwidth, is_private(crossing, uses)};
}

/// The route of a unit between it and the agent of its node.
TransferRoute route_in_node(const Platform& platform, Host* host, const Route& route) {
  const CopySpeed speed = copy_speed_of(platform.links, route);
  Host* const agent = route.links.empty() ? host : nullptr;
  return {agent, host, speed.latency, speed.bandwidth_bytes_per_s, true};
}

}  // namespace

void EngineEnd::operator()(Engine* engine) const { delete engine; }

EnginePtr start_simgrid() {
  // The implementation of actors and the name of the host model are build settings: CMakeLists.txt.
  std::array<std::string, 4> words{"equipoise", "--log=root.thresh:critical", "--log=root.fmt:%m%n",
                                   "--cfg=" EQUIPOISE_ACTORS};
  std::array<char*, 5> argv{words[0].data(), words[1].data(), words[2].data(), words[3].data(),
                            nullptr};
  int argc = 4;
  // The engine installs its own handlers for Ctrl-C and crashes. Restore the former ones.
  constexpr std::array<int, 2> signals{SIGINT, SIGSEGV};
  std::array<struct sigaction, 2> actions{};
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], nullptr, &actions[i]);
  EnginePtr engine(new Engine(&argc, argv.data()));
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &actions[i], nullptr);
  set_default<std::string>({"host/model"}, EQUIPOISE_HOST_MODEL);
  set_default<std::string>({"network/model"}, "CM02");
  set_default<bool>({"network/crosstraffic"}, false);
  set_default<double>({"network/TCP-gamma"}, 0.0);
  set_default<double>({"precision/timing", "surf/precision"}, simgrid_precision.value);
  return engine;
}

void load_platform(Engine& engine, const PlatformSource& source) {
  std::deque<MemoryFile> profiles;
  const MemoryFile file(with_profiles(source, profiles));
  engine.load_platform(file.path());
  engine.seal_platform();
  // In newer versions, the host model changes the default of cross traffic while the platform is
  // loaded.
  constexpr const char* cross_traffic = "network/crosstraffic";
  if (config::is_default(cross_traffic)) config::set_value<bool>(cross_traffic, false);
}

void set_links(const Platform& platform) {
  for (const Link& link : platform.links) {
    SimLink* const loaded = link_called(link.name);
    if (loaded->get_bandwidth() != link.bandwidth_bytes_per_s) {
      loaded->set_bandwidth(link.bandwidth_bytes_per_s);
    }
    if (loaded->get_latency() != link.latency.value) loaded->set_latency(link.latency.value);
  }
}

bool transfers_add_up(const PlatformSource& source) {
  const auto host_model = config::get_value<std::string>("host/model");
  // Network factors are numbers in one version and texts in another, and SimGrid does not check the
  // type that is asked for. So they are not read: the defaults of CM02 are 1.
  return (host_model == "compound" || host_model == "default") &&
         config::get_value<std::string>("network/model") == "CM02" &&
         config::is_default("network/latency-factor") &&
         config::is_default("network/bandwidth-factor") &&
         !config::get_value<bool>("network/crosstraffic") &&
         config::get_value<double>("network/TCP-gamma") <= 0.0 && !has_profiles(source);
}

CopySpeeds copy_speeds_of(const UnitRoutes& routes) {
  const auto speed = [](const TransferRoute& route) {
    if (route.from == route.to) return std::optional<CopySpeed>();
    return std::optional(CopySpeed{route.latency, route.bandwidth_bytes_per_s});
  };
  return {speed(routes.in), speed(routes.out)};
}

std::vector<UnitRoutes> find_routes(const Platform& platform) {
  Host* master = host_called(platform.master);
  std::vector<std::pair<Crossing, Crossing>> crossings;
  std::vector<Host*> hosts;
  LinkUses uses;
  std::map<std::string, std::size_t> devices;  // the first unit of each
  for (std::size_t unit = 0; unit < platform.units.size(); ++unit) {
    const PlatformUnit& of = platform.units[unit];
    Host* host = host_called(of.host.empty() ? of.unit.name : of.host);
    hosts.push_back(host);
    if (of.is_in_node) {
      crossings.emplace_back();
      continue;
    }
    crossings.emplace_back(crossing(master, host, platform.units[unit].in),
                           crossing(host, master, platform.units[unit].out));
    const Unit& described = platform.units[unit].unit;
    const std::string device = device_of(described);
    const std::size_t first =
        device.empty() ? unit : devices.try_emplace(device, unit).first->second;
    const std::size_t second_engine = described.copy_engines == 2 ? 1 : 0;
    note_use(uses, crossings.back().first, 2 * first);
    note_use(uses, crossings.back().second, 2 * first + second_engine);
  }
  std::vector<UnitRoutes> routes;
  for (std::size_t unit = 0; unit < hosts.size(); ++unit) {
    const PlatformUnit& of = platform.units[unit];
    if (of.is_in_node) {
      routes.push_back({route_in_node(platform, hosts[unit], of.in),
                        route_in_node(platform, hosts[unit], of.out)});
      continue;
    }
    const auto& [in, out] = crossings[unit];
    routes.push_back({transfer_route(master, hosts[unit], in, uses),
                      transfer_route(hosts[unit], master, out, uses)});
  }
  return routes;
}

ChangingLinks::ChangingLinks(const Platform& platform, const PlatformSource& source,
                             const std::vector<MachineChange>& changes) {
  for (const MachineChange& change : changes) {
    if (change.kind != ChangeKind::bandwidth) continue;
    State& state = state_of(platform, change.index);
    state.most_bytes_per_s = std::max(state.most_bytes_per_s, change.bandwidth_bytes_per_s);
  }
  for (std::uint32_t index = 0; index < platform.links.size(); ++index) {
    const double greatest = greatest_of_profile(source, platform.links[index].name);
    if (greatest <= 0.0) continue;
    State& state = state_of(platform, index);
    state.most_bytes_per_s *= std::max(1.0, greatest / state.first_bytes_per_s);
    with_profile_[state.link] = &state;
  }
  for (auto& [index, state] : links_) {
    state.asks = state.link->get_sharing_policy() == SimLink::SharingPolicy::SHARED;
    if (!state.asks) continue;
    state.link->set_sharing_policy(
        SimLink::SharingPolicy::NONLINEAR,
        [&now = state.now_bytes_per_s](double /*most*/, int) { return now; });
    tell_simgrid(state);
  }
  if (!with_profile_.empty()) follow_profiles();
}

ChangingLinks::State& ChangingLinks::state_of(const Platform& platform, std::uint32_t index) {
  State& state = links_[index];
  if (state.link != nullptr) return state;
  state.link = link_called(platform.links[index].name);
  state.first_bytes_per_s = state.link->get_bandwidth();
  state.scenario_bytes_per_s = state.profile_bytes_per_s = state.first_bytes_per_s;
  state.now_bytes_per_s = state.most_bytes_per_s = state.first_bytes_per_s;
  return state;
}

void ChangingLinks::follow_profiles() {
  SimLink::on_bandwidth_change_cb([this](const SimLink& link) {
    const auto found = with_profile_.find(&link);
    if (is_telling_ || found == with_profile_.end()) return;
    State& state = *found->second;
    state.profile_bytes_per_s = link.get_bandwidth();
    update(state);
    // SimGrid is told the greatest later, because it is not done with this change.
    if (!std::exchange(state.is_to_tell, true)) to_tell_.push_back(&state);
  });
}

void ChangingLinks::update(State& state) {
  if (state.scenario_bytes_per_s == state.first_bytes_per_s) {
    state.now_bytes_per_s = state.profile_bytes_per_s;  // not rounded
  } else {
    state.now_bytes_per_s =
        state.scenario_bytes_per_s * (state.profile_bytes_per_s / state.first_bytes_per_s);
  }
}

void ChangingLinks::set(std::uint32_t index, double bandwidth_bytes_per_s) {
  State& state = links_.at(index);
  state.scenario_bytes_per_s = bandwidth_bytes_per_s;
  update(state);
  tell_simgrid(state);
}

/// Where SimGrid asks, this only makes it ask again.
void ChangingLinks::tell_simgrid(State& state) {
  is_telling_ = true;
  state.link->set_bandwidth(state.asks ? state.most_bytes_per_s : state.now_bytes_per_s);
  is_telling_ = false;
}

void ChangingLinks::before_transfer() {
  for (State* state : to_tell_) {
    state->is_to_tell = false;
    tell_simgrid(*state);
  }
  to_tell_.clear();
}

}  // namespace equipoise
