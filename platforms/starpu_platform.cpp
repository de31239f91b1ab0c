// Converts a StarPU machine to a platform.
#include "platforms/starpu_platform.hpp"

#include <fmt/format.h>

#include "platforms/master_host.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

Unit cpu_core(const StarpuMachine& machine, int number) {
  Unit unit;
  unit.name = "cpu" + std::to_string(number);
  unit.kind = UnitKind::cpu;
  unit.node = machine.name;
  return unit;
}

std::string comment(const StarpuMachine& machine, int cores, bool keep_drivers,
                    const std::string& source) {
  std::string text = fmt::format(
      "Machine {}: {} CPU cores and {} GPUs, as StarPU's developers measured it.\nMade by "
      "`equipoise trace import starpu` from {}, files bus/{}.*, licence LGPL-2.1-or-later.\n",
      machine.name, machine.cpu_cores, machine.gpus.size(), source, machine.name);
  if (!keep_drivers) {
    text += fmt::format(
        "{} of the {} cores are here: as under StarPU, one core for each GPU is busy driving it.\n",
        cores, machine.cpu_cores);
  }
  text +=
      "Speeds are dummies; times come from traces, of which `cpu0` times every core. Routes "
      "between "
      "RAM and the cores cost nothing.";
  return text;
}

}  // namespace

PlatformDescription starpu_platform(const StarpuMachine& machine, bool keep_drivers,
                                    const std::string& source) {
  const int drivers = keep_drivers ? 0 : static_cast<int>(machine.gpus.size());
  const int cores = machine.cpu_cores - drivers;
  if (cores < 0) {
    throw InputError(machine.name, "fewer cores than GPUs to drive; give --drivers keep");
  }
  PlatformDescription platform;
  platform.comment = comment(machine, cores, keep_drivers, source);
  platform.zone = machine.name;
  platform.links = machine.links;
  platform.links.push_back(
      {.name = free_link, .bandwidth_bytes_per_s = 1e15, .latency = Seconds{}, .shared = false});
  platform.hosts.push_back(
      {.name = master_host, .properties = {{"master", "true"}, {"node", machine.name}}});
  const auto connect = [&platform](const std::string& unit, std::vector<std::string> in,
                                   std::vector<std::string> out) {
    platform.routes.push_back({.from = master_host, .to = unit, .links = std::move(in)});
    platform.routes.push_back({.from = unit, .to = master_host, .links = std::move(out)});
  };
  for (int i = 0; i < cores; ++i) {
    const Unit core = cpu_core(machine, i);
    platform.hosts.push_back(describe_unit(core, "cpu0"));
    connect(core.name, {free_link}, {free_link});
  }
  const auto names = [&machine](const Route& route) {
    std::vector<std::string> links;
    for (const std::uint32_t link : route.links) links.push_back(machine.links[link].name);
    return links;
  };
  for (const StarpuGpu& gpu : machine.gpus) {
    platform.hosts.push_back(describe_unit(gpu.unit, gpu.unit.name));
    connect(gpu.unit.name, names(gpu.in), names(gpu.out));
  }
  return platform;
}

std::vector<Unit> starpu_units(const StarpuMachine& machine) {
  std::vector<Unit> units = {cpu_core(machine, 0)};
  for (const StarpuGpu& gpu : machine.gpus) units.push_back(gpu.unit);
  return units;
}

Facts starpu_machine_facts(const StarpuMachine& machine) {
  Facts facts = {{"name", {machine.name}},
                 {"cpu_cores", {std::int64_t{machine.cpu_cores}}},
                 {"cuda_devices", {static_cast<std::int64_t>(machine.gpus.size())}}};
  if (!machine.gpus.empty() && !machine.gpus.front().unit.model.empty()) {
    facts.emplace_back("gpu_model", Fact{machine.gpus.front().unit.model});
  }
  return facts;
}

}  // namespace equipoise
