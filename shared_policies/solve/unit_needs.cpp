// Computes the needs of a unit from timings and routes, and their rates from the scenario.
#include "shared_policies/solve/unit_needs.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace equipoise {
namespace {

/// The sizes between which all costs are linear: the smallest block, the grain, the recorded sizes,
/// the largest block.
std::vector<double> kinks(const Unit& unit, const Workload& workload, const BlockTiming& timing) {
  const Items rest = workload.items % workload.grain_items;
  const auto low = static_cast<double>(rest > 0 ? rest : workload.grain_items);
  const auto high =
      std::max(low, static_cast<double>(std::min(largest_block(unit, workload), workload.items)));
  std::vector<double> sizes = {low, static_cast<double>(workload.grain_items), high};
  for (const double size : timing.sizes()) {
    sizes.push_back(size);
  }
  std::sort(sizes.begin(), sizes.end());
  std::vector<double> inside;
  for (const double size : sizes) {
    if (size >= low && size <= high && (inside.empty() || size > inside.back())) {
      inside.push_back(size);
    }
  }
  return inside;
}

/// Whether no other unit uses a shared link on the routes of unit `p`.
bool has_links_alone(const Platform& platform, std::size_t p) {
  const auto uses = [&](const PlatformUnit& unit, std::uint32_t link) {
    return std::ranges::count(unit.in.links, link) + std::ranges::count(unit.out.links, link) > 0;
  };
  const auto is_shared = [&](std::uint32_t link) {
    if (!platform.links[link].shared) return false;
    for (std::size_t q = 0; q < platform.units.size(); ++q) {
      if (q != p && uses(platform.units[q], link)) return true;
    }
    return false;
  };
  const PlatformUnit& unit = platform.units[p];
  return std::ranges::none_of(unit.in.links, is_shared) &&
         std::ranges::none_of(unit.out.links, is_shared);
}

}  // namespace

double Need::within(double span_s, double setup_bytes) const {
  const double left = offered.over(span_s) - setup * setup_bytes;
  return left < 0.0 ? 0.0 : takes.within(left);
}

UnitNeeds::UnitNeeds(const DisturbedPlatform& world, const Workload& workload, std::size_t p,
                     const BlockTiming& timing)
    : unit(p),
      compute{cheapest(kinks(world.platform.units[p].unit, workload, timing),
                       [&](double x) { return timing.mean(x).value; }),
              0.0, world.scenario.speed_of(world.platform.units[p].unit.name)} {
  const PlatformUnit& the_unit = world.platform.units[p];
  const Presence presence = world.scenario.presence_of(the_unit.unit.name);
  ends_present = presence.changes.empty() ? presence.at_start : presence.changes.back().present;
  present = presence.function();
  const std::vector<double> sizes = kinks(the_unit.unit, workload, timing);
  const auto in_bytes = [&](double x) {
    return timing.in_bytes(x).value_or(workload.in_bytes_per_item * x);
  };
  const auto out_bytes = [&](double x) {
    return timing.out_bytes(x).value_or(workload.out_bytes_per_item * x);
  };
  in_bytes_per_item = cheapest(sizes, in_bytes).per_item();
  out_bytes_per_item = cheapest(sizes, out_bytes).per_item();
  const bool copies_alone = the_unit.unit.copy_engines == 0 && has_links_alone(world.platform, p);
  CopyDirection in = direction_of(world, the_unit, the_unit.in, in_bytes, copies_alone);
  CopyDirection out = direction_of(world, the_unit, the_unit.out, out_bytes, copies_alone);
  in.sizes = out.sizes = sizes;
  out.setup = 0.0;
  std::vector<CopyDirection> directions = {in, out};
  if (the_unit.unit.copy_engines < 2) {
    directions.push_back(both_of(in, out));
  }
  if (copies_alone) {
    const CopyDirection& copies_of_block = directions.back();
    compute.takes = cheapest(sizes, [&](double x) {
      return timing.mean(x).value + copies_of_block.latency_s(x) + copies_of_block.moving_s(x);
    });
    compute.rate = combined({compute.rate, copies_of_block.rate}, greatest);
  }
  compute.rate = product(compute.rate, present);
  if (!the_unit.unit.device.empty()) {
    engines = the_unit.unit.copy_engines == 1 ? std::vector{directions.back()} : directions;
  }
  for (const CopyDirection& direction : directions) {
    for (const double c : extremes(direction.rate)) {
      copies.push_back({direction.takes(c), direction.setup, direction.offered(c, present)});
    }
  }
}

void UnitNeeds::set_own_links(const DisturbedPlatform& world,
                              const std::vector<std::uint32_t>& links) {
  const double bytes_per_item = in_bytes_per_item + out_bytes_per_item;
  own_link_bytes = Need{cheapest({1.0}, [=](double x) { return bytes_per_item * x; }), 1.0,
                        product(world.bandwidth_of(links), present)};
}

void UnitNeeds::begin_at(Seconds start) {
  compute.offered = RateIntegral(compute.rate, start);
  for (Need& copy : copies) {
    copy.offered = RateIntegral(copy.rate, start);
  }
  if (own_link_bytes) {
    own_link_bytes->offered = RateIntegral(own_link_bytes->rate, start);
  }
}

double UnitNeeds::copies_within(double span_s, double setup_bytes) const {
  double items = std::numeric_limits<double>::infinity();
  for (const Need& copy : copies) {
    items = std::min(items, copy.within(span_s, setup_bytes));
  }
  if (own_link_bytes) {
    items = std::min(items, own_link_bytes->within(span_s, setup_bytes));
  }
  return items;
}

}  // namespace equipoise
