// Computes what units need, and what several share, from timings and routes, and the rates at which
// it is offered from the scenario.
#include "shared_policies/solve/unit_needs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

double quotient(double limit, double per_item) {
  return per_item > 0.0 ? limit / per_item : std::numeric_limits<double>::infinity();
}

}  // namespace

CheapestBlocks::CheapestBlocks(std::span<const BlockTake> takes) {
  EQ_CHECK(!takes.empty() && takes.front().items > 0.0, "blocks have a size");
  // If nothing is taken at any size (copies of 0 bytes), one size is enough.
  const auto is_free = [](const BlockTake& take) { return take.takes == 0.0; };
  if (std::ranges::all_of(takes, is_free)) takes = takes.last(1);
  double least = std::numeric_limits<double>::infinity();
  kinks_.reserve(takes.size());
  for (const BlockTake& take : takes) {
    least = std::min(least, take.takes / take.items);
    kinks_.push_back({take.items, take.takes, least});
  }
}

double CheapestBlocks::within(double limit) const {
  const double by_largest = quotient(limit, kinks_.back().least_per_item);
  if (by_largest >= kinks_.back().items) return by_largest;
  for (std::size_t k = kinks_.size() - 1; k > 0; --k) {
    const Kink& low = kinks_[k - 1];
    const Kink& high = kinks_[k];
    double items = quotient(limit, low.least_per_item);  // in blocks of up to low.items
    if (high.takes <= limit) {
      items = high.items;
    } else if (low.takes <= limit) {  // one block of that size, or an equally costly one
      items = std::max(items, low.items + (high.items - low.items) * (limit - low.takes) /
                                              (high.takes - low.takes));
    }
    if (items >= low.items) return std::min(items, high.items);
  }
  return 0.0;
}

RateIntegral::RateIntegral(const StepFunction& rate, Seconds start) {
  stretches_.push_back({0.0, rate.at(start), 0.0});
  for (const Seconds change : rate.changes()) {
    if (change <= start) continue;
    const Stretch& last = stretches_.back();
    const double from_s = (change - start).value;
    stretches_.push_back({from_s, rate.at(change), last.done + last.rate * (from_s - last.from_s)});
  }
}

double RateIntegral::over(double span_s) const {
  const auto after =
      std::upper_bound(stretches_.begin() + 1, stretches_.end(), span_s,
                       [](double s, const Stretch& stretch) { return s < stretch.from_s; });
  const Stretch& stretch = *(after - 1);
  return stretch.done + stretch.rate * (span_s - stretch.from_s);
}

namespace {

/// A lower bound on what `takes` of a block adds up to, over any number of blocks.
CheapestBlocks cheapest(const std::vector<double>& sizes,
                        const std::function<double(double)>& takes) {
  std::vector<BlockTake> list;
  for (const double size : sizes) list.push_back({size, takes(size)});
  return CheapestBlocks(list);
}

/// The greatest of the rates.
double greatest(std::span<const double> values) { return std::ranges::max(values); }

/// The smallest and the largest value of `rate`.
std::set<double> extremes(const StepFunction& rate) {
  std::vector<double> values = {rate.at(Seconds{})};
  for (const Seconds change : rate.changes()) values.push_back(rate.at(change));
  return {std::ranges::min(values), std::ranges::max(values)};
}

}  // namespace

CheapestBlocks CopyDirection::takes(double c) const {
  return cheapest(sizes, [&](double x) { return c * latency_s(x) + moving_s(x); });
}

StepFunction CopyDirection::offered(double c, const StepFunction& present) const {
  return combined({rate, present},
                  [c](std::span<const double> now) { return std::max(c, now[0]) * now[1]; });
}

