// Links of devices have the device's name and the direction.
#include "tools/worlds/device_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

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

std::optional<std::string> add_link_of_both(PlatformDescription& platform,
                                            const std::string& device, const LinkRates& rates) {
  if (!rates.both_share()) return std::nullopt;
  platform.links.push_back({device + "-both", rates.both_bytes_per_s, Seconds{}, true});
  return platform.links.back().name;
}

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

void describe_gpu(HostDescription& host, const Gpu& gpu) {
  if (gpu.sms > 0) host.properties.emplace_back("sms", std::to_string(gpu.sms));
  if (gpu.clock_hz > 0.0) {
    host.properties.emplace_back("clock_hz", fmt::format("{:.0f}", gpu.clock_hz));
  }
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

}  // namespace equipoise
