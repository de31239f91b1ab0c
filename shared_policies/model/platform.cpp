// Latency, bandwidth and duration of transfers without contention; names of profiles.
#include "shared_policies/model/platform.hpp"

#include <algorithm>
#include <limits>

namespace equipoise {

std::string profile_name(std::size_t i) { return "profile:" + std::to_string(i); }

Seconds latency_of(const std::vector<Link>& links, const Route& route) {
  Seconds sum;
  for (const std::uint32_t link : route.links) sum += links[link].latency;
  return sum;
}

double bandwidth_of(const std::vector<Link>& links, const Route& route) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::uint32_t link : route.links) {
    least = std::min(least, links[link].bandwidth_bytes_per_s);
  }
  return least;
}

Seconds transfer_time(const Platform& platform, const Route& route, double bytes) {
  if (route.links.empty() || bytes <= 0.0) return {};
  return latency_of(platform.links, route) + Seconds{bytes / bandwidth_of(platform.links, route)};
}

}  // namespace equipoise
