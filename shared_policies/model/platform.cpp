// The speed of copies over a route; names of profiles.
#include "shared_policies/model/platform.hpp"

#include <algorithm>

namespace equipoise {

std::string profile_name(std::size_t i) { return "profile:" + std::to_string(i); }

CopySpeed copy_speed_of(const std::vector<Link>& links, const Route& route) {
  CopySpeed speed;
  for (const std::uint32_t link : route.links) {
    speed.latency += links[link].latency;
    speed.bandwidth_bytes_per_s =
        std::min(speed.bandwidth_bytes_per_s, links[link].bandwidth_bytes_per_s);
  }
  return speed;
}

}  // namespace equipoise
