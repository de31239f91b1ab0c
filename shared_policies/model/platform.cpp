// Undisturbed transfers.
#include "shared_policies/model/platform.hpp"

#include <algorithm>

namespace equipoise {

Seconds transfer_time(const Platform& platform, const Route& route, double bytes) {
  if (route.links.empty() || bytes <= 0.0) return {};
  Seconds latency;
  double bandwidth = std::numeric_limits<double>::infinity();
  for (const std::uint32_t index : route.links) {
    latency += platform.links[index].latency;
    bandwidth = std::min(bandwidth, platform.links[index].bandwidth_bytes_per_s);
  }
  return latency + Seconds{bytes / bandwidth};
}

}  // namespace equipoise
