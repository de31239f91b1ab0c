// Computes the needs of a unit from timings and routes, and their rates from the scenario.
#include "shared_policies/solve/unit_needs.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <span>
#include <utility>

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

/// The time in which a block reads resident data on `unit`. Empty if it reads none, or if a
/// scenario may change that time or the unit's speed.
std::function<double(double)> stream_times(const DisturbedPlatform& world, const PlatformUnit& unit,
                                           const std::optional<ResidentStream>& stream) {
  if (!stream || !world.scenario.speed_of(unit.unit.name).is_one()) return {};
  if (!world.rate_of(unit.in).is_one() || !world.rate_of(stream->bus).is_one()) return {};
  return [stream = *stream](double x) { return stream.time(x).value; };
}

/// Adds the sizes at which `a` and `b`, which are linear between `sizes`, have the same value.
void add_crossings(std::vector<double>& sizes, const std::function<double(double)>& a,
                   const std::function<double(double)>& b) {
  std::vector<double> all = sizes;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    const double here = a(sizes[i]) - b(sizes[i]);
    const double there = a(sizes[i + 1]) - b(sizes[i + 1]);
    if (here * there >= 0.0) continue;
    all.push_back(sizes[i] + (sizes[i + 1] - sizes[i]) * here / (here - there));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  sizes = std::move(all);
}

/// 1, and the smallest and the largest value of `rate`.
std::set<double> extremes_and_one(const StepFunction& rate) {
  const std::vector<double> values = extremes(rate);
  std::set<double> all(values.begin(), values.end());
  all.insert(1.0);
  return all;
}

/// What the computation and the copies of a unit need that does one of them at a time, see
/// UnitNeeds.
std::vector<Need> one_at_a_time(const DisturbedPlatform& world, const PlatformUnit& unit,
                                const std::function<double(double)>& compute_s,
                                const CopyDirection& in, const CopyDirection& out,
                                const StepFunction& speed) {
  std::vector<Need> needs;
  const StepFunction in_rate = world.rate_of(unit.in);
  const StepFunction out_rate = world.rate_of(unit.out);
  for (const double a : extremes_and_one(in_rate)) {
    for (const double b : extremes_and_one(out_rate)) {
      const auto takes = [&](double x) {
        return a * b * compute_s(x) + b * in.moving_s(x) + a * out.moving_s(x);
      };
      needs.push_back({cheapest(in.sizes, takes), 0.0,
                       combined({speed, in_rate, out_rate}, [a, b](std::span<const double> now) {
                         return now[0] * std::max({a * b, b * now[1], a * now[2]});
                       })});
    }
  }
  return needs;
}

}  // namespace

double Need::within(double span_s, double setup_bytes) const {
  const double left = offered.over(span_s) - setup * setup_bytes;
  return left < 0.0 ? 0.0 : takes.within(left);
}

UnitNeeds::UnitNeeds(const DisturbedPlatform& world, const Workload& workload, std::size_t p,
                     const BlockTiming& timing, const std::optional<ResidentStream>& stream)
    : unit(p) {
  const PlatformUnit& the_unit = world.platform.units[p];
  const Presence presence = world.scenario.presence_of(the_unit.unit.name);
  ends_present = presence.changes.empty() ? presence.at_start : presence.changes.back().present;
  present = presence.function();
  std::vector<double> sizes = kinks(the_unit.unit, workload, timing);
  const auto streams = stream_times(world, the_unit, stream);
  const auto compute_s = [&](double x) { return timing.mean(x).value; };
  if (streams) add_crossings(sizes, compute_s, streams);
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
  if (streams) {
    in.moving_s = [copies = in.moving_s, streams](double x) { return copies(x) + streams(x); };
  }
  counts_setup = !stream || stream->is_remote;
  if (!counts_setup) in.setup = 0.0;
  out.setup = 0.0;
  std::vector<CopyDirection> directions = {in, out};
  if (the_unit.unit.copy_engines < 2) {
    directions.push_back(both_of(in, out));
  }
  const StepFunction speed = product(world.scenario.speed_of(the_unit.unit.name), present);
  if (copies_alone) {
    compute = one_at_a_time(world, the_unit, compute_s, in, out, speed);
  } else {
    const auto takes = [&](double x) {
      return streams ? std::max(compute_s(x), streams(x)) : compute_s(x);
    };
    compute.push_back({cheapest(sizes, takes), 0.0, speed});
  }
  if (!the_unit.unit.device.empty()) {
    engines = the_unit.unit.copy_engines == 1 ? std::vector{directions.back()} : directions;
  }
  for (const CopyDirection& direction : directions) {
    for (const double c : extremes(direction.rate)) {
      copies.push_back({direction.takes(c), direction.setup, direction.offered(c, present)});
    }
  }
}

/// All copies of the unit follow the arrival of the data in the node. How long the unit waits for
/// that, and whether it was there, is not known: under a scenario nothing is counted.
void UnitNeeds::share_setup(const SharingNode& of, double trunk_bytes_per_s) {
  node = of;
  for (Need& copy : copies) {
    const bool counts = copy.setup > 0.0 && copy.rate.is_one();
    copy.setup = counts ? 1.0 / trunk_bytes_per_s : 0.0;
  }
  for (CopyDirection& engine : engines) engine.setup = 0.0;
}

/// One of the n units that share the data may have sent them over the trunk for all, so each is
/// charged 1/n: sum over units of z_p / n <= max of z_p, where z_p is 1 if the unit works.
double UnitNeeds::setup_over(std::uint32_t link) const {
  if (!counts_setup) return 0.0;
  if (!node) return 1.0;
  const bool is_in_trunk = std::ranges::count(node->trunk, link) > 0;
  return is_in_trunk ? 1.0 / static_cast<double>(node->units.size()) : 0.0;
}

void UnitNeeds::set_own_links(const DisturbedPlatform& world,
                              const std::vector<std::uint32_t>& links) {
  const double bytes_per_item = in_bytes_per_item + out_bytes_per_item;
  own_link_bytes =
      Need{cheapest({1.0}, [=](double x) { return bytes_per_item * x; }),
           node || !counts_setup ? 0.0 : 1.0, product(world.bandwidth_of(links), present)};
}

void UnitNeeds::begin_at(Seconds start) {
  for (Need& need : compute) {
    need.offered = RateIntegral(need.rate, start);
  }
  for (Need& copy : copies) {
    copy.offered = RateIntegral(copy.rate, start);
  }
  if (own_link_bytes) {
    own_link_bytes->offered = RateIntegral(own_link_bytes->rate, start);
  }
}

double UnitNeeds::computed_within(double span_s) const {
  double items = std::numeric_limits<double>::infinity();
  for (const Need& need : compute) {
    items = std::min(items, need.within(span_s, 0.0));
  }
  return items;
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
