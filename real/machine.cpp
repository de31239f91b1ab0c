// Reads the machine's properties from hwloc and the operating system, and places units on cores.
#include "real/machine.hpp"

#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <set>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "real/threads/this_thread.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, DestroyTopology>;

Topology load_topology() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return nullptr;
  Topology owned(topology);
  if (hwloc_topology_load(topology) != 0) return nullptr;
  return owned;
}

/// The hardware threads that this process may use: first one thread of each core, then the second
/// ones.
std::vector<CpuThread> threads_of(const Topology& topology) {
  std::vector<std::vector<CpuThread>> rounds;
  std::map<int, std::size_t> used;  // threads of each core so far
  for (const int number : cores_of_this_thread()) {
    int core = number;
    int node = 0;
    if (topology) {
      const hwloc_obj_t thread =
          hwloc_get_pu_obj_by_os_index(topology.get(), static_cast<unsigned>(number));
      const hwloc_obj_t parent = thread == nullptr ? nullptr
                                                   : hwloc_get_ancestor_obj_by_type(
                                                         topology.get(), HWLOC_OBJ_CORE, thread);
      if (parent != nullptr) core = static_cast<int>(parent->logical_index);
      if (thread != nullptr && thread->nodeset != nullptr) {
        node = std::max(0, hwloc_bitmap_first(thread->nodeset));
      }
    }
    const std::size_t round = used[core]++;
    if (round == rounds.size()) rounds.emplace_back();
    rounds[round].push_back({number, core, node});
  }
  std::vector<CpuThread> threads;
  for (auto& round : rounds) {
    std::ranges::sort(round, {}, &CpuThread::core);
    threads.insert(threads.end(), round.begin(), round.end());
  }
  return threads;
}

std::vector<std::string> caches_of(const Topology& topology) {
  constexpr std::array<std::pair<hwloc_obj_type_t, const char*>, 3> levels = {
      {{HWLOC_OBJ_L1CACHE, "L1"}, {HWLOC_OBJ_L2CACHE, "L2"}, {HWLOC_OBJ_L3CACHE, "L3"}}};
  std::vector<std::string> caches;
  for (const auto& [type, name] : levels) {
    const int number = hwloc_get_nbobjs_by_type(topology.get(), type);
    if (number <= 0) continue;
    const hwloc_obj_t cache = hwloc_get_obj_by_type(topology.get(), type, 0);
    const auto bytes = static_cast<double>(cache->attr->cache.size);
    caches.push_back(fmt::format("{} {} x {}", name, binary_size_text(bytes), number));
  }
  return caches;
}

Machine ask_machine() {
  Machine machine;
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  machine.name = *name == '\0' ? "localhost" : name;
  machine.memory_bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const Topology topology = load_topology();
  machine.threads = threads_of(topology);
  if (topology) {
    const hwloc_obj_t package = hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PACKAGE, 0);
    const char* const model =
        package == nullptr ? nullptr : hwloc_obj_get_info_by_name(package, "CPUModel");
    if (model != nullptr) machine.cpu_model = model;
    const auto count = [&](hwloc_obj_type_t type) {
      return hwloc_get_nbobjs_by_type(topology.get(), type);
    };
    machine.packages = std::max(1, count(HWLOC_OBJ_PACKAGE));
    machine.hardware_threads = std::max(1, count(HWLOC_OBJ_PU));
    machine.cores = count(HWLOC_OBJ_CORE) > 0 ? count(HWLOC_OBJ_CORE) : machine.hardware_threads;
    machine.caches = caches_of(topology);
  }
  return machine;
}

double seconds_of_copy(std::vector<char>& to, const std::vector<char>& from) {
  const auto start = std::chrono::steady_clock::now();
  std::memcpy(to.data(), from.data(), from.size());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::string utc_now() { return fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr))); }

std::optional<double> clock_hz() {
  double sum_hz = 0.0;
  double count = 0.0;
  for (const CpuThread& thread : this_machine().threads) {
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(thread.number) +
                       "/cpufreq/scaling_cur_freq");
    double khz = 0.0;
    if (!(file >> khz)) continue;
    sum_hz += 1e3 * khz;
    count += 1.0;
  }
  if (count > 0.0) return sum_hz / count;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with("cpu MHz") || colon == std::string::npos) continue;
    sum_hz += 1e6 * std::strtod(line.c_str() + colon + 1, nullptr);
    count += 1.0;
  }
  return sum_hz > 0.0 ? std::optional(sum_hz / count) : std::nullopt;
}

std::string binary_size_text(double bytes) {
  if (bytes >= 0x1p30) return fmt::format("{:.4g} GiB", bytes / 0x1p30);
  if (bytes >= 0x1p20) return fmt::format("{:.4g} MiB", bytes / 0x1p20);
  return fmt::format("{:.4g} KiB", bytes / 0x1p10);
}

const Machine& this_machine() {
  static const Machine machine = ask_machine();
  return machine;
}

double available_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word) {
    double kibibytes = 0.0;
    if (word == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024.0;
  }
  return this_machine().memory_bytes;
}

double fastest_copy_bytes_per_s() {
  static const double fastest = [] {
    constexpr std::size_t bytes = 8192;
    constexpr int repetitions = 2000;
    std::vector<char> from(bytes, 1);
    std::vector<char> to(bytes);
    double best = 0.0;
    for (int attempt = 0; attempt < 5; ++attempt) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < repetitions; ++i) {
        std::memcpy(to.data(), from.data(), bytes);
        asm volatile("" : : "r"(to.data()) : "memory");
      }
      const std::chrono::duration<double> past = std::chrono::steady_clock::now() - begin;
      best = std::max(best, static_cast<double>(bytes) * repetitions / past.count());
    }
    return best;
  }();
  return fastest;
}

