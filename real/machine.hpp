// Describes the machine (name, CPU, cores, memory) and assigns cores to units.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "real/unit_spec.hpp"

namespace equipoise {

/// A hardware thread that this process may use.
struct CpuThread {
  int number = 0;     ///< as the operating system numbers it
  int core = 0;       ///< the physical core to which it belongs
  int numa_node = 0;  ///< whose memory is near, as the operating system numbers it
};

/// The machine that this process runs on.
struct Machine {
  std::string name;       ///< host name
  std::string cpu_model;  ///< empty if unknown
  double memory_bytes = 0.0;
  /// What the whole machine has, whether or not this process may use it; 0 if hwloc cannot tell.
  int packages = 0;
  int cores = 0;
  int hardware_threads = 0;
  std::vector<std::string> caches;  ///< "L2 1.2 MiB x 2", smallest level first
  /// First one thread of each physical core that this process may use, then the second ones.
  std::vector<CpuThread> threads;
};

/// `bytes` for people: "1.2 MiB".
[[nodiscard]] std::string binary_size_text(double bytes);

/// The properties of this machine, read once from hwloc and the operating system.
[[nodiscard]] const Machine& this_machine();

/// The time now, in UTC: "2026-11-23T10:00:00Z".
[[nodiscard]] std::string utc_now();

/// The mean clock of the hardware threads that this process may use, as the operating system tells
/// it now; nothing if it does not.
[[nodiscard]] std::optional<double> clock_hz();

/// The memory that is available for new data now, in bytes.
[[nodiscard]] double available_memory_bytes();

/// The highest copy rate of this machine, in bytes/s: copies of small blocks that stay in the
/// first-level cache. Measured once.
[[nodiscard]] double fastest_copy_bytes_per_s();

/// The bandwidth at which one thread copies memory that does not fit in the caches (64 MiB,
/// alternately in both directions, best of five), in bytes/s. Takes about 0.1 s.
[[nodiscard]] double memory_copy_bytes_per_s();

/// The hardware threads to which each unit is pinned, as the operating system numbers them.
struct Placement {
  std::vector<std::vector<int>> cores;  ///< (units); empty for units that only wait
  /// The hardware threads for all threads that sleep most of the time, such as the controller:
  /// those on which no unit computes. If there are none, only the last thread of the unit with the
  /// largest slowdown: waking a thread of another core may cost both cores much more than waking
  /// one of the same core (on a virtual machine 50 us against 2 us).
  std::vector<int> waiting;
  bool waiting_compute = false;       ///< true if a unit computes on `waiting`
  std::vector<std::string> warnings;  ///< which units share a core, and the remedy

  /// Whether the controller has one of `waiting` for itself: with four or more, so that threads
  /// that copy for devices never keep it waiting.
  [[nodiscard]] bool controller_is_apart() const { return waiting.size() >= 4; }
  /// Those of `waiting` on which the controller runs.
  [[nodiscard]] std::vector<int> controller() const;
  /// Those of `waiting` for all other threads that sleep.
  [[nodiscard]] std::vector<int> others() const;
  /// Whether threads that copy have priority there, see WorkerSetup.
  [[nodiscard]] bool copies_first() const { return waiting_compute || controller_is_apart(); }
};

/// Whether the controller runs on a core on which unit `unit` computes.
[[nodiscard]] bool shares_core_of_controller(const Placement& placement, std::size_t unit);
/// Whether threads that copy for `unit` can run only on cores on which it computes.
[[nodiscard]] bool copies_have_cores_of(const Placement& placement, std::size_t unit);

/// Those of `numbers` that are on NUMA node `node` of `machine`; if there are none, all of them.
[[nodiscard]] std::vector<int> near_node(const std::vector<int>& numbers, int node,
                                         const Machine& machine);

/// A unit that is to be placed.
struct PlacedUnit {
  std::string name;
  int cores = 0;  ///< on which it computes
  double slowdown = 1.0;
  bool has_gpu = false;
};
/// (units)
[[nodiscard]] std::vector<PlacedUnit> placed_units(std::span<const UnitSpec> units);

/// What is in use of the cores of a machine.
struct CoresInUse {
  std::map<int, int> units_of_thread;  ///< by hardware thread; 0: nobody has it
  std::map<int, int> units_of_core;
  std::map<int, std::string> owner_of_core;  ///< the first unit there
};

/// Gives each unit the first of the hardware threads of `machine` that the fewest units have, and
/// adds a warning for units that share a physical core. `waiting` stays empty.
[[nodiscard]] Placement assign_cores(std::span<const PlacedUnit> units, const Machine& machine,
                                     CoresInUse& in_use);

/// Sets `waiting` when all units that may use the machine have their cores.
void set_waiting(Placement& placement, std::span<const PlacedUnit> units, const Machine& machine,
                 const CoresInUse& in_use);

/// Gives each unit the next cores in order. If the cores run out, starts again with the first one
/// and adds a warning; also warns if two threads share a physical core.
[[nodiscard]] Placement place_units(std::span<const PlacedUnit> units, const Machine& machine);
[[nodiscard]] inline Placement place_units(std::span<const UnitSpec> units,
                                           const Machine& machine) {
  return place_units(placed_units(units), machine);
}

}  // namespace equipoise
