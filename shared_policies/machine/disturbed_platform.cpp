// Multiplies link bandwidths by the scenario's factors and takes the smallest along a route.
#include "shared_policies/machine/disturbed_platform.hpp"

#include <algorithm>
#include <span>

namespace equipoise {
namespace {

StepFunction scaled(StepFunction rate, double factor) {
  rate.multiply(Seconds{}, Seconds::infinity(), factor);
  return rate;
}

}  // namespace

DisturbedPlatform::DisturbedPlatform(const Platform& p, const Scenario& s)
    : platform(p), scenario(s) {
  for (const Link& link : platform.links) {
    link_bytes_per_s.push_back(
        scaled(scenario.bandwidth_of(link.name), link.bandwidth_bytes_per_s));
  }
}

StepFunction DisturbedPlatform::bandwidth_of(const std::vector<std::uint32_t>& links) const {
  std::vector<StepFunction> rates;
  for (const std::uint32_t link : links) rates.push_back(link_bytes_per_s[link]);
  if (rates.empty()) return {};
  return combined(rates, [](std::span<const double> now) { return std::ranges::min(now); });
}

StepFunction DisturbedPlatform::rate_of(const Route& route) const {
  if (route.links.empty()) return {};
  const double undisturbed = copy_speed_of(platform.links, route).bandwidth_bytes_per_s;
  return combined({bandwidth_of(route.links)},
                  [=](std::span<const double> now) { return now[0] / undisturbed; });
}

StepFunction DisturbedPlatform::copy_rate_of(const PlatformUnit& unit, const Route& route) const {
  if (unit.unit.copy_engines > 0) return rate_of(route);
  return product(rate_of(route), scenario.speed_of(unit.unit.name));
}

}  // namespace equipoise
