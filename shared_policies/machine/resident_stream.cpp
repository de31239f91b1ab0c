// Finds the buses of units that read resident data with each block, and divides them.
#include "shared_policies/machine/resident_stream.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "shared_policies/machine/node_residents.hpp"

namespace equipoise {
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
