// Generates platforms and modelled traces from machine figures.
#include "platforms/machine_spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"

namespace equipoise {
namespace {

constexpr Items size_step = 4;
constexpr double rounds_in_full = 16.0;  ///< so many steps of a unit's times are in its trace

/// The bandwidth of the unit's memory that the kernel reaches; 0: not limited.
double reached_bytes_per_s(const UnitFigures& unit, const TraceChoice& trace) {
  return trace.cost.efficiency.at(unit.kind) * unit.memory_bytes_per_s;
}

double roofline_items_per_s(const UnitFigures& unit, const TraceChoice& trace) {
  const auto known = unit.items_per_s.find(trace.kernel);
  if (known != unit.items_per_s.end()) return known->second;
  const double efficiency = trace.cost.efficiency.at(unit.kind);
  const double share = trace.element_bytes == 8 ? unit.double_share.value_or(0.0) : 1.0;
  double seconds = trace.cost.flop / (efficiency * unit.peak_flop_per_s * share);
  const double bytes_per_s = reached_bytes_per_s(unit, trace);
  if (bytes_per_s > 0.0) seconds = std::max(seconds, trace.cost.traffic_bytes / bytes_per_s);
  return 1.0 / seconds;
}

/// The trace's own round for this kind of unit, else the unit's for this kernel, else the kernel's.
double round_of(const UnitFigures& unit, const TraceChoice& trace) {
  const auto own = trace.round_items.find(unit.kind);
  if (own != trace.round_items.end()) return own->second;
  const auto units = unit.round_items.find(trace.kernel);
  if (units != unit.round_items.end()) return units->second;
  const auto kernels = trace.cost.round_items.find(unit.kind);
  return kernels == trace.cost.round_items.end() ? 1.0 : kernels->second;
}

}  // namespace

double BlockCost::seconds(double items) const {
  const double whole = std::ceil(items / round_items) * round_items;
  return startup_s + std::max((whole + half_saturation_items) / items_per_s, resident_s);
}

BlockCost block_cost(const UnitFigures& unit, const TraceChoice& trace) {
  BlockCost cost;
  cost.startup_s = unit.startup_s;
  const auto half = trace.half_saturation_items.find(unit.kind);
  cost.half_saturation_items = half == trace.half_saturation_items.end()
                                   ? unit.half_saturation_threads / trace.cost.threads
                                   : half->second;
  cost.items_per_s = roofline_items_per_s(unit, trace);
  cost.round_items = round_of(unit, trace);
  const double bytes_per_s = reached_bytes_per_s(unit, trace);
  if (bytes_per_s > 0.0) cost.resident_s = trace.cost.resident_memory_bytes / bytes_per_s;
  return cost;
}

std::vector<Items> timed_sizes(const BlockCost& cost, Items largest) {
  std::vector<Items> sizes;
  const auto add = [&](double items) {
    if (items < static_cast<double>(largest)) sizes.push_back(static_cast<Items>(items));
  };
  if (cost.round_items <= 1.0) {
    for (Items size = 1; size < largest; size *= size_step) sizes.push_back(size);
  } else {
    const double last = std::ceil(static_cast<double>(largest) / cost.round_items);
    add(1.0);
    for (double round = 1.0; round <= last; round += round < rounds_in_full ? 1.0 : round) {
      add(round * cost.round_items);
      add(round * cost.round_items + 1.0);
    }
  }
  sizes.push_back(largest);
  return sizes;
}

namespace {

constexpr std::uint64_t samples_of_a_summary = 10;

/// Rounds to seven digits: figures are not more precise, and the last bit of a sum must not change
/// a file.
double rounded(double value) { return std::strtod(fmt::format("{:.7g}", value).c_str(), nullptr); }

Unit unit_of(const MachineFigures& machine, const UnitFigures& figures, int number) {
  Unit unit = figures;
  unit.name = unit_name(machine, figures, number);
  unit.node = machine.id;
  return unit;
}

/// The unit of traces that times the units of `figures`.
std::string trace_unit_of(const MachineFigures& machine, const UnitFigures& figures) {
  if (!figures.trace_unit.empty()) return figures.trace_unit;
  MachineFigures first;
  first.id = machine.like;
  return unit_name(first, figures, 0);
}

/// Adds the two links of `figures`, with the names `in` and `out`.
void add_links(PlatformDescription& platform, const LinkFigures& figures, const std::string& in,
               const std::string& out) {
  platform.links.push_back({.name = in,
                            .bandwidth_bytes_per_s = figures.in_bytes_per_s,
                            .latency = Seconds{figures.latency_s}});
  platform.links.push_back({.name = out,
                            .bandwidth_bytes_per_s = figures.out_bytes_per_s,
                            .latency = Seconds{figures.out_latency_s.value_or(figures.latency_s)}});
}

/// The name of the bus of unit `number` of `figures`: of its device, of all equal units, or its
/// own.
std::string bus_of(const MachineFigures& machine, const UnitFigures& figures, int number) {
  if (!figures.device.empty()) return machine.id + "." + figures.device + ".device";
  if (figures.shares_bus) return machine.id + "." + figures.name + ".bus";
  return unit_name(machine, figures, number) + ".bus";
}

/// Adds the units of `machine`. `in` and `out` are the links between the master's memory and that
/// of the machine.
void add_machine(PlatformDescription& platform, const MachineFigures& machine,
                 const std::vector<std::string>& in, const std::vector<std::string>& out) {
  std::set<std::string> buses;  // those that are there
  for (const UnitFigures& figures : machine.units) {
    for (int i = 0; i < figures.count; ++i) {
      std::vector<std::string> to = in;
      std::vector<std::string> from = out;
      if (figures.bus) {
        const std::string bus = bus_of(machine, figures, i);
        if (buses.insert(bus).second) {
          add_links(platform, *figures.bus, bus + ".in", bus + ".out");
        }
        to.push_back(bus + ".in");
        from.insert(from.begin(), bus + ".out");
      }
      if (to.empty()) to = from = {free_link};
      const Unit unit = unit_of(machine, figures, i);
      platform.hosts.push_back(describe_unit(unit, trace_unit_of(machine, figures)));
      platform.routes.push_back({.from = master_host, .to = unit.name, .links = to});
      platform.routes.push_back({.from = unit.name, .to = master_host, .links = from});
    }
  }
}

/// The names of the machines; of equal ones that follow one another, the first and the last:
/// n0..n3.
std::string machines_text(const MachineSpec& spec, const std::vector<std::size_t>& machines) {
  std::string text;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const MachineFigures& first = spec.machines[machines[i]];
    text += (text.empty() ? "" : " ") + first.id;
    std::size_t last = i;
    while (last + 1 < machines.size() && spec.machines[machines[last + 1]].like == first.like) {
      ++last;
    }
    if (last > i + 1) text += "..";
    if (last > i) text += (last == i + 1 ? " " : "") + spec.machines[machines[last]].id;
    i = last;
  }
  return text;
}

std::string platform_comment(const MachineSpec& spec, const PlatformChoice& choice) {
  std::string machines = " " + machines_text(spec, choice.machines);
  if (!choice.without.empty()) {
    machines += fmt::format(", without {}", fmt::join(choice.without, " "));
  }
  return fmt::format(
      "Made by `equipoise platform generate` from {}; machines:{}.\n{}\nSpeeds are dummies; times "
      "come from traces. `RAM` is the memory of the first machine and holds the input.",
      spec.file, machines, spec.source);
}

/// The largest block of `trace` that fits in the unit's memory; 0 if not even one item does.
Items largest_of(const Unit& unit, const TraceChoice& trace) {
  Workload workload;
  workload.kernel = trace.kernel;
  workload.items = trace.items;
  workload.resident_bytes = trace.cost.resident_bytes;
  workload.resident_memory_bytes = trace.cost.resident_memory_bytes;
  workload.memory_bytes_per_item = trace.cost.memory_bytes;
  return largest_block(unit, workload);
}

void add_samples(Trace& result, const MachineSpec& spec, const TraceChoice& choice,
                 const UnitFigures& figures, Items largest) {
  const BlockCost cost = block_cost(figures, choice);
  if (!std::isfinite(cost.seconds(1.0)) || !std::isfinite(cost.items_per_s)) {
    throw InputError(choice.where, "its times on " + result.units.back().name +
                                       " are not finite; correct the figures of the item or of "
                                       "the unit");
  }
  for (const Items items : timed_sizes(cost, largest)) {
    const auto size = static_cast<double>(items);
    TraceSample sample;
    sample.unit = static_cast<std::uint32_t>(result.units.size() - 1);
    sample.items = size;
    sample.count = samples_of_a_summary;
    sample.is_summary = true;
    sample.compute_mean_s = rounded(cost.seconds(size));
    sample.compute_sd_s = rounded(spec.relative_deviation.at(figures.kind) * sample.compute_mean_s);
    sample.in_bytes = choice.cost.in_bytes * size;
    sample.out_bytes = choice.cost.out_bytes * size;
    result.samples.push_back(sample);
  }
}

/// Adds the measured times of the last unit of `result`. Bytes that they lack are those of the
/// kernel.
void add_measured(Trace& result, const TraceChoice& choice, const UnitTimings& timings) {
  for (TraceSample sample : timings.samples) {
    sample.unit = static_cast<std::uint32_t>(result.units.size() - 1);
    if (!sample.in_bytes) sample.in_bytes = choice.cost.in_bytes * sample.items;
    if (!sample.out_bytes) sample.out_bytes = choice.cost.out_bytes * sample.items;
    result.samples.push_back(sample);
  }
  if (timings.max_block_items) {
    result.units.back().max_block_items[choice.kernel] = *timings.max_block_items;
  }
}

std::string efficiency_text(const TraceChoice& trace) {
  std::string text;
  for (const auto& [kind, share] : trace.cost.efficiency) {
    text += fmt::format("{}{} {:.6g}", text.empty() ? "" : ", ", to_string(kind), share);
  }
  return text;
}

/// Describes all assumptions behind the times.
std::string provenance(const MachineSpec& spec, const TraceChoice& trace) {
  const ItemCost& cost = trace.cost;
  return fmt::format(
      "modelled by `equipoise platform generate` from {}, not measured. {} Time of a block of x "
      "items: startup_s + max((y + half_saturation_items) / items_per_s, resident_s), where y is x "
      "rounded up to whole rounds of round_items; the figures of each unit under `machine`. "
      "items_per_s is the roofline of peak and memory bandwidth, of which the share reached is "
      "assumed ({}), except where the spec gives it: an item is {:.6g} operations and {:.6g} bytes "
      "of memory traffic, elements have {} bytes. An item moves {:.6g} bytes in and {:.6g} out. "
      "Deviations are assumed.",
      spec.file, spec.source, efficiency_text(trace), cost.flop, cost.traffic_bytes,
      trace.element_bytes, cost.in_bytes, cost.out_bytes);
}

/// `text`, and which units have measured times; `files` are theirs, by unit.
std::string with_measured(std::string text, const std::map<std::string, std::string>& files) {
  if (!text.empty()) text += text.ends_with('.') ? " " : ". ";
  std::vector<std::string> of;
  for (const auto& [unit, file] : files) of.push_back(unit + " from " + file);
  return text + fmt::format("Measured times of {}.", fmt::join(of, ", "));
}

/// The parameters of a unit's times, as a JSON field.
Fact cost_facts(const BlockCost& cost) {
  return {Facts{{"startup_s", {rounded(cost.startup_s)}},
                {"half_saturation_items", {rounded(cost.half_saturation_items)}},
                {"items_per_s", {rounded(cost.items_per_s)}},
                {"round_items", {rounded(cost.round_items)}},
                {"resident_s", {rounded(cost.resident_s)}}}};
}

}  // namespace

