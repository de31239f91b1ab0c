// Probes of links, of one node after the other and of all at once.
#include "real/nodes/network.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace equipoise {
namespace {

constexpr int probes_of_all = 5;
constexpr std::uint64_t first_bytes = std::uint64_t{256} << 10;
constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;
constexpr Seconds long_enough{0.02};

/// How long copies to and from a node take, which go on at the same time.
Seconds time_of(Nodes& nodes, int rank, std::size_t in_bytes, std::size_t out_bytes) {
  std::vector<LinkProbe> probes;
  if (in_bytes > 0) probes.push_back({rank, in_bytes, 0});
  if (out_bytes > 0) probes.push_back({rank, 0, out_bytes});
  const std::vector<LinkProbeTimes> times = nodes.probe_links(probes);
  return std::max(in_bytes > 0 ? times.front().there : Seconds{},
                  out_bytes > 0 ? times.back().back : Seconds{});
}

/// Enough bytes that moving them takes a while.
std::uint64_t large_payload(Nodes& nodes, int rank) {
  std::uint64_t bytes = first_bytes;
  while (bytes < most_bytes && time_of(nodes, rank, bytes, 0) < long_enough) bytes *= 4;
  return bytes;
}

/// What all of `probes` carry at once, in the direction `way`, in bytes/s.
double rate_of_all(Nodes& nodes, const std::vector<LinkProbe>& probes,
                   Seconds LinkProbeTimes::*way) {
  double bytes = 0.0;
  for (const LinkProbe& probe : probes) {
    bytes += static_cast<double>(probe.there_bytes + probe.back_bytes);
  }
  std::vector<double> longest_s;
  for (int i = 0; i < probes_of_all; ++i) {
    double longest = 0.0;
    for (const LinkProbeTimes& times : nodes.probe_links(probes)) {
      longest = std::max(longest, (times.*way).value);
    }
    longest_s.push_back(longest);
  }
  std::ranges::nth_element(longest_s, longest_s.begin() + probes_of_all / 2);
  return bytes / std::max(longest_s[probes_of_all / 2], 1e-9);
}

}  // namespace

MeasuredNetwork measure_network(Nodes& nodes) {
  MeasuredNetwork network;
  std::vector<LinkProbe> all_there;
  std::vector<LinkProbe> all_back;
  for (int rank = 1; rank < nodes.ranks(); ++rank) {
    const std::uint64_t bytes = large_payload(nodes, rank);
    network.nodes.push_back(measure_link_rates(
        [&nodes, rank](std::size_t in, std::size_t out) { return time_of(nodes, rank, in, out); },
        bytes));
    all_there.push_back({rank, bytes, 0});
    all_back.push_back({rank, 0, bytes});
  }
  network.all_there_bytes_per_s = rate_of_all(nodes, all_there, &LinkProbeTimes::there);
  network.all_back_bytes_per_s = rate_of_all(nodes, all_back, &LinkProbeTimes::back);
  return network;
}

}  // namespace equipoise
