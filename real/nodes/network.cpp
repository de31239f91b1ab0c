// Probes of single bytes and of large payloads, one node at a time and all at once.
#include "real/nodes/network.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace equipoise {
namespace {

constexpr int latency_probes = 21;
constexpr int bandwidth_probes = 5;
constexpr std::uint64_t first_bytes = std::uint64_t{256} << 10;
constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;
constexpr Seconds long_enough{0.02};

Seconds median(std::vector<Seconds> values) {
  std::ranges::sort(values, {}, &Seconds::value);
  return values[values.size() / 2];
}

/// The times of one probe, made several times.
LinkProbeTimes usual_times(Nodes& nodes, const LinkProbe& probe, int count) {
  std::vector<Seconds> there;
  std::vector<Seconds> back;
  for (int i = 0; i < count; ++i) {
    const LinkProbeTimes times = nodes.probe_links({probe}).front();
    there.push_back(times.there);
    back.push_back(times.back);
  }
  return {median(std::move(there)), median(std::move(back))};
}

/// How long all of `probes` take at once, there or back.
Seconds time_of_all(Nodes& nodes, const std::vector<LinkProbe>& probes) {
  std::vector<Seconds> spans;
  for (int i = 0; i < bandwidth_probes; ++i) {
    Seconds longest;
    for (const LinkProbeTimes& times : nodes.probe_links(probes)) {
      longest = std::max(longest, times.there + times.back);
    }
    spans.push_back(longest);
  }
  return median(std::move(spans));
}

double rate(double bytes, Seconds span) { return bytes / std::max(span.value, 1e-9); }

/// Enough bytes that moving them takes a while.
std::uint64_t large_payload(Nodes& nodes, int rank) {
  std::uint64_t bytes = first_bytes;
  while (bytes < most_bytes && nodes.probe_links({{rank, bytes, 0}}).front().there < long_enough) {
    bytes *= 4;
  }
  return bytes;
}

}  // namespace

MeasuredNetwork measure_network(Nodes& nodes) {
  MeasuredNetwork network;
  std::vector<LinkProbe> all_there;
  std::vector<LinkProbe> all_back;
  double all_bytes = 0.0;
  for (int rank = 1; rank < nodes.ranks(); ++rank) {
    const LinkProbeTimes small = usual_times(nodes, {rank, 1, 1}, latency_probes);
    const std::uint64_t bytes = large_payload(nodes, rank);
    const auto payload = static_cast<double>(bytes);
    // The answer to a payload without any itself takes the latency.
    const LinkProbeTimes large = usual_times(nodes, {rank, bytes, bytes}, bandwidth_probes);
    network.there.push_back({small.there, rate(payload, large.there - small.there)});
    network.back.push_back({small.back, rate(payload, large.back - small.back)});
    const Seconds both = time_of_all(nodes, {{rank, bytes, 0}, {rank, 0, bytes}});
    network.both_bytes_per_s.push_back(rate(2.0 * payload, both - small.there - small.back));
    all_there.push_back({rank, bytes, 0});
    all_back.push_back({rank, 0, bytes});
    all_bytes += payload;
  }
  const auto slowest = [](const std::vector<CopySpeed>& links) {
    return std::ranges::max_element(links, {},
                                    [](const CopySpeed& link) { return link.latency.value; })
        ->latency;
  };
  const Seconds around = slowest(network.there) + slowest(network.back);
  network.all_there_bytes_per_s = rate(all_bytes, time_of_all(nodes, all_there) - around);
  network.all_back_bytes_per_s = rate(all_bytes, time_of_all(nodes, all_back) - around);
  return network;
}

}  // namespace equipoise
