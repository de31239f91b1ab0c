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

CheapestBlocks cheapest(const std::vector<double>& sizes,
                        const std::function<double(double)>& takes) {
  std::vector<BlockTake> list;
  for (const double size : sizes) {
    list.push_back({size, takes(size)});
  }
  return CheapestBlocks(list);
}

double least(std::span<const double> values) {
  return *std::min_element(values.begin(), values.end());
}

double greatest(std::span<const double> values) {
  return *std::max_element(values.begin(), values.end());
}

/// The smallest and the largest value; a single value if they are equal.
std::vector<double> extremes(const StepFunction& rate) {
  std::vector<double> values = {rate.at(Seconds{})};
  for (const Seconds change : rate.changes()) {
    values.push_back(rate.at(change));
  }
  const double low = least(values);
  const double high = greatest(values);
  return low < high ? std::vector<double>{low, high} : std::vector<double>{low};
}

/// The copies of a unit in one direction, or in both directions through one copy engine.
struct CopyDirection {
  StepFunction rate;  ///< r(t)
  std::function<double(double)> latency_s;
  std::function<double(double)> moving_s;  ///< at the undisturbed bandwidth
  double setup = 0.0;                      ///< seconds for each setup byte
};

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

/// `copies_alone`: the unit copies by itself, and no other unit uses its links.
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
  return both;
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
  present_ = presence.function();
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
  const CopyDirection in = direction_of(world, the_unit, the_unit.in, in_bytes, copies_alone);
  CopyDirection out = direction_of(world, the_unit, the_unit.out, out_bytes, copies_alone);
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
  compute.rate = product(compute.rate, present_);
  for (const CopyDirection& direction : directions) {
    for (const double c : extremes(direction.rate)) {
      copies.push_back(
          {cheapest(sizes,
                    [&](double x) { return c * direction.latency_s(x) + direction.moving_s(x); }),
           direction.setup, combined({direction.rate, present_}, [c](std::span<const double> now) {
             return std::max(c, now[0]) * now[1];
           })});
    }
  }
}

void UnitNeeds::set_own_links(const DisturbedPlatform& world,
                              const std::vector<std::uint32_t>& links) {
  const double bytes_per_item = in_bytes_per_item + out_bytes_per_item;
  own_link_bytes = Need{cheapest({1.0}, [=](double x) { return bytes_per_item * x; }), 1.0,
                        product(world.bandwidth_of(links), present_)};
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
