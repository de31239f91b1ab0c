// Draws machines: units, links, memory, times.
#include "shared_policies/contract/random_machine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "shared_policies/fit/timing_curve.hpp"
#include "shared_policies/machine/resident_data.hpp"

namespace equipoise {
namespace {

/// The times of a unit at three sizes; its speed may rise or fall with size.
Trace random_trace(std::mt19937& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  Trace trace;
  trace.kernel = "test";
  trace.units.resize(1);
  double time_s = uniform(1e-4, 1e-1);
  double items = std::floor(uniform(1, 50));
  for (int i = 0; i < 3; ++i) {
    TraceSample sample;
    sample.items = items;
    sample.compute_mean_s = time_s;
    trace.samples.push_back(sample);
    const double factor = uniform(2, 20);
    items = std::floor(items * factor);
    time_s *= factor * uniform(0.6, 1.3);
  }
  return trace;
}

/// Gives a unit its own links: one for each direction or, sometimes, if it has one copy engine, one
/// for both directions.
void add_links(PlatformUnit& unit, std::vector<Link>& links, std::mt19937& random) {
  std::uniform_real_distribution<double> exponent(3, 8);
  const auto add = [&] {
    links.push_back({"link" + std::to_string(links.size()), std::pow(10, exponent(random)),
                     Seconds{1e-5 * static_cast<double>(random() % 10)}});
    return static_cast<std::uint32_t>(links.size() - 1);
  };
  unit.in.links = {add()};
  const bool has_two = unit.unit.copy_engines == 2 || random() % 2 == 0;
  unit.out.links = has_two ? std::vector<std::uint32_t>{add()} : unit.in.links;
}

/// The times of `unit` of `platform`; the unit shares no link.
FakeUnit table_of(const Platform& platform, const PlatformUnit& unit, const Workload& workload,
                  const BlockTiming& timing, const std::optional<ResidentStream>& stream) {
  const auto moved = [&](const Route& route, double bytes_per_item) {
    return [=, speed = copy_speed_of(platform.links, route)](double items) {
      return speed.time(bytes_per_item * items).value;
    };
  };
  FakeUnit fake;
  fake.compute_s = [timing](double items) { return timing.mean(items).value; };
  fake.in_s = moved(unit.in, workload.in_bytes_per_item);
  fake.out_s = moved(unit.out, workload.out_bytes_per_item);
  const CopySpeed in = copy_speed_of(platform.links, unit.in);
  fake.resident_s = in.time(workload.resident_bytes).value;
  fake.iteration_s = in.time(workload.iteration_bytes).value;
  fake.is_replicated = workload.distribution == Distribution::replicated;
  const auto link_of = [&](const Route& route) {
    if (route.links.empty()) return FakeLink{};
    return FakeLink{platform.links[route.links[0]].name,
                    copy_speed_of(platform.links, route).latency.value};
  };
  const auto probed = [&](const Route& route) -> std::function<double(double)> {
    if (route.links.empty()) return {};
    return [speed = copy_speed_of(platform.links, route)](double bytes) {
      return speed.message_time(bytes).value;
    };
  };
  fake.probe_there_s = probed(unit.in);
  fake.probe_back_s = probed(unit.out);
  fake.in = link_of(unit.in);
  fake.out = link_of(unit.out);
  fake.copy_engines = unit.unit.copy_engines;
  fake.device = device_of(unit.unit);
  fake.memory_items = items_in_memory(unit.unit, workload);
  if (stream) fake.stream_s = [stream = *stream](double items) { return stream.time(items).value; };
  return fake;
}

Workload random_workload(std::mt19937& random) {
  const auto upto = [&](int most) { return std::uniform_int_distribution<int>(1, most)(random); };
  Workload workload;
  workload.kernel = "test";
  // Drawn one after another, because C++ leaves the order of arguments' evaluation open.
  workload.iterations = upto(3);
  workload.grain_items = upto(8);
  workload.items = upto(4) == 1 ? upto(20) : upto(20'000);
  if (upto(2) == 1) {
    workload.in_bytes_per_item = upto(200) - 1;
    workload.out_bytes_per_item = upto(200) - 1;
    workload.resident_bytes = upto(2) == 1 ? upto(10'000) : 0.0;
    const double changes = 0.25 * (upto(5) - 1);  // the share that changes between iterations
    workload.iteration_bytes = changes * workload.resident_bytes;
    const bool is_replicated = std::fmod(workload.resident_bytes, 3.0) == 1.0;
    workload.distribution = is_replicated ? Distribution::replicated : Distribution::master;
  }
  return workload;
}

/// Puts the units of each node on one device, in half of all cases, with the copy engines and links
/// of its first unit. `random` is a copy, so that everything else is drawn as without devices.
void share_devices(RandomMachine& c, std::mt19937 random) {
  std::map<std::string, std::optional<std::size_t>> first_of;  // by node; none: no device there
  for (std::size_t i = 0; i < c.platform.units.size(); ++i) {
    PlatformUnit& unit = c.platform.units[i];
    const auto [found, is_new] = first_of.try_emplace(unit.unit.node);
    if (is_new && random() % 2 == 0) found->second = i;
    if (!found->second) continue;
    const PlatformUnit& first = c.platform.units[*found->second];
    unit.unit.device = "card";
    unit.unit.copy_engines = first.unit.copy_engines;
    unit.in = first.in;
    unit.out = first.out;
    c.run.units[i] = unit.unit;
  }
}

/// Takes memory from accelerators, in half of all cases, so that blocks read resident data.
/// `random` is a copy, as above.
void take_memory(RandomMachine& c, std::mt19937 random) {
  double most = 0.0;   // resident data of a phase
  double grain = 0.0;  // the largest, of which an item occupies a byte
  for (const Workload& phase : c.run.phases) {
    most = std::max(most, phase.resident_bytes);
    grain = std::max(grain, static_cast<double>(phase.grain_items));
  }
  for (std::size_t i = 0; i < c.run.units.size(); ++i) {
    Unit& unit = c.platform.units[i].unit;
    const bool takes = random() % 2 == 0;
    if (!takes || !unit.memory_bytes || unit.kind == UnitKind::cpu) continue;
    unit.memory_bytes = grain + std::uniform_real_distribution<double>(0.0, 1.0)(random) * most;
    c.run.units[i] = unit;
  }
}

/// Makes the items of a third of the phases differ. `random` is a copy, as above.
std::vector<ItemCostsPtr> random_costs(const std::vector<Workload>& phases, std::mt19937 random) {
  constexpr std::array patterns = {CostPattern::increasing, CostPattern::decreasing,
                                   CostPattern::gaussian, CostPattern::bimodal,
                                   CostPattern::exponential};
  std::vector<ItemCostsPtr> costs;
  for (const Workload& phase : phases) {
    const CostPattern pattern = patterns[random() % patterns.size()];
    const bool differ = random() % 3 == 0;
    costs.push_back(
        differ ? std::make_shared<ItemCosts>(generated_costs(pattern, phase.items, random()))
               : nullptr);
  }
  return costs;
}

/// Draws how long merges take: nothing in half of all cases, else up to the time in which units
/// fail and come back. `random` is a copy, as above.
Seconds random_merge(std::mt19937 random) {
  const double span_s = random() % 2 == 0 ? 0.0 : 2.0;
  return Seconds{std::uniform_real_distribution<double>(0.0, 1.0)(random) * span_s};
}

/// Draws units and links, without times.
RandomMachine random_units(std::mt19937& random, std::vector<Workload> phases) {
  const auto upto = [&](int most) { return std::uniform_int_distribution<int>(1, most)(random); };
  RandomMachine c;
  const auto units = static_cast<std::size_t>(upto(6));
  double least_bytes = 0.0;  // memory that holds a grain of every phase
  const bool memory_counts = upto(2) == 1;
  for (Workload& phase : phases) {
    if (memory_counts) phase.memory_bytes_per_item = 1;
    least_bytes =
        std::max(least_bytes, phase.resident_bytes + static_cast<double>(phase.grain_items));
  }
  for (std::size_t i = 0; i < units; ++i) c.run.units.emplace_back().name = "u" + std::to_string(i);
  c.run.phases = std::move(phases);
  for (std::size_t i = 0; i < units; ++i) {
    PlatformUnit unit{c.run.units[i], c.run.units[i].name, {}, {}};
    unit.unit.kind = upto(2) == 1 ? UnitKind::gpu : UnitKind::cpu;
    const int node = upto(3);
    unit.unit.node = "node" + std::to_string(node);
    unit.unit.is_remote = node == 3;
    unit.unit.copy_engines = upto(2);
    if (upto(4) > 1) add_links(unit, c.platform.links, random);
    if (memory_counts && upto(2) == 1) unit.unit.memory_bytes = least_bytes + upto(1000);
    unit.unit.slots = upto(3);
    c.run.units[i] = unit.unit;
    c.platform.units.push_back(unit);
  }
  share_devices(c, random);
  take_memory(c, random);
  c.fake.merge = random_merge(random);
  c.fake.items = random_costs(c.run.phases, random);
  c.known.items.assign(c.fake.items.begin(), c.fake.items.end());
  return c;
}

/// Draws times for every kernel; phases with the same kernel have the same times.
void add_times(RandomMachine& c, std::mt19937& random) {
  std::map<std::string, std::vector<BlockTiming>> by_kernel;
  c.known.phases.clear();
  for (const Workload& phase : c.run.phases) {
    std::vector<BlockTiming>& timings = by_kernel[phase.kernel];
    while (timings.size() < c.run.units.size()) timings.emplace_back(random_trace(random), 0);
    std::vector<FakeUnit> fakes;
    KnownCosts::Phase& known = c.known.phases.emplace_back();
    const auto streams = resident_streams(c.platform, phase);
    for (std::size_t i = 0; i < c.run.units.size(); ++i) {
      const PlatformUnit& unit = c.platform.units[i];
      fakes.push_back(table_of(c.platform, unit, phase, timings[i], streams[i]));
      const TimingCurve::Moving moving = moving_of(c.platform, unit, phase, {});
      known.push_back(std::make_unique<TimingCurve>(timings[i], moving, streams[i]));
    }
    c.timings.push_back(timings);
    if (c.timings.size() == 1) {
      c.fake.units = std::move(fakes);
    } else {
      c.fake.later_phases.push_back(std::move(fakes));
    }
  }
}

}  // namespace

Items RandomMachine::items() const {
  Items sum = 0;
  for (const Workload& phase : run.phases) sum += phase.items * phase.iterations;
  return sum;
}

RandomMachine random_machine(std::mt19937& random) {
  RandomMachine c = random_units(random, {random_workload(random)});
  add_times(c, random);
  return c;
}

RandomMachine random_machine_with_phases(std::mt19937& random) {
  std::vector<Workload> phases;
  for (const char* kernel : {"first", "second", "first"}) {
    phases.push_back(random_workload(random));
    phases.back().kernel = kernel;
  }
  RandomMachine c = random_units(random, std::move(phases));
  add_times(c, random);
  return c;
}

void add_faults(RandomMachine& c, std::mt19937& random) {
  const auto units = static_cast<std::uint32_t>(c.run.units.size());
  std::uniform_real_distribution<double> when(0.0, 5.0);
  for (int i = 0; i < 5; ++i) {
    const UnitId unit{static_cast<std::uint32_t>(random()) % units};
    const double at_s = when(random);
    c.fake.faults.push_back({Seconds{at_s}, unit, false});
    c.fake.faults.push_back({Seconds{at_s + when(random)}, unit, true});
  }
  for (std::uint32_t i = 0; i < units; ++i) {
    c.fake.faults.push_back({Seconds{1e4}, UnitId{i}, true});
  }
}

void add_scenario(RandomMachine& c, std::mt19937& random) {
  std::vector<std::string> links;
  for (const Link& link : c.platform.links) links.push_back(link.name);
  c.fake.scenario = random_scenario(c.run.units.size(), links, 2.0, random);
  c.run.absent_at_start = absent_at_start(c.fake);
}

Scenario random_scenario(std::size_t units, const std::vector<std::string>& links, double span_s,
                         std::mt19937& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto seconds = [&] { return Seconds{uniform(0, span_s)}; };
  Scenario scenario;
  const auto add = [&](DisturbanceKind kind, const std::string& target, double amount) {
    Disturbance event{
        .at = seconds(), .kind = kind, .target = target, .amount = amount, .profile = {}};
    if (random() % 2 == 0) event.until = event.at + seconds();
    scenario.events.push_back(event);
  };
  for (std::size_t i = 0; i < units; ++i) {
    const std::string unit = "u" + std::to_string(i);
    if (random() % 3 == 0) add(DisturbanceKind::compete, unit, uniform(0, 0.9));
    if (random() % 3 == 0) add(DisturbanceKind::slow, unit, uniform(0.2, 5));
    if (random() % 3 == 0) {
      add(DisturbanceKind::profile, unit, 1.0);
      scenario.events.back().profile = {{Seconds{}, uniform(0.1, 2)},
                                        {Seconds{uniform(0.01, 1) * span_s}, uniform(0.1, 2)}};
    }
    Seconds at;  // the next event of this unit comes after it
    if (random() % 4 == 0) {
      at = seconds();
      scenario.events.push_back(
          {.at = at, .kind = DisturbanceKind::join, .target = unit, .profile = {}});
    }
    for (; random() % 2 == 0; at = scenario.events.back().until) {
      at += seconds();
      scenario.events.push_back({.at = at,
                                 .until = at + Seconds{1e-6} + seconds(),
                                 .kind = DisturbanceKind::fail,
                                 .target = unit,
                                 .profile = {}});
    }
  }
  for (const std::string& link : links) {
    if (random() % 3 == 0) add(DisturbanceKind::bandwidth, link, uniform(0.1, 3));
  }
  return scenario;
}

}  // namespace equipoise
