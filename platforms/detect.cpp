// Reads this machine's topology with hwloc and measures a memory copy.
#include "platforms/detect.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

Topology load_topology() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0)
    throw BackendError("hwloc does not start; is libhwloc installed whole?");
  Topology owned(topology);
  if (hwloc_topology_load(topology) != 0)
    throw BackendError("hwloc cannot read this machine; does lstopo run here?");
  return owned;
}

int count(const Topology& topology, hwloc_obj_type_t type) {
  return std::max(0, hwloc_get_nbobjs_by_type(topology.get(), type));
}

std::string size_text(double bytes) {
  if (bytes >= 0x1p30) return fmt::format("{:.4g} GiB", bytes / 0x1p30);
  if (bytes >= 0x1p20) return fmt::format("{:.4g} MiB", bytes / 0x1p20);
  return fmt::format("{:.4g} KiB", bytes / 0x1p10);
}

std::vector<std::string> find_caches(const Topology& topology) {
  constexpr std::array<std::pair<hwloc_obj_type_t, const char*>, 3> levels = {
      {{HWLOC_OBJ_L1CACHE, "L1"}, {HWLOC_OBJ_L2CACHE, "L2"}, {HWLOC_OBJ_L3CACHE, "L3"}}};
  std::vector<std::string> caches;
  for (const auto& [type, name] : levels) {
    const int number = count(topology, type);
    if (number == 0) continue;
    const hwloc_obj_t cache = hwloc_get_obj_by_type(topology.get(), type, 0);
    caches.push_back(fmt::format("{} {} x {}", name,
                                 size_text(static_cast<double>(cache->attr->cache.size)), number));
  }
  return caches;
}

/// The buffer is large enough: Linux allows host names of 64 characters.
std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

double seconds_of_copy(std::vector<char>& to, const std::vector<char>& from) {
  const auto start = std::chrono::steady_clock::now();
  std::memcpy(to.data(), from.data(), from.size());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

ThisMachine detect_machine() {
  const Topology topology = load_topology();
  ThisMachine machine;
  machine.name = host_name();
  machine.hardware_threads = std::max(1, count(topology, HWLOC_OBJ_PU));
  const int cores = count(topology, HWLOC_OBJ_CORE);
  machine.cores = cores > 0 ? cores : machine.hardware_threads;
  machine.packages = std::max(1, count(topology, HWLOC_OBJ_PACKAGE));
  machine.memory_bytes = static_cast<double>(hwloc_get_root_obj(topology.get())->total_memory);
  if (const hwloc_obj_t package = hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PACKAGE, 0)) {
    const char* model = hwloc_obj_get_info_by_name(package, "CPUModel");
    if (model != nullptr) machine.model = model;
  }
  machine.caches = find_caches(topology);
  return machine;
}

double measure_memory_copy() {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  std::vector<char> a(bytes, 1);
  std::vector<char> b(bytes, 2);
  double best_s = seconds_of_copy(b, a);
  for (int i = 0; i < 4; ++i) {
    best_s = std::min(best_s, i % 2 == 0 ? seconds_of_copy(a, b) : seconds_of_copy(b, a));
  }
  return static_cast<double>(bytes) / std::max(best_s, 1e-9);
}

PlatformDescription local_platform(const std::vector<Unit>& units, double copy_bytes_per_s,
                                   const std::string& comment) {
  PlatformDescription platform;
  platform.comment = comment;
  platform.hosts.push_back({.name = "RAM", .properties = {{"master", "true"}}});
  platform.links.push_back({.name = "memory",
                            .bandwidth_bytes_per_s = copy_bytes_per_s,
                            .latency = Seconds{},
                            .shared = false});
  for (const Unit& unit : units) {
    platform.hosts.push_back(describe_unit(unit, unit.name));
    platform.routes.push_back({.from = "RAM", .to = unit.name, .links = {"memory"}});
    platform.routes.push_back({.from = unit.name, .to = "RAM", .links = {"memory"}});
  }
  return platform;
}

PlatformDescription detect_platform() {
  const ThisMachine machine = detect_machine();
  std::vector<Unit> units;
  for (int i = 0; i < machine.cores; ++i) {
    Unit& unit = units.emplace_back();
    unit.name = "cpu" + std::to_string(i);
    unit.kind = UnitKind::cpu;
    unit.node = machine.name;
    unit.model = machine.model;
    if (machine.memory_bytes > 0.0) unit.memory_bytes = machine.memory_bytes;
  }
  std::string caches;
  for (const std::string& cache : machine.caches) caches += ", " + cache;
  return local_platform(
      units, measure_memory_copy(),
      fmt::format(
          "Made by `equipoise platform detect`: {}, {} package(s), {} cores, {} hardware threads, "
          "{} of memory{}.\nThe bandwidth of link `memory` was measured when this file was made: "
          "one thread copying 64 MiB,\nthe best of five. Every core copies by itself (FATPIPE).",
          machine.model.empty() ? "CPU of unknown model" : machine.model, machine.packages,
          machine.cores, machine.hardware_threads, size_text(machine.memory_bytes), caches));
}

}  // namespace equipoise