void check_device(const MachineFigures& machine, const UnitFigures& unit,
                  const std::string& where) {
  std::vector<Unit> others;
  for (const UnitFigures& other : machine.units) {
    others.push_back(unit_of(machine, other, 0));
    if (unit.device.empty() || other.device != unit.device || other.bus == unit.bus) continue;
    throw InputError(where, fmt::format("{} and {} share the device {}, so they have the same bus; "
                                        "correct one of them",
                                        other.name, unit.name, unit.device));
  }
  check_device(unit_of(machine, unit, 0), others, where);
}

std::string numbered_name(const std::string& name, int count, int number) {
  if (count == 1) return name;
  const bool ends_in_digit = name.back() >= '0' && name.back() <= '9';
  return name + (ends_in_digit ? "-" : "") + std::to_string(number);
}

bool is_timed_here(const MachineFigures& machine, const UnitFigures& unit) {
  return machine.like == machine.id && unit.trace_unit.empty();
}

std::string unit_name(const MachineFigures& machine, const UnitFigures& unit, int number) {
  return machine.id + "." + numbered_name(unit.name, unit.count, number);
}

void leave_out(const MachineSpec& spec, PlatformChoice& platform, const std::string& name,
               const std::string& where) {
  std::vector<std::string> names;
  for (const std::size_t index : platform.machines) {
    const MachineFigures& machine = spec.machines[index];
    for (const UnitFigures& unit : machine.units) {
      for (int i = 0; i < unit.count; ++i) names.push_back(unit_name(machine, unit, i));
    }
  }
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw InputError(where, unknown_name("unit of the platform", name, names));
  }
  if (std::ranges::find(platform.without, name) != platform.without.end()) {
    throw InputError(where, name + " is left out already; name it once");
  }
  platform.without.push_back(name);
  if (platform.without.size() == names.size()) {
    throw InputError(where, "no unit of " + platform.name + " is left; keep one");
  }
}

