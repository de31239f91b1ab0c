// Links of devices have the device's name and the direction.
#include "tools/worlds/device_links.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include "tools/report/console.hpp"

namespace equipoise {
namespace {

void warn_of(const std::string& device, const std::exception& failure) {
  warn(fmt::format("the links of {} could not be measured: {}", device, failure.what()));
}

/// The request for a unit on the whole GPU `name`: "cuda,device=0,id=cuda0" for "cuda:0".
std::string unit_of(const std::string& name) {
  const std::size_t colon = name.find(':');
  return fmt::format("{0},device={1},id={0}{1}", name.substr(0, colon), name.substr(colon + 1));
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
    try {
      if (const std::optional<LinkRates> link = spec.factory->measure_link(CopyPath::staged)) {
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

std::vector<MeasuredGpu> measure_gpus() {
  std::vector<MeasuredGpu> gpus;
  for (const Gpu& gpu : usable_gpus()) {
    try {
      UnitSpec spec = parse_units({unit_of(gpu.name)}).front();
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
      "memory.\nBlocks are copied slower, because the host gathers them there: for predictions "
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