namespace {

/// The copies over `route`. `copies_alone`: the unit copies by itself, and no other unit uses its
/// links; then latencies count as moving.
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

/// All copies of a unit with one engine.
CopyDirection both_of(const CopyDirection& in, const CopyDirection& out) {
  CopyDirection both;
  both.rate = combined({in.rate, out.rate}, greatest);
  both.latency_s = [=](double x) { return in.latency_s(x) + out.latency_s(x); };
  both.moving_s = [=](double x) { return in.moving_s(x) + out.moving_s(x); };
  both.setup = in.setup;
  both.sizes = in.sizes;
  return both;
}

/// The sizes between which all costs are linear: the smallest block, the grain, the recorded sizes,
/// the largest block. Recorded sizes are of work as far as they are of computing, and of items as
/// far as they are of copies.
std::vector<double> kinks(const Unit& unit, const Workload& workload, const BlockTiming& timing,
                          const ShareMeasure& measure) {
  const Items rest = workload.items % workload.grain_items;
  constexpr double lightest = 1e-12;  // of the largest block: blocks have a size
  const auto items = static_cast<double>(workload.items);
  const auto least = static_cast<double>(rest > 0 ? rest : workload.grain_items);
  const double most = std::min(static_cast<double>(largest_block(unit, workload)), items);
  const double high = std::min(std::max(least, most) * measure.most, std::max(least, items));
  const double low = std::max(least * measure.least, lightest * high);
  std::vector<double> sizes = {low, static_cast<double>(workload.grain_items), high};
  for (const double size : timing.sizes()) {
    sizes.push_back(size);
    if (measure.most != 1.0) sizes.push_back(size * measure.most);
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

/// The least time in which a block reads resident data on `unit`, if an item has at most `most`
/// work. Empty if it reads none, or if a scenario may change that time or the unit's speed.
std::function<double(double)> stream_times(const DisturbedPlatform& world, const PlatformUnit& unit,
                                           const std::optional<ResidentStream>& stream,
                                           double most) {
  if (!stream || !world.scenario.speed_of(unit.unit.name).is_one()) return {};
  if (!world.rate_of(unit.in).is_one() || !world.rate_of(stream->bus).is_one()) return {};
  return [stream = *stream, most](double x) { return stream.time(x / most).value; };
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
  std::set<double> all = extremes(rate);
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
                     const BlockTiming& timing, const std::optional<ResidentStream>& stream,
                     const ShareMeasure& measure)
    : unit(p) {
  const PlatformUnit& the_unit = world.platform.units[p];
  const Presence presence = world.scenario.presence_of(the_unit.unit.name);
  ends_present = presence.changes.empty() ? presence.at_start : presence.changes.back().present;
  present = presence.function();
  std::vector<double> sizes = kinks(the_unit.unit, workload, timing, measure);
  const auto streams = stream_times(world, the_unit, stream, measure.most);
  const auto compute_s = [&](double x) {
    return measure.counts_computing ? timing.mean(x).value : 0.0;
  };
  if (streams) add_crossings(sizes, compute_s, streams);
  // Of a block of so many items or, if these differ, of one of at least so many. The directions of
  // the copies keep these functions.
  const auto least_bytes = [&timing, differ = measure.most != 1.0](
                               std::optional<double> (BlockTiming::*recorded)(double) const,
                               double per_item, double items) {
    double least = (timing.*recorded)(items).value_or(per_item * items);
    if (!differ) return least;
    for (const double size : timing.sizes()) {
      if (size > items) least = std::min(least, (timing.*recorded)(size).value_or(least));
    }
    return least;
  };
  const auto in_bytes = [least_bytes, &workload, most = measure.most](double x) {
    return least_bytes(&BlockTiming::in_bytes, workload.in_bytes_per_item, x / most);
  };
  const auto out_bytes = [least_bytes, &workload, most = measure.most](double x) {
    return least_bytes(&BlockTiming::out_bytes, workload.out_bytes_per_item, x / most);
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
  if (the_unit.unit.copy_engines < 2) directions.push_back(both_of(in, out));
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
void UnitNeeds::share_setup(const RemoteNode& of, double trunk_bytes_per_s) {
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
  for (Need& need : compute) need.offered = RateIntegral(need.rate, start);
  for (Need& copy : copies) copy.offered = RateIntegral(copy.rate, start);
  if (own_link_bytes) own_link_bytes->offered = RateIntegral(own_link_bytes->rate, start);
}

double UnitNeeds::computed_within(double span_s) const {
  double items = std::numeric_limits<double>::infinity();
  for (const Need& need : compute) items = std::min(items, need.within(span_s, 0.0));
  return items;
}

double UnitNeeds::copies_within(double span_s, double setup_bytes) const {
  double items = std::numeric_limits<double>::infinity();
  for (const Need& copy : copies) items = std::min(items, copy.within(span_s, setup_bytes));
  if (own_link_bytes) items = std::min(items, own_link_bytes->within(span_s, setup_bytes));
  return items;
}

namespace {

/// The units that use a link, as positions among the needs.
struct LinkUsers {
  std::vector<std::size_t> in;
  std::vector<std::size_t> out;

  [[nodiscard]] bool are_one_unit() const {
    return in.size() <= 1 && out.size() <= 1 && (in.empty() || out.empty() || in == out);
  }
};

void add_links(const DisturbedPlatform& world, std::vector<UnitNeeds>& needs,
               std::vector<SharedResource>& shared) {
  const Platform& platform = world.platform;
  std::vector<LinkUsers> users(platform.links.size());
  std::vector<std::vector<std::uint32_t>> own_links(needs.size());
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const PlatformUnit& unit = platform.units[needs[i].unit];
    for (const std::uint32_t link : unit.in.links) users[link].in.push_back(i);
    for (const std::uint32_t link : unit.out.links) users[link].out.push_back(i);
  }
  for (std::uint32_t link = 0; link < users.size(); ++link) {
    const auto& [in, out] = users[link];
    if (!platform.links[link].shared || (in.empty() && out.empty())) continue;
    if (users[link].are_one_unit()) {
      if (!in.empty() && !out.empty()) own_links[in.front()].push_back(link);
      continue;
    }
    SharedResource& resource = shared.emplace_back();
    resource.name = platform.links[link].name;
    resource.rate = world.link_bytes_per_s[link];
    for (const std::size_t i : in) {
      resource.users.push_back({i, needs[i].in_bytes_per_item, needs[i].setup_over(link)});
    }
    for (const std::size_t i : out) resource.users.push_back({i, needs[i].out_bytes_per_item, 0.0});
  }
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (!own_links[i].empty()) needs[i].set_own_links(world, own_links[i]);
  }
}

/// The smallest and the largest of all rates of an engine.
std::set<double> constants_of(const std::vector<UnitNeeds>& needs,
                              const std::vector<std::size_t>& units, std::size_t engine) {
  std::set<double> all;
  for (const std::size_t i : units) {
    all.merge(extremes(needs[i].engines[engine].rate));
  }
  return {*all.begin(), *all.rbegin()};
}

/// Adds the engine at position `engine` of the device that `units` share.
void add_engine(const std::vector<UnitNeeds>& needs, const std::vector<std::size_t>& units,
                std::size_t engine, std::vector<SharedResource>& shared) {
  for (const double c : constants_of(needs, units, engine)) {
    SharedResource resource;
    resource.name = "copies";
    std::vector<StepFunction> offered;
    for (const std::size_t i : units) {
      const CopyDirection& copies = needs[i].engines[engine];
      resource.users.push_back({i, copies.takes(c).per_item(), copies.setup});
      offered.push_back(copies.offered(c, needs[i].present));
    }
    resource.rate = combined(offered, greatest);
    shared.push_back(std::move(resource));
  }
}

void add_engines(const Platform& platform, const std::vector<UnitNeeds>& needs,
                 std::vector<SharedResource>& shared) {
  std::map<std::string, std::vector<std::size_t>> devices;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const std::string device = device_of(platform.units[needs[i].unit].unit);
    if (!device.empty()) devices[device].push_back(i);
  }
  for (const auto& [name, units] : devices) {
    if (units.size() < 2) continue;
    for (std::size_t engine = 0; engine < needs[units.front()].engines.size(); ++engine) {
      add_engine(needs, units, engine, shared);
    }
  }
}

}  // namespace

std::vector<SharedResource> find_shared_resources(const DisturbedPlatform& world,
                                                  std::vector<UnitNeeds>& needs) {
  std::vector<SharedResource> shared;
  add_links(world, needs, shared);
  add_engines(world.platform, needs, shared);
  return shared;
}

}  // namespace equipoise
