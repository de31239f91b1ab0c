// Computes what copies take, and at which rate they are offered it.
#include "shared_policies/solve/copy_direction.hpp"

#include <algorithm>

namespace equipoise {
namespace {

double least(std::span<const double> values) {
  return *std::min_element(values.begin(), values.end());
}

}  // namespace

double greatest(std::span<const double> values) {
  return *std::max_element(values.begin(), values.end());
}

CheapestBlocks cheapest(const std::vector<double>& sizes,
                        const std::function<double(double)>& takes) {
  std::vector<BlockTake> list;
  for (const double size : sizes) {
    list.push_back({size, takes(size)});
  }
  return CheapestBlocks(list);
}

std::vector<double> extremes(const StepFunction& rate) {
  std::vector<double> values = {rate.at(Seconds{})};
  for (const Seconds change : rate.changes()) {
    values.push_back(rate.at(change));
  }
  const double low = least(values);
  const double high = greatest(values);
  return low < high ? std::vector<double>{low, high} : std::vector<double>{low};
}

CheapestBlocks CopyDirection::takes(double c) const {
  return cheapest(sizes, [&](double x) { return c * latency_s(x) + moving_s(x); });
}

StepFunction CopyDirection::offered(double c, const StepFunction& present) const {
  return combined({rate, present},
                  [c](std::span<const double> now) { return std::max(c, now[0]) * now[1]; });
}

CopyDirection direction_of(const DisturbedPlatform& world, const PlatformUnit& unit,
                           const Route& route, const std::function<double(double)>& bytes,
                           bool copies_alone) {
  const CopySpeed speed = copy_speed_of(world.platform.links, route);
  const double bandwidth = speed.bandwidth_bytes_per_s;
  const double latency_s = speed.latency.value;
  CopyDirection direction;
  direction.rate = copies_alone ? world.copy_rate_of(unit, route) : world.rate_of(route);
  const auto latency = [=](double x) { return bytes(x) > 0.0 ? latency_s : 0.0; };
  direction.latency_s = [=](double x) { return copies_alone ? 0.0 : latency(x); };
  direction.moving_s = [=](double x) {
    return bytes(x) / bandwidth + (copies_alone ? latency(x) : 0.0);
  };
  direction.setup = 1.0 / bandwidth;
  return direction;
}

CopyDirection both_of(const CopyDirection& in, const CopyDirection& out) {
  CopyDirection both;
  both.rate = combined({in.rate, out.rate}, greatest);
  both.latency_s = [=](double x) { return in.latency_s(x) + out.latency_s(x); };
  both.moving_s = [=](double x) { return in.moving_s(x) + out.moving_s(x); };
  both.setup = in.setup;
  both.sizes = in.sizes;
  return both;
}

}  // namespace equipoise