double memory_copy_bytes_per_s() {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  std::vector<char> a(bytes, 1);
  std::vector<char> b(bytes, 2);
  double best_s = seconds_of_copy(b, a);
  for (int i = 0; i < 4; ++i) {
    best_s = std::min(best_s, i % 2 == 0 ? seconds_of_copy(a, b) : seconds_of_copy(b, a));
  }
  return static_cast<double>(bytes) / std::max(best_s, 1e-9);
}

std::vector<int> Placement::controller() const {
  return controller_is_apart() ? std::vector<int>{waiting.front()} : waiting;
}

std::vector<int> Placement::others() const {
  return {waiting.begin() + (controller_is_apart() ? 1 : 0), waiting.end()};
}

bool shares_core_of_controller(const Placement& placement, std::size_t unit) {
  return std::ranges::find_first_of(placement.cores[unit], placement.controller()) !=
         placement.cores[unit].end();
}

bool copies_have_cores_of(const Placement& placement, std::size_t unit) {
  const std::vector<int>& cores = placement.cores[unit];
  const std::vector<int> others = placement.others();
  return !others.empty() && std::ranges::all_of(others, [&cores](int core) {
    return std::ranges::find(cores, core) != cores.end();
  });
}

std::vector<int> near_node(const std::vector<int>& numbers, int node, const Machine& machine) {
  std::vector<int> near;
  for (const CpuThread& thread : machine.threads) {
    const bool is_asked = std::ranges::find(numbers, thread.number) != numbers.end();
    if (is_asked && thread.numa_node == node) near.push_back(thread.number);
  }
  return near.empty() ? numbers : near;
}

std::vector<PlacedUnit> placed_units(std::span<const UnitSpec> units) {
  std::vector<PlacedUnit> placed;
  for (const UnitSpec& spec : units) {
    placed.push_back(
        {spec.unit.name, spec.factory->cores(), spec.slowdown, spec.factory->gpu().has_value()});
  }
  return placed;
}

Placement assign_cores(std::span<const PlacedUnit> units, const Machine& machine,
                       CoresInUse& in_use) {
  EQ_CHECK(!machine.threads.empty(), "a machine has a core");
  Placement placement;
  for (const PlacedUnit& unit : units) {
    std::set<std::string> sharers;
    std::set<int> left;  // cores that no unit before this one has
    for (const CpuThread& thread : machine.threads) {
      if (!in_use.owner_of_core.contains(thread.core)) left.insert(thread.core);
    }
    std::vector<int>& cores = placement.cores.emplace_back();
    for (int i = 0; i < unit.cores; ++i) {
      // The first of those that the fewest units have, on the core that the fewest have.
      const CpuThread& thread =
          *std::ranges::min_element(machine.threads, {}, [&](const CpuThread& one) {
            return std::pair(in_use.units_of_thread[one.number], in_use.units_of_core[one.core]);
          });
      cores.push_back(thread.number);
      ++in_use.units_of_thread[thread.number];
      ++in_use.units_of_core[thread.core];
      const auto [owner, is_new] = in_use.owner_of_core.emplace(thread.core, unit.name);
      if (!is_new) sharers.insert(owner->second);
    }
    for (const std::string& sharer : sharers) {
      const bool is_of_rank = std::ranges::find(units, sharer, &PlacedUnit::name) != units.end();
      placement.warnings.push_back(
          sharer == unit.name
              ? fmt::format("unit {} has more threads ({}) than cores are left ({}); give fewer "
                            "threads",
                            sharer, unit.cores, left.size())
              : fmt::format("units {} and {} share a core and disturb one another; give fewer "
                            "units or threads{}",
                            sharer, unit.name,
                            is_of_rank ? "" : ", or let mpirun bind no ranks (--bind-to none)"));
    }
  }
  return placement;
}

void set_waiting(Placement& placement, std::span<const PlacedUnit> units, const Machine& machine,
                 const CoresInUse& in_use) {
  for (const CpuThread& thread : machine.threads) {
    const auto found = in_use.units_of_thread.find(thread.number);
    const bool is_free = found == in_use.units_of_thread.end() || found->second == 0;
    if (is_free) placement.waiting.push_back(thread.number);
  }
  placement.waiting_compute = placement.waiting.empty();
  if (!placement.waiting_compute) return;
  int shared = machine.threads.front().number;
  double most_slowed = 0.0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (placement.cores[i].empty() || units[i].slowdown < most_slowed) continue;
    most_slowed = units[i].slowdown;
    shared = placement.cores[i].back();
  }
  placement.waiting.push_back(shared);
  const auto gpu = std::ranges::find_if(units, &PlacedUnit::has_gpu);
  if (gpu == units.end()) return;
  placement.warnings.push_back(
      fmt::format("no core is left for the copies of unit {}, which slow down what computes there; "
                  "give fewer threads (on a host with 16 cores leave four)",
                  gpu->name));
}

Placement place_units(std::span<const PlacedUnit> units, const Machine& machine) {
  CoresInUse in_use;
  Placement placement = assign_cores(units, machine, in_use);
  set_waiting(placement, units, machine, in_use);
  return placement;
}

}  // namespace equipoise