PlatformDescription machines_platform(const MachineSpec& spec, const PlatformChoice& choice) {
  PlatformDescription platform;
  platform.comment = platform_comment(spec, choice);
  platform.zone = choice.name;
  const MachineFigures& first = spec.machines[choice.machines.front()];
  platform.hosts.push_back(
      {.name = master_host, .properties = {{"master", "true"}, {"node", first.id}}});
  platform.links.push_back(
      {.name = free_link, .bandwidth_bytes_per_s = 1e15, .latency = Seconds{}, .shared = false});
  const auto network_in = [](const MachineFigures& m) { return m.id + ".network.in"; };
  const auto network_out = [](const MachineFigures& m) { return m.id + ".network.out"; };
  for (const std::size_t index : choice.machines) {
    const MachineFigures& machine = spec.machines[index];
    if (choice.network && choice.machines.size() > 1) {
      add_links(platform, *choice.network, network_in(machine), network_out(machine));
    }
    if (&machine == &first || !choice.network) {
      add_machine(platform, machine, {}, {});
    } else {
      add_machine(platform, machine, {network_out(first), network_in(machine)},
                  {network_out(machine), network_in(first)});
    }
  }
  const std::set<std::string> without(choice.without.begin(), choice.without.end());
  std::erase_if(platform.hosts, [&](const auto& host) { return without.contains(host.name); });
  std::erase_if(platform.routes, [&](const auto& route) {
    return without.contains(route.from) || without.contains(route.to);
  });
  return platform;
}

