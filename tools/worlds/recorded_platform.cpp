// Makes hosts and links from a recording, and from what was measured of devices.
#include "tools/worlds/recorded_platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <map>
#include <set>
#include <utility>

#include "real/disturbances.hpp"
#include "real/gpu/gpu.hpp"
#include "tools/console/console.hpp"

namespace equipoise {
namespace {

void warn_of(const std::string& device, const std::exception& failure) {
  warn(fmt::format("the links of {} could not be measured: {}", device, failure.what()));
}

/// The unit that has a whole GPU: `cuda,device=0,id=cuda0` for "cuda:0". Throws as parse_units
/// does.
UnitSpec whole(const Gpu& gpu) {
  const std::size_t colon = gpu.name.find(':');
  const std::string kind = gpu.name.substr(0, colon);
  const std::string number = gpu.name.substr(colon + 1);
  return parse_units({fmt::format("{0},device={1},id={0}{1}", kind, number)}).front();
}

std::string figures(const std::string& device, const LinkRates& rates) {
  return fmt::format("{}: {:.3g} GB/s in, {:.3g} GB/s out, {:.3g} GB/s both at once", device,
                     rates.in.bandwidth_bytes_per_s / 1e9, rates.out.bandwidth_bytes_per_s / 1e9,
                     rates.both_bytes_per_s / 1e9);
}

/// The names of the links that copies of a device cross, in one direction.
struct LinksOfDevice {
  std::vector<std::string> in;
  std::vector<std::string> out;
};

/// If the two directions of `device` have less together than alone, adds the link `DEVICE-both` for
/// what they reach together, and returns its name.
std::optional<std::string> add_link_of_both(PlatformDescription& platform,
                                            const std::string& device, const LinkRates& rates) {
  if (!rates.both_share()) return std::nullopt;
  platform.links.push_back({device + "-both", rates.both_bytes_per_s, Seconds{}, true});
  return platform.links.back().name;
}

/// Adds a link for each direction of `device`, and if the two have less together than alone, a
/// third one that both cross.
LinksOfDevice add_device_links(PlatformDescription& platform, const std::string& device,
                               const LinkRates& rates) {
  LinksOfDevice names{{device + "-in"}, {device + "-out"}};
  platform.links.push_back(
      {names.in.front(), rates.in.bandwidth_bytes_per_s, rates.in.latency, true});
  platform.links.push_back(
      {names.out.front(), rates.out.bandwidth_bytes_per_s, rates.out.latency, true});
  if (const auto both = add_link_of_both(platform, device, rates)) {
    names.in.push_back(*both);
    names.out.push_back(*both);
  }
  return names;
}

/// Appends what computes on a unit's GPU, as far as known.
void describe_gpu(HostDescription& host, const Gpu& gpu) {
  if (gpu.sms > 0) host.properties.emplace_back("sms", std::to_string(gpu.sms));
  if (gpu.clock_hz > 0.0) {
    host.properties.emplace_back("clock_hz", fmt::format("{:.0f}", gpu.clock_hz));
  }
}

/// A link without recorded copies costs nothing.
constexpr CopySpeed costless{Seconds{}, 1e15};

/// The devices whose units copy by themselves and share nothing but its bus: those that were
/// measured and have several units.
std::set<std::string> devices_with_a_bus(const std::vector<RecordedUnit>& units,
                                         const DeviceLinks& devices) {
  std::set<std::string> with_a_bus;
  const auto device_of = [](const RecordedUnit& unit) { return unit.unit.device; };
  for (const auto& [device, rates] : devices) {
    if (std::ranges::count(units, device, device_of) > 1) with_a_bus.insert(device);
  }
  return with_a_bus;
}

/// `unit` as if it were alone on its device: its links have its own name.
Unit alone(Unit unit) {
  unit.device.clear();
  return unit;
}

/// The first speed of the units of a device that is known.
CopySpeed speed_of(const std::vector<RecordedUnit>& units, const std::string& link,
                   std::string (*link_of)(const Unit&), std::optional<CopySpeed> CopySpeeds::*way) {
  for (const RecordedUnit& unit : units) {
    if (link_of(unit.unit) == link && unit.copies.*way) return *(unit.copies.*way);
  }
  return costless;
}

/// Adds a link for each copy direction of each device, which only its units use; and, for a device
/// with a bus, of each of its units.
void add_links(PlatformDescription& platform, const std::vector<RecordedUnit>& units,
               const DeviceLinks& devices, const std::set<std::string>& with_a_bus) {
  std::set<std::string> added;
  const auto add = [&](const std::string& id, const CopySpeed& copies) {
    if (!added.insert(id).second) return;
    platform.links.push_back({id, copies.bandwidth_bytes_per_s, copies.latency, true});
  };
  for (const RecordedUnit& unit : units) {
    const std::string in = in_link_of(unit.unit);
    const std::string out = out_link_of(unit.unit);
    if (with_a_bus.contains(unit.unit.device)) {
      const LinkRates& bus = devices.at(unit.unit.device);
      add(in, {Seconds{}, bus.in.bandwidth_bytes_per_s});
      add(out, {Seconds{}, bus.out.bandwidth_bytes_per_s});
      add(in_link_of(alone(unit.unit)), unit.copies.in.value_or(costless));
      add(out_link_of(alone(unit.unit)), unit.copies.out.value_or(costless));
      continue;
    }
    add(in, speed_of(units, in, in_link_of, &CopySpeeds::in));
    add(out, speed_of(units, out, out_link_of, &CopySpeeds::out));
  }
}

/// `of_both` is the link that copies of its device in both directions cross; empty if there is
/// none.
void add_unit(PlatformDescription& platform, const RecordedUnit& recorded,
              const std::string& of_both, bool has_bus) {
  const std::string& name = recorded.unit.name;
  const Unit own = alone(recorded.unit);
  platform.hosts.push_back(describe_unit(has_bus ? own : recorded.unit, name));
  if (recorded.gpu) describe_gpu(platform.hosts.back(), *recorded.gpu);
  const auto route = [&](const std::string& from, const std::string& to,
                         std::string (*link_of)(const Unit&)) {
    platform.routes.push_back({from, to, {}});
    std::vector<std::string>& links = platform.routes.back().links;
    if (has_bus) links.push_back(link_of(own));
    links.push_back(link_of(recorded.unit));
    if (!of_both.empty()) links.push_back(of_both);
  };
  route("RAM", name, in_link_of);
  route(name, "RAM", out_link_of);
}

}  // namespace

DeviceLinks measure_links(std::span<const UnitSpec> specs) {
  DeviceLinks links;
  for (const UnitSpec& spec : specs) {
    if (spec.unit.device.empty() || links.contains(spec.unit.device)) continue;
    const auto is_its = [&](const UnitSpec& other) {
      return other.unit.device == spec.unit.device;
    };
    const CopyPath path =
        std::ranges::count_if(specs, is_its) > 1 ? CopyPath::pinned : CopyPath::staged;
    try {
      if (const std::optional<LinkRates> link = spec.factory->measure_link(path)) {
        links.emplace(spec.unit.device, *link);
      }
    } catch (const std::exception& failure) {
      warn_of(spec.unit.device, failure);
    }
  }
  return links;
}

std::string gpu_line(const UnitSpec& spec) {
  const Unit& unit = spec.unit;
  const std::optional<Gpu> gpu = spec.factory->gpu();
  std::string line = fmt::format("{}: {}", unit.device, unit.model);
  if (gpu && gpu->sms > 0) line += fmt::format(", {} SMs", gpu->sms);
  if (gpu && gpu->clock_hz > 0.0) line += fmt::format(" of up to {:.3g} GHz", gpu->clock_hz / 1e9);
  line += fmt::format(", {} copy engine{}", unit.copy_engines, unit.copy_engines == 1 ? "" : "s");
  if (unit.memory_bytes) {
    line += fmt::format(", {:.3g} GiB for blocks", *unit.memory_bytes / (1 << 30));
  }
  if (gpu && !gpu->pci_bus_id.empty()) line += ", PCI " + gpu->pci_bus_id;
  return line;
}

std::vector<std::string> gpu_lines() {
  std::vector<std::string> lines;
  for (const Gpu& gpu : usable_gpus()) {
    try {
      lines.push_back(gpu_line(whole(gpu)));
    } catch (const std::exception& failure) {
      lines.push_back(fmt::format("{}: {}", gpu.name, failure.what()));
    }
  }
  return lines;
}

std::vector<MeasuredGpu> measure_gpus() {
  std::vector<MeasuredGpu> gpus;
  for (const Gpu& gpu : usable_gpus()) {
    try {
      UnitSpec spec = whole(gpu);
      const std::optional<LinkRates> link = spec.factory->measure_link(CopyPath::pinned);
      gpus.push_back({std::move(spec), link.value()});
    } catch (const std::exception& failure) {
      warn_of(gpu.name, failure);
    }
  }
  return gpus;
}

void add_gpus(PlatformDescription& platform, std::span<const MeasuredGpu> gpus) {
  if (gpus.empty()) return;
  platform.comment +=
      "\nThe links of GPUs were measured when this file was made, between the GPU and pinned "
      "memory.\nResults are copied slower, because the host copies them from there: for "
      "predictions "
      "use the\nplatform that `record` writes.";
  for (const MeasuredGpu& gpu : gpus) {
    const Unit& unit = gpu.spec.unit;
    platform.comment += "\n" + figures(unit.name, gpu.link);
    HostDescription host = describe_unit(unit, unit.name);
    if (const auto known = gpu.spec.factory->gpu()) describe_gpu(host, *known);
    platform.hosts.push_back(std::move(host));
    LinksOfDevice links = add_device_links(platform, unit.device, gpu.link);
    platform.routes.push_back({"RAM", unit.name, std::move(links.in)});
    platform.routes.push_back({unit.name, "RAM", std::move(links.out)});
  }
}

PlatformDescription recorded_platform(const std::vector<RecordedUnit>& units,
                                      const DeviceLinks& devices, const std::string& kernel,
                                      const std::string& trace_file) {
  PlatformDescription platform;
  platform.comment = fmt::format(
      "Matches {}, recorded with it: latency and bandwidth of the links are those of the copies of "
      "{}.",
      trace_file, kernel);
  platform.hosts.push_back({"RAM", {{"master", "true"}}});
  const std::set<std::string> with_a_bus = devices_with_a_bus(units, devices);
  for (const std::string& device : with_a_bus) {
    platform.comment += fmt::format(
        "\nThe units of {} share nothing but its bus, measured with pinned memory.", device);
  }
  std::map<std::string, std::string> of_both;
  for (const auto& [device, rates] : devices) {
    const std::optional<std::string> link = add_link_of_both(platform, device, rates);
    if (!link) continue;
    of_both.emplace(device, *link);
    platform.comment +=
        fmt::format("\nLink {}: what copies in both directions reach together, measured {}.", *link,
                    with_a_bus.contains(device) ? "with pinned memory" : "as blocks are copied");
  }
  for (const RecordedUnit& unit : units) {
    const std::string& device = unit.unit.device;
    add_unit(platform, unit, of_both[device], with_a_bus.contains(device));
  }
  add_links(platform, units, devices, with_a_bus);
  return platform;
}

namespace {

/// What a unit's copies take beyond those of the network, on a link of its own.
std::optional<CopySpeed> beyond(const std::optional<CopySpeed>& whole, const CopySpeed& network) {
  if (!whole) return std::nullopt;
  const double s_per_byte =
      1.0 / whole->bandwidth_bytes_per_s - 1.0 / network.bandwidth_bytes_per_s;
  if (s_per_byte <= 0.0) return std::nullopt;
  return CopySpeed{std::max(Seconds{}, whole->latency - network.latency), 1.0 / s_per_byte};
}

/// Adds a link that all nodes share in one direction, if they have less together than one after the
/// other. Returns its name, or none.
std::vector<std::string> add_shared_link(PlatformDescription& platform, const std::string& name,
                                         const std::vector<LinkRates>& nodes,
                                         CopySpeed LinkRates::*way, double together_bytes_per_s) {
  double sum_bytes_per_s = 0.0;
  for (const LinkRates& node : nodes) sum_bytes_per_s += (node.*way).bandwidth_bytes_per_s;
  if (nodes.size() < 2 || together_bytes_per_s > together_max * sum_bytes_per_s) return {};
  platform.links.push_back({name, together_bytes_per_s, Seconds{}, true});
  return {name};
}

/// What the copies of a unit of another node take on that node, beyond its network.
CopySpeeds copies_beyond(const RecordedUnit& unit, const LinkRates& network) {
  if (unit.copies_are_on_node) return unit.copies;
  if (unit.unit.kind == UnitKind::cpu) return {};  // they count as computing
  return {beyond(unit.copies.in, network.in), beyond(unit.copies.out, network.out)};
}

/// Adds a link with the name of `unit`, unless a unit of the same device has done so.
std::string add_own_link(PlatformDescription& platform, std::string name, const CopySpeed& copies) {
  if (std::ranges::find(platform.links, name, &Link::name) == platform.links.end()) {
    platform.links.push_back({name, copies.bandwidth_bytes_per_s, copies.latency, true});
  }
  return name;
}

}  // namespace

void add_nodes(PlatformDescription& platform, const std::vector<RecordedUnit>& units,
               const MeasuredNetwork& network) {
  const std::vector<std::string> all_in = add_shared_link(
      platform, "network-out", network.nodes, &LinkRates::in, network.all_there_bytes_per_s);
  const std::vector<std::string> all_out = add_shared_link(
      platform, "network-in", network.nodes, &LinkRates::out, network.all_back_bytes_per_s);
  platform.comment += fmt::format(
      "\nThe links of nodes were measured when nothing ran: all together got {:.3g} MB/s and gave "
      "{:.3g} MB/s.",
      network.all_there_bytes_per_s / 1e6, network.all_back_bytes_per_s / 1e6);
  std::map<std::string, std::pair<LinksOfDevice, LinkRates>> nodes;
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    const std::string node = node_name(static_cast<int>(i) + 1);
    LinksOfDevice links = add_device_links(platform, node, network.nodes[i]);
    links.in.insert(links.in.begin(), all_in.begin(), all_in.end());
    links.out.insert(links.out.end(), all_out.begin(), all_out.end());
    nodes.emplace(node, std::pair(std::move(links), network.nodes[i]));
  }
  for (const RecordedUnit& unit : units) {
    auto [links, rates] = nodes.at(unit.unit.node);
    platform.hosts.push_back(describe_unit(unit.unit, unit.unit.name));
    const CopySpeeds own = copies_beyond(unit, rates);
    if (own.in) links.in.push_back(add_own_link(platform, in_link_of(unit.unit), *own.in));
    if (own.out) {
      links.out.insert(links.out.begin(), add_own_link(platform, out_link_of(unit.unit), *own.out));
    }
    platform.routes.push_back({"RAM", unit.unit.name, std::move(links.in)});
    platform.routes.push_back({unit.unit.name, "RAM", std::move(links.out)});
  }
}

PlatformDescription measured_platform(const RealMachine& machine, const Recording& recording,
                                      const std::string& trace_file) {
  std::vector<RecordedUnit> here;
  std::vector<RecordedUnit> elsewhere;
  for (const RecordedUnit& unit : recording.units) {
    (unit.unit.is_remote ? elsewhere : here).push_back(unit);
  }
  std::vector<UnitSpec> specs_here = machine.specs;
  std::erase_if(specs_here, [](const UnitSpec& spec) { return spec.unit.is_remote; });
  PlatformDescription platform =
      recorded_platform(here, measure_links(specs_here), recording.trace.kernel, trace_file);
  if (machine.nodes) add_nodes(platform, elsewhere, measure_network(*machine.nodes));
  return platform;
}

}  // namespace equipoise
