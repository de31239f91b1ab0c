// Finds what the units of a node share, follows what each node has, and divides the buses of units
// that read resident data with each block.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "shared_policies/machine/resident_data.hpp"

namespace equipoise {

std::map<std::string, RemoteNode> remote_nodes(const Platform& platform) {
  std::map<std::string, RemoteNode> by_name;
  for (std::uint32_t unit = 0; unit < platform.units.size(); ++unit) {
    const PlatformUnit& of = platform.units[unit];
    if (!of.unit.is_remote) continue;
    RemoteNode& node = by_name[of.unit.node];
    std::vector<std::uint32_t>& trunk = node.trunk;
    if (node.units.empty()) {
      trunk = of.in.links;
    } else {
      trunk.erase(std::ranges::mismatch(trunk, of.in.links).in1, trunk.end());
    }
    node.units.push_back(UnitId{unit});
    node.has_cpu = node.has_cpu || of.unit.kind == UnitKind::cpu;
  }
  return by_name;
}

std::vector<RemoteNode> sharing_nodes(const Platform& platform) {
  std::vector<RemoteNode> nodes;
  for (auto& [name, node] : remote_nodes(platform)) {
    if (node.units.size() > 1 && !node.trunk.empty()) nodes.push_back(std::move(node));
  }
  return nodes;
}

std::optional<CopySpeed> speed_from_node(const Platform& platform, const RemoteNode& node,
                                         UnitId unit) {
  const std::vector<std::uint32_t>& links = platform.units[unit.index].in.links;
  Route rest;
  rest.links.assign(links.begin() + static_cast<std::ptrdiff_t>(node.trunk.size()), links.end());
  if (rest.links.empty()) return std::nullopt;
  return copy_speed_of(platform.links, rest);
}

NodeResidents::NodeResidents(const std::vector<RemoteNode>& nodes, std::size_t units)
    : nodes_(nodes.size()), node_of_(units) {
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    for (const UnitId unit : nodes[node].units) node_of_[unit.index] = node;
  }
}

NodeResidents::Way NodeResidents::ask(UnitId unit, int phase, int iteration) {
  Node& node = nodes_[*node_of_[unit.index]];
  node.users.insert(unit);
  if (node.phase == phase && node.iteration == iteration) {
    if (!node.fetching) return Way::take;
    node.waiting.push_back(unit);
    return Way::wait;
  }
  node.phase = phase;
  node.iteration = iteration;
  node.fetching = unit;
  return Way::fetch;
}

std::vector<UnitId> NodeResidents::arrived(UnitId unit) {
  if (!shares(unit)) return {};
  Node& node = nodes_[*node_of_[unit.index]];
  if (node.fetching != unit) return {};
  node.fetching.reset();
  return std::exchange(node.waiting, {});
}

std::optional<UnitId> NodeResidents::given_up(UnitId unit) {
  if (!shares(unit)) return std::nullopt;
  Node& node = nodes_[*node_of_[unit.index]];
  if (node.fetching != unit || node.waiting.empty()) return std::nullopt;
  return fetch_next(node);
}

/// The unit that has waited longest, if any, fetches the data, or else nobody does.
std::optional<UnitId> NodeResidents::fetch_next(Node& node) {
  node.fetching.reset();
  if (node.waiting.empty()) return std::nullopt;
  node.fetching = node.waiting.front();
  node.waiting.erase(node.waiting.begin());
  return node.fetching;
}

std::optional<UnitId> NodeResidents::lost(UnitId unit) {
  if (!shares(unit)) return std::nullopt;
  Node& node = nodes_[*node_of_[unit.index]];
  std::erase(node.waiting, unit);
  node.users.erase(unit);
  const bool has_fetched = node.fetching == unit;
  if (has_fetched && fetch_next(node)) return node.fetching;
  if (has_fetched || node.users.empty()) node.phase = -1;
  return std::nullopt;
}

namespace {

/// The part of `route` behind the network, which is the trunk of the node. Where no CPU shows where
/// the network ends, at least the last link.
Route behind(const RemoteNode& node, const Route& route) {
  if (route.links.empty()) return {};
  const std::size_t most = route.links.size() - (node.has_cpu ? 0 : 1);
  const std::size_t from = std::min(node.trunk.size(), most);
  return {{route.links.begin() + static_cast<std::ptrdiff_t>(from), route.links.end()}};
}

/// By link: the devices whose streams use it.
using DevicesOfLinks = std::map<std::uint32_t, std::set<std::string>>;

CopySpeed speed_of(const Platform& platform, const Route& bus, const DevicesOfLinks& devices) {
  CopySpeed speed;
  for (const std::uint32_t index : bus.links) {
    const Link& link = platform.links[index];
    const double parts = link.shared ? static_cast<double>(devices.at(index).size()) : 1.0;
    speed.latency += link.latency;
    speed.bandwidth_bytes_per_s =
        std::min(speed.bandwidth_bytes_per_s, link.bandwidth_bytes_per_s / parts);
  }
  return speed;
}

}  // namespace

std::vector<std::optional<ResidentStream>> resident_streams(const Platform& platform,
                                                            const Workload& workload) {
  std::vector<std::optional<ResidentStream>> streams(platform.units.size());
  const auto nodes = remote_nodes(platform);
  DevicesOfLinks devices;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const PlatformUnit& unit = platform.units[i];
    const std::optional<StreamedData> data = streamed_data(unit.unit, workload);
    if (!data) continue;
    const bool is_remote = unit.unit.is_remote;
    Route bus = is_remote ? behind(nodes.at(unit.unit.node), unit.in) : unit.in;
    const std::string device = device_of(unit.unit);
    for (const std::uint32_t link : bus.links) {
      devices[link].insert(device.empty() ? std::to_string(i) : device);
    }
    streams[i] = ResidentStream{.data = *data, .bus = std::move(bus), .is_remote = is_remote};
  }
  for (std::optional<ResidentStream>& stream : streams) {
    if (stream) stream->speed = speed_of(platform, stream->bus, devices);
  }
  return streams;
}

}  // namespace equipoise