Trace modelled_trace(const MachineSpec& spec, const TraceChoice& choice) {
  Trace trace;
  trace.source = "modelled";
  trace.kernel = choice.kernel;
  trace.item = choice.cost.item;
  trace.provenance = provenance(spec, choice);
  trace.problem = choice.problem;
  trace.resident_bytes = choice.cost.resident_bytes;
  if (choice.cost.resident_memory_bytes != choice.cost.resident_bytes) {
    trace.resident_memory_bytes = choice.cost.resident_memory_bytes;
  }
  trace.memory_bytes_per_item = choice.cost.memory_bytes;
  std::map<std::string, std::string> measured;
  for (const MachineFigures& machine : spec.machines) {
    for (const UnitFigures& unit : machine.units) {
      if (!is_timed_here(machine, unit)) continue;
      const Unit first = unit_of(machine, unit, 0);
      const auto timings = unit.timings.find(choice.kernel);
      const Items largest = timings == unit.timings.end() ? largest_of(first, choice) : 1;
      if (largest == 0) continue;
      trace.units.push_back(first);
      // The platform has the watts.
      trace.units.back().idle_w = trace.units.back().busy_w = std::nullopt;
      if (timings != unit.timings.end()) {
        add_measured(trace, choice, timings->second);
        measured[first.name] = timings->second.file;
        continue;
      }
      add_samples(trace, spec, choice, unit, largest);
      trace.machine.emplace_back(first.name, cost_facts(block_cost(unit, choice)));
    }
  }
  if (trace.units.empty()) {
    throw InputError(choice.where, "no unit's memory holds one item of " + choice.name +
                                       "; give more memory_bytes, or less resident_bytes");
  }
  if (trace.machine.empty()) {
    trace.source = "imported";
    trace.provenance = spec.source;
  }
  if (!measured.empty()) trace.provenance = with_measured(trace.provenance, measured);
  return trace;
}

}  // namespace equipoise
